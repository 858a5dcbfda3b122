"""Tools of upstreams that run as tasks: the client of the host makes one call. See upstreams/tasks_double.py."""
import json
import socket
import sys
import threading
import unittest

from harness import SOURCE, TestCase, last_message, message, run_toolpost, text_of, wait_until
from upstreams.http_double import HttpDouble
from upstreams.tasks_double import Tasks

DOUBLE = SOURCE / "tests/integration/upstreams/tasks_double.py"
BASE = '[permission]\nmode = "bypass"\n[upstreams]\nrestart_pause_s = 0.05\nrestart_pause_most_s = 0.1\nstop_timeout_s = 0.3\n'
MODERN = "2026-07-28"
FOLLOWS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


class TaskDouble(HttpDouble):
    def __init__(self, kind, port=0, tasks=None):
        self.tasks = tasks or Tasks(kind == "modern")
        super().__init__(kind, port)

    def answer(self, message):
        if message["method"] in ("initialize", "server/discover"):
            body = super().answer(message)
            body["result"]["capabilities"] = self.tasks.capabilities()
            return body
        body = self.tasks.answer(message)
        if self.kind == "modern" and "result" in body:
            body["result"].setdefault("resultType", "complete")
        return {"jsonrpc": "2.0", "id": message["id"], **body}


class UpstreamTasks(TestCase):
    def serve(self, *sections):
        self.place = self.workspace(config=BASE + "".join(sections))
        self.host = self.http_host(self.place)

    def listed(self, *names):
        return wait_until(f"{names} are listed", lambda: set(names) <= {
            tool["name"] for tool in self.host.request("tools/list")["result"]["tools"]})

    def double(self, kind, port=0, tasks=None):
        double = TaskDouble(kind, port, tasks)
        self.addCleanup(lambda: double.closing.is_set() or double.close())
        return double

    def held_port(self):
        """A port of servers that follow each other: between them, no other process gets it."""
        holder = socket.socket()
        self.addCleanup(holder.close)
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        return holder.getsockname()[1]

    def call(self, name, mode="ok", **options):
        return self.host.call(f"mcp__{name}", {"mode": mode}, **options)

    def words(self, name, mode):
        result = self.call(name, mode)["result"]
        self.assertTrue(result["isError"], result)
        return text_of({"result": result})

    def modern(self, method, params, abilities=None):
        body, headers = message(method, params, "modern")
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = abilities or FOLLOWS
        headers.setdefault("Mcp-Name", params.get("taskId", ""))
        text = self.host.post(body, headers)[2]
        return last_message(text)

    def ended(self, task):
        return wait_until("the host's task is over", lambda: self.over(task))

    def over(self, task):
        now = self.modern("tasks/get", {"taskId": task})["result"]
        return now if now["status"] not in ("working", "input_required") else None


class Http(UpstreamTasks):
    """One host with an upstream of each era."""

    KINDS = ("session", "modern")

    def setUp(self):
        self.doubles = {kind: self.double(kind) for kind in self.KINDS}
        self.serve("[server]\nstop_timeout_s = 0.2\n", *(f'[[upstream]]\nname = "{kind}"\nurl = "{double.url}"\nconcurrency_safe = true\n'
                     for kind, double in self.doubles.items()))
        self.listed(*(f"mcp__{kind}__long" for kind in self.KINDS))

    def log(self, kind, method):
        return [line for line in self.doubles[kind].tasks.log if line.startswith(method)]

    def test_a_call_is_one_call_whose_progress_is_the_status_of_its_task(self):
        for kind in self.KINDS:
            body, headers = message("tools/call", {"name": f"mcp__{kind}__long", "arguments": {}}, "modern")
            body["params"]["_meta"] |= {"progressToken": "p", "idempotency_key": "once"}
            first, second = (self.host.post(body, headers)[2] for _ in range(2))  # the host answers the second
            steps = [json.loads(line[6:])["params"] for line in first.splitlines() if "notifications/progress" in line]
            self.assertEqual([(one["progress"], one["message"]) for one in steps],
                             [(1, "begun"), (2, "step 1"), (3, "step 2")])
            self.assertEqual([text_of(last_message(text)) for text in (first, second)], ["done as a task: ok"] * 2)
            self.assertEqual(self.log(kind, "tools/call"), ["tools/call long"])
            self.assertEqual(len(self.log(kind, "tasks/get")), 3)
            self.assertEqual(self.log(kind, "tasks/result"), [] if kind == "modern" else ["tasks/result task-1"])
            self.assertEqual(self.log(kind, "tasks/cancel"), [])
        self.assertGreater(self.doubles["session"].tasks.tasks["task-1"]["asked"]["ttl"], 300_000)
        calls = [line for line in self.place.audit_lines() if line.get("tool") == "mcp__session__long" and "outcome" in line]
        self.assertEqual([line["outcome"] for line in calls][:1], ["ok"])

    def test_no_list_says_that_a_tool_needs_a_task(self):
        for era in ("bare", "modern"):
            tools = {tool["name"]: tool for tool in self.host.request("tools/list", era=era)["result"]["tools"]}
            for kind in self.KINDS:
                self.assertNotIn("execution", tools[f"mcp__{kind}__long"])

    def test_a_task_of_the_client_and_one_of_the_upstream(self):
        for kind in self.KINDS:
            for tool in ("long", "maybe"):
                made = self.modern("tools/call", {"name": f"mcp__{kind}__{tool}", "arguments": {}})["result"]
                self.assertEqual(made["resultType"], "task", made)
                self.assertNotIn("task-", made["taskId"])
                ended = self.ended(made["taskId"])
                self.assertEqual(ended["result"]["content"][0]["text"], "done as a task: ok")
        self.assertEqual(text_of(self.call("session__maybe")), "done at once")  # its client waits
        self.assertEqual(text_of(self.call("session__plain")), "done at once")
        self.assertEqual(text_of(self.call("modern__plain")), "done as a task: ok")  # there the server decides
        # The host has no tasks of 2025-11-25: such a request is a plain call.
        answer = self.host.request("tools/call", {"name": "mcp__session__long", "arguments": {}, "task": {"ttl": 1000}})
        self.assertEqual(text_of(answer), "done as a task: ok")

    def test_each_fault_ends_its_own_call_with_a_reason(self):
        faults = {"lost": "does not know its task any more: Task not found", "garbage": "answer to tasks/get is faulty",
                  "swap": "the state of another task", "cancelled": "it cancelled its task: no money",
                  "failed": "it broke (error -32000)", "huge": "more than 1024 bytes"}
        for kind in self.KINDS:
            for mode, words in faults.items():
                self.assertIn(words, self.words(f"{kind}__long", mode), (kind, mode))
            for mode in ("hasty", "ok"):
                self.assertEqual(text_of(self.call(f"{kind}__long", mode)), f"done as a task: {mode}")
            self.assertEqual(text_of(self.call(f"{kind}__long", "direct")), "done at once")
        self.assertIn("had not asked for one", self.words("session__plain", "uninvited"))
        self.assertEqual(self.log("session", "tools/call").count("tools/call long"), len(faults) + 3)

    def test_the_id_of_another_call_s_task_is_refused(self):
        for kind in self.KINDS:
            tasks = self.doubles[kind].tasks
            first = self.modern("tools/call", {"name": f"mcp__{kind}__long", "arguments": {"mode": "same"}})["result"]["taskId"]
            wait_until("it is polled", lambda tasks=tasks: tasks.tasks.get("same", {"polls": 0})["polls"])
            self.assertIn("the id of another call's task", self.words(f"{kind}__long", "same"))
            tasks.release.set()
            self.assertEqual(self.ended(first)["result"]["content"][0]["text"], "done as a task: same")
            self.assertEqual(self.log(kind, "tasks/cancel"), [])

    def test_a_call_that_ends_early_cancels_its_task(self):
        for kind in self.KINDS:
            made = self.modern("tools/call", {"name": f"mcp__{kind}__long", "arguments": {"mode": "stuck"}})["result"]["taskId"]
            (task,) = wait_until("it is polled", lambda kind=kind: [
                i for i, t in self.doubles[kind].tasks.tasks.items() if t["polls"]])
            self.modern("tasks/cancel", {"taskId": made})
            wait_until("it is cancelled", lambda kind=kind, task=task: self.log(kind, f"tasks/cancel {task}"))

    def test_a_stop_cancels_the_tasks_of_upstreams(self):
        for kind in self.KINDS:
            self.modern("tools/call", {"name": f"mcp__{kind}__long", "arguments": {"mode": "stuck"}})
            wait_until("it is polled", lambda kind=kind: any(t["polls"] for t in self.doubles[kind].tasks.tasks.values()))
        self.assertEqual(self.host.stop(), 0)
        for kind in self.KINDS:
            self.assertEqual(self.log(kind, "tasks/cancel"), ["tasks/cancel task-1"])

    def test_a_question_of_a_modern_task_reaches_the_client(self):
        params = {"name": "mcp__modern__long", "arguments": {"mode": "asks"}}
        asked = self.modern("tools/call", params, {"elicitation": {}})["result"]
        self.assertEqual(asked["resultType"], "input_required", asked)
        (key,) = asked["inputRequests"]
        answers = {key: {"action": "accept", "content": {"name": "Ada"}}}
        done = self.modern("tools/call", params | {"inputResponses": answers, "requestState": asked["requestState"]},
                           {"elicitation": {}})
        self.assertEqual(text_of(done), "done as a task: Ada")
        self.assertEqual(len(self.log("modern", "tools/call")), 1)
        # By a task of the host too.
        made = self.modern("tools/call", params, FOLLOWS | {"elicitation": {}})["result"]["taskId"]
        asks = wait_until("it asks", lambda: self.modern("tasks/get", {"taskId": made})["result"].get("inputRequests"))
        self.modern("tasks/update", {"taskId": made, "inputResponses": {key: answers[next(iter(answers))] for key in asks}},
                    FOLLOWS | {"elicitation": {}})
        self.assertEqual(self.ended(made)["result"]["content"][0]["text"], "done as a task: Ada")
        self.assertIn("cannot be asked", self.words("modern__long", "asks"))


class Lost(UpstreamTasks):
    """What ends while a task works."""

    def begin(self, name, mode):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(self.call(name, mode)))
        thread.start()
        self.addCleanup(thread.join)
        return lambda: (thread.join(), text_of(answers[0]))[1]

    def test_a_task_survives_its_connection_over_http(self):
        for kind in Http.KINDS:
            double = self.double(kind, self.held_port())
            self.serve(f'[[upstream]]\nname = "u"\nurl = "{double.url}"\nconcurrency_safe = true\n')
            self.listed("mcp__u__long")
            tasks = double.tasks
            result = self.begin("u__long", "stuck")
            wait_until("it is polled", lambda tasks=tasks: any(t["polls"] for t in tasks.tasks.values()))
            double.close()
            wait_until("the host has noticed", lambda: self.state() != "ready")
            again = self.double(kind, double.port, tasks)
            tasks.release.set()
            self.assertEqual(result(), "done as a task: stuck")
            self.assertEqual([line for line in tasks.log if line.startswith("tools/call")], ["tools/call long"])
            # The next server does not know the task of the one before.
            tasks.release.clear()
            result = self.begin("u__long", "stuck")
            wait_until("it is polled", lambda tasks=tasks: [t for t in tasks.tasks.values() if t["polls"]][1:])
            again.close()
            wait_until("the host has noticed", lambda: self.state() != "ready")
            other = self.double(kind, double.port)
            self.assertRegex(result(), r"does not know its task any more: .*may have carried out the call")
            self.assertEqual([line for line in other.tasks.log if line.startswith("tools/call")], [])
            self.host.stop()

    def test_a_stop_waits_for_no_task_with_a_connection_or_without(self):
        for is_down in (False, True):
            double = self.double("session")
            self.serve('[server]\nstop_timeout_s = 0.2\n', f'[[upstream]]\nname = "u"\nurl = "{double.url}"\n')
            self.listed("mcp__u__long")
            made = self.modern("tools/call", {"name": "mcp__u__long", "arguments": {"mode": "stuck"}})["result"]
            self.assertEqual(made["resultType"], "task")
            wait_until("it is polled", lambda tasks=double.tasks: any(t["polls"] for t in tasks.tasks.values()))
            if is_down:
                double.close()
                wait_until("the host has noticed", lambda: self.state() != "ready")
            self.assertEqual(self.host.stop(), 0)

    def state(self):
        done = run_toolpost(self.place, "upstream", "list", "--json", "--config", self.place.config)
        return json.loads(done.stdout)[0]["state"]

    def stdio(self, *more):
        self.place = self.workspace()
        self.file = self.place.root / "log"
        arguments = json.dumps(["-B", str(DOUBLE), f"log={self.file}"])
        self.place.write_config(self.place.config.read_text() + BASE + f'[[upstream]]\nname = "u"\ncommand = "{sys.executable}"\n'
                                f'args = {arguments}\nconcurrency_safe = true\n' + "".join(more))
        self.host = self.http_host(self.place)
        self.listed("mcp__u__long")

    def lines(self, start):
        return [line for line in self.file.read_text().splitlines() if line.startswith(start)]

    def test_a_task_ends_with_its_process(self):
        self.stdio()
        self.assertRegex(self.words("u__long", "dies"), "exited with status 3.*may have carried out the call")
        self.assertEqual(len(self.lines("tools/call")), 1)
        self.assertIn("tried the call twice", self.words("u__reads", "dies"))  # it only reads
        self.assertEqual(len(self.lines("tools/call")), 3)
        self.assertEqual(text_of(self.call("u__long")), "done as a task: ok")

    def test_notifications_shorten_the_wait_and_a_flood_of_them_costs_no_polls(self):
        self.stdio("timeout_s = 25\n")  # the longest interval is longer
        self.assertEqual(text_of(self.call("u__long", "slow")), "done as a task: slow")
        self.assertEqual(len(self.lines("tasks/get")), 1)
        self.assertEqual(text_of(self.call("u__long", "flood")), "done as a task: flood")
        self.assertLess(len(self.lines("tasks/get")), 300)

    def test_the_time_limit_of_the_call_cancels_the_task(self):
        self.stdio("timeout_s = 1\n")
        self.assertEqual(self.call("u__long", "stuck")["error"]["code"], -32003)
        wait_until("it is cancelled", lambda: self.lines("tasks/cancel task-1"))
        # The limit holds for this call too: on a busy machine the first one can be too late.
        done = wait_until("a later call ends in time", lambda: self.call("u__long", "direct").get("result"))
        self.assertEqual(text_of({"result": done}), "done at once")


class Chain(UpstreamTasks):
    def test_a_host_behind_a_host(self):
        """Tools that run as tasks of the first host, called as tasks there, and through a second host without tasks."""
        inner = self.http_host(self.workspace("conformance", config='[permission]\nmode = "bypass"\n'))
        self.serve(f'[[upstream]]\nname = "inner"\nurl = "{inner.url}"\n')
        self.listed("mcp__inner__slow_compute", "mcp__inner__failing_job")
        outer = self.host
        for name, arguments in (("slow_compute", {"seconds": 0, "label": "x"}), ("failing_job", {}), ("protocol_error_job", {})):
            self.host = inner
            made = self.modern("tools/call", {"name": name, "arguments": arguments})["result"]
            self.assertEqual(made["resultType"], "task", made)
            direct = self.ended(made["taskId"])
            through = outer.call(f"mcp__inner__{name}", arguments)["result"]
            if direct["status"] == "completed":
                self.assertEqual(through["content"], direct["result"]["content"], name)
                self.assertEqual(through.get("isError", False), direct["result"].get("isError", False), name)
            else:
                words, _, _ = direct["error"]["message"].rpartition(" ")  # the last one is an id of the call
                self.assertIn(words, text_of({"result": through}))
        self.host = outer
        params = {"name": "mcp__inner__confirm_delete", "arguments": {"filename": "f"}}
        asked = self.modern("tools/call", params, {"elicitation": {}})["result"]
        answers = {key: {"action": "accept", "content": {"confirm": True}} for key in asked["inputRequests"]}
        done = self.modern("tools/call", params | {"inputResponses": answers, "requestState": asked["requestState"]},
                           {"elicitation": {}})
        self.assertEqual(text_of(done), "Deleted f")


if __name__ == "__main__":
    unittest.main()
