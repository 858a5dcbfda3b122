"""An MCP server whose tools run as tasks. In a test it is reached over HTTP (TaskDouble), else over stdio (main):

    log=FILE        appends a line for each message that it gets: the method, and the name or task id

Its tools: long (taskSupport required), reads (the same, and it only reads), maybe (optional), plain (forbidden). The
argument `mode` chooses what becomes of a call:

    ok              works at two polls, with the messages "step 1" and "step 2", and is completed then
    stuck, same     works until `release` is set, over stdio for ever; same: its id is "same"
    lost, garbage, swap, cancelled, failed       what the second poll hears
    huge, direct, uninvited                      an id of 5000 bytes; no task; a task though none was asked for
    hasty, slow     pollInterval 0 and ttl 0; pollInterval 1e12, and a notification when it is completed
    asks            asks its client (2026-07-28)
    flood           sends 3000 notifications of its state, and is completed then (stdio)
    dies            ends the process at the second poll (stdio)
"""
import json
import os
import sys
import threading

FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
REQUIRED = {"long": "required", "reads": "required", "maybe": "optional", "plain": "forbidden"}


class Tasks:
    """What the server does, whatever its transport is."""

    def __init__(self, modern, notify=None):
        self.modern, self.notify = modern, notify or (lambda *_: None)
        self.tasks, self.log, self.release = {}, [], threading.Event()

    def capabilities(self):
        if self.modern:
            return {"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
        return {"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}

    def tools(self):
        schema = {"type": "object", "properties": {"mode": {"type": "string"}}}
        return [{"name": name, "description": name, "inputSchema": schema, "annotations": {"readOnlyHint": name == "reads"},
                 "execution": {"taskSupport": support}} for name, support in REQUIRED.items()]

    def state(self, ident, status, **more):
        poll = {"hasty": 0, "slow": 1e12}.get(self.tasks[ident]["mode"], 100)
        if self.modern:
            return {"taskId": ident, "status": status, "ttlMs": 60000, "pollIntervalMs": poll, **more}
        return {"taskId": ident, "status": status, "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
                "ttl": 0 if poll == 0 else 60000, "pollInterval": poll, **more}

    def result(self, text):
        return {"content": [{"type": "text", "text": text}]}

    def call(self, params):
        mode = params.get("arguments", {}).get("mode", "ok")
        caps = params.get("_meta", {}).get("io.modelcontextprotocol/clientCapabilities", {})
        asked = "task" in params or "io.modelcontextprotocol/tasks" in caps.get("extensions", {})
        if mode == "direct" or not asked and mode != "uninvited":
            return {"result": self.result("done at once")}
        ident = {"huge": "x" * 5000, "same": "same"}.get(mode, f"task-{len(self.tasks) + 1}")
        self.tasks[ident] = {"mode": mode, "polls": 0, "asked": params.get("task")}
        state = self.state(ident, "working", statusMessage="begun")
        if mode in ("flood", "slow"):
            self.notify(ident, self.state, mode)
        return {"result": {"resultType": "task", **state} if self.modern else {"task": state}}

    def get(self, ident):
        task = self.tasks[ident]
        task["polls"] += 1
        mode, step = task["mode"], f"step {task['polls']}"
        if task.get("cancelled"):
            return {"result": self.state(ident, "cancelled")}
        if mode in ("stuck", "same") and not self.release.is_set():
            return {"result": self.state(ident, "working", statusMessage=step)}
        if task["polls"] <= 2 and mode in ("ok", "hasty") or task["polls"] == 1:
            return {"result": self.state(ident, "working", statusMessage=step)}
        if mode == "dies":
            os._exit(3)
        if mode == "lost":
            return {"error": {"code": -32602, "message": "Task not found"}}
        if mode == "garbage":
            return {"result": {"taskId": ident, "status": 7}}
        if mode == "swap":
            return {"result": self.state(ident, "working") | {"taskId": "task-0"}}
        if mode == "cancelled":
            return {"result": self.state(ident, "cancelled", statusMessage="no money")}
        if mode == "asks" and "answer" not in task:
            asks = {"who": {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": FORM}}}
            return {"result": self.state(ident, "input_required", inputRequests=asks)}
        if mode == "failed":
            return {"result": self.state(ident, "failed", **({"error": {"code": -32000, "message": "it broke"}} if self.modern else {}))}
        return {"result": self.state(ident, "completed", **({"result": self.outcome(task)} if self.modern else {}))}

    def outcome(self, task):
        return self.result(f"done as a task: {task.get('answer', task['mode'])}")

    def answer(self, message):
        """{"result": ...} or {"error": ...}."""
        method, params = message["method"], message.get("params", {})
        ident = params.get("taskId", "")
        self.log.append(f"{method} {params.get('name', ident)}".strip())
        if method == "tools/list":
            return {"result": {"tools": self.tools()}}
        if method == "tools/call":
            return self.call(params)
        if method.startswith("tasks/") and ident not in self.tasks:
            return {"error": {"code": -32602, "message": f"Task not found: {ident}"}}
        if method == "tasks/get":
            return self.get(ident)
        if method == "tasks/result" and not self.modern:
            if self.tasks[ident]["mode"] == "failed":
                return {"error": {"code": -32000, "message": "it broke"}}
            return {"result": self.outcome(self.tasks[ident])}
        if method == "tasks/cancel":
            self.tasks[ident]["cancelled"] = True
            return {"result": {} if self.modern else self.state(ident, "cancelled")}
        if method == "tasks/update" and self.modern:
            self.tasks[ident]["answer"] = params["inputResponses"]["who"]["content"]["name"]
            return {"result": {}}
        return {"error": {"code": -32601, "message": "Method not found"}}


def main():
    words = dict(word.partition("=")[::2] for word in sys.argv[1:])
    lock = threading.Lock()

    def write(**message):
        with lock:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            sys.stdout.flush()

    def notify(ident, state, mode):
        def tell():
            for number in range(3000 if mode == "flood" else 0):
                write(method="notifications/tasks/status", params=state(ident, "working", statusMessage=f"note {number}"))
            server.tasks[ident]["polls"] = 1
            write(method="notifications/tasks/status", params=state(ident, "completed"))
        later.append(tell)

    server, later = Tasks(False, notify), []
    for line in sys.stdin:
        message = json.loads(line)
        if "log" in words:
            with open(words["log"], "a", encoding="utf-8") as file:
                params = message.get("params", {})
                file.write(f"{message.get('method')} {params.get('name', params.get('taskId', ''))}".strip() + "\n")
        if "id" not in message or "method" not in message:
            continue
        if message["method"] == "initialize":
            body = {"result": {"protocolVersion": "2025-11-25", "capabilities": server.capabilities(),
                               "serverInfo": {"name": "tasks", "version": "1"}}}
        else:
            body = server.answer(message)
        write(id=message["id"], **body)
        while later:
            threading.Thread(target=later.pop(), daemon=True).start()


if __name__ == "__main__":
    main()
