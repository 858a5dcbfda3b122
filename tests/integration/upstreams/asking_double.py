"""An MCP server over stdio for tests, whose tools ask the client a question before they act.

    modern          speaks 2026-07-28, and asks with input-required results; otherwise 2025-11-25
    log=FILE        appends a line for each call and for each answered question: a JSON array ["call" or "acts", tool, arguments]
    rounds=N        questions of one call; 1 without it

Its tools: move (asks who it is, and acts once it was answered) and sign_in (refuses its first call of each `order` until a URL is
opened, with error -32042, and reports at once that it was opened). Neither only reads. The arguments: order (required), quantity.
The result of a call is the JSON text of the arguments with which it acted. A modern one has the prompt `ask` and the resource
order:///1, too, which ask like move and have the arguments {"order": "prompt"} and {"order": "resource"} in the log.
"""
import json
import sys

WORDS = dict(word.partition("=")[::2] for word in sys.argv[1:])
MODERN = "modern" in WORDS
ROUNDS = int(WORDS.get("rounds", 1))
SCHEMA = {"type": "object", "required": ["order"], "properties": {"order": {"type": "string"}, "quantity": {"type": "integer"}}}
QUESTION = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
asked = {}  # id of a question: (id of the call, arguments, rounds so far)
opened = set()


def write(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def note(*words):
    with open(WORDS["log"], "a", encoding="utf-8") as file:
        file.write(json.dumps(words) + "\n")


def act(ident, tool, arguments):
    note("acts", tool, arguments)
    text = json.dumps(arguments)
    results = {"ask": {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]},
               "order:///1": {"contents": [{"uri": "order:///1", "text": text}], "ttlMs": 0, "cacheScope": "private"}}
    write(id=ident, result={"resultType": "complete", **results.get(tool, {"content": [{"type": "text", "text": text}]})})


def ask(ident, arguments, rounds):
    if rounds == ROUNDS:
        return act(ident, "move", arguments)
    question = f"q{ident}-{rounds}"
    asked[question] = (ident, arguments, rounds + 1)
    return write(id=question, method="elicitation/create", params=QUESTION)


def ask_modern(ident, tool, arguments, state):
    rounds = int(state or 0)
    if rounds == ROUNDS:
        return act(ident, tool, arguments)
    return write(id=ident, result={"resultType": "input_required", "requestState": str(rounds + 1), "inputRequests": {
        f"who{rounds}": {"method": "elicitation/create", "params": {"mode": "form", **QUESTION}}}})


def sign_in(ident, arguments):
    order = arguments["order"]
    if order in opened:
        return act(ident, "sign_in", arguments)
    opened.add(order)
    write(id=ident, error={"code": -32042, "message": "Sign in first", "data": {"elicitations": [
        {"mode": "url", "message": "Sign in", "url": "https://x.example/sign-in", "elicitationId": order}]}})
    return write(method="notifications/elicitation/complete", params={"elicitationId": order})


def call(ident, params):
    tool, arguments = params["name"], params["arguments"]
    note("call", tool, arguments)
    if tool == "sign_in":
        return sign_in(ident, arguments)
    return ask_modern(ident, tool, arguments, params.get("requestState")) if MODERN else ask(ident, arguments, 0)


def offer(ident, method, params):
    """A modern server's prompt and resource."""
    lists = {"prompts/list": {"prompts": [{"name": "ask"}]}, "resources/list": {"resources": [{"uri": "order:///1", "name": "one"}]},
             "resources/templates/list": {"resourceTemplates": []}}
    if method in lists:
        return write(id=ident, result={"resultType": "complete", **lists[method], "ttlMs": 0, "cacheScope": "private"})
    what, arguments = ("ask", {"order": "prompt"}) if method == "prompts/get" else ("order:///1", {"order": "resource"})
    return ask_modern(ident, what, arguments, params.get("requestState"))


def handle(message):
    method, ident = message.get("method"), message.get("id")
    info = {"name": "asking", "version": "1"}
    if method is None:
        return ask(*asked.pop(ident))
    if method == "initialize" and not MODERN:
        return write(id=ident, result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info})
    if method == "server/discover" and MODERN:
        return write(id=ident, result={"resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
                                       "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
                                       "cacheScope": "private", "_meta": {"io.modelcontextprotocol/serverInfo": info}})
    if method == "tools/list":
        tools = [{"name": name, "description": f"The tool {name}", "inputSchema": SCHEMA} for name in ("move", "sign_in")]
        return write(id=ident, result={"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"})
    if method == "tools/call":
        return call(ident, message["params"])
    if MODERN and method.startswith(("prompts/", "resources/")):
        return offer(ident, method, message["params"])
    if ident is not None:
        return write(id=ident, error={"code": -32601, "message": "Method not found"})
    return None


note("begins", "", {"order": "process"})
for line in sys.stdin:
    handle(json.loads(line))
