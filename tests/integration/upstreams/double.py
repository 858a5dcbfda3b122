"""An MCP server over stdio for tests. Its words on the command line choose how it misbehaves:

    modern          speaks 2026-07-28; otherwise 2025-11-25, or another legacy VERSION by version=VERSION
    dies-early      ends at any request before initialize, as some servers do
    garbage         prints a line that is no message first
    mute            reads and says nothing
    deaf            closes its standard input at tools/list, answers that, and runs on
    half            answers tools/call with half a message and closes its output
    unended         answers tools/call without a newline after the answer, and ends
    long            answers tools/call with a line of 4 MiB
    line=N          answers tools/call with a line of N MiB
    lacks           refuses tools/call, because the client cannot be asked for sampling (error -32021)
    wrong-ids       answers every request also with a wrong id, and answers twice
    tools=N         offers N tools more
    costly=N        offers N tools more whose schemas take long to compile, and makes listed=FILE once they were read
    endless         gives a next page for ever
    flood           sends notifications as fast as it can, from initialize on
    dies            ends at tools/call; dies-once=FILE: only where FILE does not exist, which it makes
    says=TEXT       with dies: what it writes to standard error first
    saves=FILE      appends to FILE when it gets SIGTERM, and some time later, and ends
    stubborn        ignores SIGTERM and the end of its input
    grandchild      starts a process in a session of its own, which does the same
    child           starts a process in its own session that does the same
    stops-keeper    stops its parent process at tools/call, by SIGSTOP; kills-keeper: ends it by SIGKILL
    file=FILE       takes the definitions of its tools from FILE, and reads it at each list
    log=FILE        appends a line for each tools/call
    gate=FILE       offers also the tool wait, which answers once FILE is there
    lock=FILE       locks FILE as long as it lives, and does not start while another process has locked it

Its tools: echo (only reads), act (does not), slow (answers when it is cancelled), ask (input_required, modern only).
"""
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time

WORDS = dict(word.partition("=")[::2] for word in sys.argv[1:])
MODERN = "2026-07-28"
lock = threading.Lock()


def write(text):
    with lock:
        os.write(1, text.encode() + b"\n") if len(text) < 4096 else (sys.stdout.write(text + "\n"), sys.stdout.flush())


def answer(ident, **body):
    if "wrong-ids" in WORDS:
        write(json.dumps({"jsonrpc": "2.0", "id": 987654, "result": {"content": [{"type": "text", "text": "wrong"}]}}))
    write(json.dumps({"jsonrpc": "2.0", "id": ident, **body}))
    if "wrong-ids" in WORDS:
        write(json.dumps({"jsonrpc": "2.0", "id": ident, "result": {"content": [{"type": "text", "text": "second"}]}}))


def tool(name, **more):
    return {"name": name, "description": f"The tool {name}", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}, **more}


def tools():
    if "file" in WORDS:
        with open(WORDS["file"], encoding="utf-8") as file:
            return json.load(file)
    reads = {"annotations": {"readOnlyHint": True}}
    own = [tool("echo", **reads), tool("act"), tool("slow", **reads), tool("ask", **reads)]
    own += [tool("wait")] if "gate" in WORDS else []
    own += [costly(i) for i in range(int(WORDS.get("costly", 0)))]
    return own + [tool(f"more_{i}") for i in range(int(WORDS.get("tools", 0)))]


def costly(i):
    """About as much as the host compiles of one schema."""
    properties = {f"p{i}_{j}": {"pattern": f"^(a{j}|b){{1,9}}$"} for j in range(3000)}
    return {**tool(f"costly_{i:04}"), "inputSchema": {"type": "object", "properties": properties}}


def info():
    return {"name": "double", "version": "1.0"}


def capabilities():
    return {"tools": {"listChanged": True}}


def wait_for_gate(ident):
    while not os.path.exists(WORDS["gate"]):
        time.sleep(0.02)
    answer(ident, result={"content": [{"type": "text", "text": "the gate is open"}]})


def call(ident, params):
    if "log" in WORDS:
        with open(WORDS["log"], "a", encoding="utf-8") as file:
            file.write(params["name"] + "\n")
    if "dies-once" in WORDS and not os.path.exists(WORDS["dies-once"]):
        open(WORDS["dies-once"], "w", encoding="utf-8").close()
        os._exit(3)
    if "dies" in WORDS:
        sys.stderr.write(WORDS.get("says", "about to die") + "\n")
        sys.stderr.flush()
        os._exit(3)
    for word, signum in (("stops-keeper", signal.SIGSTOP), ("kills-keeper", signal.SIGKILL)):
        if word in WORDS:
            os.kill(os.getppid(), signum)
    if "half" in WORDS:
        os.write(1, b'{"jsonrpc":"2.0","id":')
        os.close(1)
        return
    if "unended" in WORDS:
        text = json.dumps({"jsonrpc": "2.0", "id": ident, "result": {"content": [{"type": "text", "text": "the last words"}]}})
        os.write(1, text.encode())
        os._exit(0)
    if "lacks" in WORDS:
        answer(ident, error={"code": -32021, "message": "ask me with sampling", "data": {"requiredCapabilities": {"sampling": {}}}})
        return
    if "line" in WORDS:
        answer_in_one_line(ident, int(WORDS["line"]))
        return
    if "long" in WORDS:
        write(json.dumps({"jsonrpc": "2.0", "id": ident, "result": {"content": [{"type": "text", "text": "x" * (4 << 20)}]}}))
        return
    name, arguments = params["name"], params.get("arguments", {})
    if name == "wait":
        threading.Thread(target=wait_for_gate, args=(ident,), daemon=True).start()
        return
    if name == "slow":
        token = params.get("_meta", {}).get("progressToken")
        if token is not None:
            write(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress",
                              "params": {"progressToken": token, "progress": 1, "total": 2, "message": "half way"}}))
        return
    if name == "ask" and "inputResponses" not in params:
        asked = {"method": "elicitation/create", "params": {"message": "Which?", "requestedSchema": {
            "type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}}}
        answer(ident, result={"resultType": "input_required", "inputRequests": {"q": asked}, "requestState": "kept"})
        return
    if name == "ask":
        arguments = {"text": f"{params['requestState']}: {params['inputResponses']['q']['content']['answer']}"}
    if arguments.get("text", "").startswith("env "):
        arguments = {"text": os.environ.get(arguments["text"][4:], "none")}
    if arguments.get("text") == "trace?":
        meta = params.get("_meta", {})
        arguments = {"text": json.dumps({key: meta.get(key) for key in ("traceparent", "tracestate", "baggage")})}
    result = {"content": [{"type": "text", "text": arguments.get("text", name)}], "_meta": {"pid": os.getpid()}}
    answer(ident, result={"resultType": "complete", **result} if "modern" in WORDS else result)


def answer_in_one_line(ident, mib):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": ident})[:-1] + ', "result": {"content": [{"type": "text", "text": "')
    for _ in range(mib):
        sys.stdout.write("x" * (1 << 20))
    sys.stdout.write('"}]}}\n')
    sys.stdout.flush()


def flood():
    note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "more"}})
    try:
        while True:
            write(note)
    except OSError:
        return


def handle(message):
    method, ident, params = message.get("method"), message.get("id"), message.get("params", {})
    if ident is None or "mute" in WORDS:
        return
    if method == "server/discover" and "modern" in WORDS:
        answer(ident, result={"resultType": "complete", "supportedVersions": [MODERN], "capabilities": capabilities(), "ttlMs": 0,
                              "cacheScope": "private", "_meta": {"io.modelcontextprotocol/serverInfo": info()}})
    elif method == "initialize" and "modern" not in WORDS:
        answer(ident, result={"protocolVersion": WORDS.get("version", "2025-11-25"), "capabilities": capabilities(), "serverInfo": info()})
        if "flood" in WORDS:
            threading.Thread(target=flood, daemon=True).start()
    elif "dies-early" in WORDS and method == "server/discover":
        os._exit(1)
    elif method == "tools/list":
        more = {"nextCursor": str(int(params.get("cursor", "0")) + 1)} if "endless" in WORDS else {}
        if "deaf" in WORDS:
            os.close(0)
        answer(ident, result={"resultType": "complete", "tools": tools() if not params.get("cursor") else [], **more})
        if "listed" in WORDS:
            open(WORDS["listed"], "w", encoding="utf-8").close()
        while "deaf" in WORDS:
            signal.pause()
    elif method == "tools/call":
        call(ident, params)
    elif method == "subscriptions/listen":
        pass
    else:
        answer(ident, error={"code": -32601, "message": "Method not found"})


def save(*_):
    for word in ("asked ", "saved"):
        with open(WORDS["saves"], "a", encoding="utf-8") as file:
            file.write(word)
        time.sleep(0.2)
    os._exit(0)


def main():
    if "lock" in WORDS:
        lock_file = open(WORDS["lock"], "a", encoding="utf-8")
        fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if "stubborn" in WORDS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "saves" in WORDS:
        signal.signal(signal.SIGTERM, save)
    if "grandchild" in WORDS:
        subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"],
                         start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if "child" in WORDS:
        subprocess.Popen([sys.executable, "-c", "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.setpgid(0, 0); time.sleep(600)"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if "garbage" in WORDS:
        write("Welcome to the test double!")
    for line in sys.stdin:
        handle(json.loads(line))
    while "stubborn" in WORDS:
        signal.pause()


main()
