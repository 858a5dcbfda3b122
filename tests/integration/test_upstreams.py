"""MCP servers behind the host, over stdio: their tools, their pins, their faults. See upstreams/double.py."""
import concurrent.futures
import json
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import unittest

from harness import (NPM, SOURCE, TOOLPOST, TestCase, environment, files_below, processes_of, run_toolpost, store_of, text_of,
                     wait_until)

DOUBLE = SOURCE / "tests/integration/upstreams/double.py"
BYPASS = '[permission]\nmode = "bypass"\n[upstreams]\nrestart_pause_s = 0.05\nstop_timeout_s = 0.3\n'


def upstream(name, *words, more=""):
    arguments = ", ".join(json.dumps(str(word)) for word in ("-B", DOUBLE, *words))
    return f'[[upstream]]\nname = "{name}"\ncommand = "{sys.executable}"\nargs = [{arguments}]\n{more}\n'


class Upstreams(TestCase):
    def serve(self, *sections, base=BYPASS):
        self.place = self.workspace(config=base + "".join(sections))
        return self.http_host(self.place)

    def tools(self, host):
        names = [tool["name"] for tool in host.request("tools/list")["result"]["tools"]]
        return [name for name in names if name != "ask_user"]  # the host's own

    def listed(self, host, *names):
        return wait_until(f"{names} are listed", lambda: set(names) <= set(self.tools(host)))

    def cli(self, *words, exit_code=0):
        done = run_toolpost(self.place, "upstream", *words, "--config", self.place.config, timeout_s=120)
        self.assertEqual(done.returncode, exit_code, done)
        return done

    def status(self, name):
        return {one["name"]: one for one in json.loads(self.cli("list", "--json").stdout)}[name]


class Calls(Upstreams):
    def few_open_files(self):
        """The soft limit of descriptors that the next host starts with, and the hard one."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        few = min(512, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        return few, hard

    def test_tools_of_each_era_are_listed_and_called(self):
        few, hard = self.few_open_files()
        host = self.serve(upstream("old", "version=2024-11-05"), upstream("new", "modern"), upstream("rust", "dies-early"))
        self.listed(host, "mcp__old__echo", "mcp__new__echo", "mcp__rust__echo")
        for name in ("old", "new", "rust"):
            self.assertEqual(text_of(host.call(f"mcp__{name}__echo", {"text": "hi"})), "hi")
        self.assertEqual(self.status("old")["protocol"], "2024-11-05")
        self.assertEqual(self.status("new")["protocol"], "2026-07-28")
        one = next(t for t in host.request("tools/list")["result"]["tools"] if t["name"] == "mcp__old__echo")
        self.assertEqual(one["_meta"]["io.toolpost/class"], "upstream")
        self.assertTrue(one["annotations"]["readOnlyHint"])
        self.assertIn("/text", text_of(host.call("mcp__old__echo", {"text": 7})))
        self.assertEqual(resource.prlimit(host.child.pid, resource.RLIMIT_NOFILE), (hard, hard), "of the host")
        servers = [pid for pid, command in processes_of(self.place).items() if command.startswith(sys.executable)]
        self.assertEqual(len(servers), 3)
        for pid in servers:
            self.assertEqual(resource.prlimit(pid, resource.RLIMIT_NOFILE), (few, hard), "as without the host")

    def test_many_long_calls_at_once_arrive_whole(self):
        host = self.serve(upstream("old"))
        self.listed(host, "mcp__old__echo")
        texts = [str(number) * 40_000 for number in range(10, 50)]  # each is longer than a pipe
        with concurrent.futures.ThreadPoolExecutor(len(texts)) as pool:
            answers = list(pool.map(lambda text: text_of(host.call("mcp__old__echo", {"text": text})), texts))
        self.assertEqual(answers, texts)

    def test_what_does_not_only_read_is_asked(self):
        host = self.serve(upstream("two"), base='[approval]\nask = []\n')
        self.listed(host, "mcp__two__act")
        self.assertEqual(text_of(host.call("mcp__two__echo", {"text": "hi"})), "hi")
        self.assertTrue(host.call("mcp__two__act")["result"]["isError"])

    def test_settings_choose_the_tools_and_who_sees_them(self):
        agents = '[agent.coder]\nneeds_key = false\n[agent.clerk]\nneeds_key = false\nplugins = []\n'
        more = 'tools = ["e*", "act"]\ntools_denied = ["act"]\npresets.echo = { text = "fixed" }\n'
        host = self.serve(agents, upstream("all", more=more), upstream("own", more='agents = ["coder"]'))
        self.listed(host, "mcp__all__echo")
        self.assertEqual(self.tools(host), ["mcp__all__echo"])
        self.assertEqual(text_of(host.call("mcp__all__echo")), "fixed")
        self.place_of = lambda agent: [t["name"] for t in json.loads(self.ask(host, agent))["result"]["tools"]]
        wait_until("the coder sees it", lambda: "mcp__own__echo" in self.place_of("coder"))
        self.assertEqual(self.place_of("clerk"), ["ask_user"])

    def ask(self, host, agent):
        connection = host.connect()
        connection.request("POST", f"/{agent}/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
                           {"Content-Type": "application/json"})
        text = connection.getresponse().read().decode()
        connection.close()
        return text

    def test_a_question_of_a_modern_upstream_reaches_the_client(self):
        host = self.serve(upstream("new", "modern"), upstream("quiet", "modern", more="questions = []"))
        self.listed(host, "mcp__new__ask")
        self.listed(host, "mcp__quiet__ask")
        params = {"name": "mcp__new__ask", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28"
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "mcp__new__ask",
                   "Accept": "application/json, text/event-stream"}
        asked = json.loads(host.post(body, headers)[2])["result"]
        self.assertEqual(asked["resultType"], "input_required")
        (key,) = asked["inputRequests"]
        params |= {"inputResponses": {key: {"action": "accept", "content": {"answer": "this"}}},
                   "requestState": asked["requestState"]}
        self.assertIn("kept: this", host.post(body | {"id": 2}, headers)[2])
        params["name"] = headers["Mcp-Name"] = "mcp__quiet__ask"
        del params["inputResponses"], params["requestState"]
        refused = json.loads(host.post(body | {"id": 3}, headers)[2])["result"]
        self.assertTrue(refused["isError"], refused)
        self.assertIn("lacks elicitation", json.dumps(refused))

    def test_a_client_hears_which_capability_an_upstream_needs(self):
        host = self.serve(upstream("u", "modern", "lacks"))
        self.listed(host, "mcp__u__act")
        answer = host.call("mcp__u__act", era="modern")
        self.assertEqual((answer["http_status"], answer["error"]["code"], answer["error"]["data"]),
                         (400, -32021, {"requiredCapabilities": {"sampling": {}}}))
        older = host.call("mcp__u__act")["result"]
        self.assertTrue(older["isError"])
        self.assertIn("ask me with sampling", json.dumps(older))
        done = run_toolpost(self.place, "call", "mcp__u__act", "--config", self.place.config)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("ask me with sampling", done.stderr)
        outcomes = {line["outcome"] for line in self.place.audit_lines() if line.get("tool") == "mcp__u__act" and "outcome" in line}
        self.assertEqual(outcomes, {"tool_error"})

    def test_the_trace_context_of_a_call_reaches_the_upstreams_that_may_have_it(self):
        host = self.serve(upstream("one"), upstream("two", more="trace_context = false"))
        sent = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate": "a=1",
                "baggage": "user=anna"}
        for name, got in (("one", sent), ("two", dict.fromkeys(sent))):
            self.listed(host, f"mcp__{name}__echo")
            answer = host.request("tools/call", {"name": f"mcp__{name}__echo", "arguments": {"text": "trace?"}, "_meta": sent})
            self.assertEqual(json.loads(text_of(answer)), got, name)

    def test_progress_arrives_and_a_timeout_ends_only_that_call(self):
        host = self.serve(upstream("one", more="timeout_s = 1\nconcurrency_safe = true"))
        self.listed(host, "mcp__one__slow")
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "mcp__one__slow", "arguments": {}, "_meta": {"progressToken": "p"}}}
        body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28"
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {}
        text = host.post(body, {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "mcp__one__slow",
                                "Accept": "application/json, text/event-stream"})[2]
        self.assertIn("half way", text)
        self.assertEqual(text_of(host.call("mcp__one__echo", {"text": "hi"})), "hi")
        self.assertEqual(self.status("one")["starts"], 1)


class Health(Upstreams):
    def test_definitions_are_listed_while_it_is_down_and_calls_say_so(self):  # case 45
        host = self.serve(upstream("gone"))
        self.listed(host, "mcp__gone__echo")
        host.stop()
        self.place.write_config(self.place.config.read_text().replace(str(DOUBLE), "/nonexistent.py"))
        host = self.http_host(self.place)
        self.assertIn("mcp__gone__echo", self.tools(host))
        self.assertIn("did not answer", text_of(host.call("mcp__gone__echo")))
        self.assertIn("nonexistent.py", self.status("gone")["last_error"])

    def test_an_idle_upstream_ends_and_starts_again_with_a_call(self):
        host = self.serve(upstream("rare", more="idle_stop_s = 0.1"))
        self.listed(host, "mcp__rare__echo")
        for starts in (1, 2):
            wait_until("it is idle", lambda: self.status("rare")["state"] == "idle")
            self.assertEqual([w for w in processes_of(self.place).values() if "double.py" in w], [])
            self.assertEqual(self.status("rare")["starts"], starts)
            self.assertEqual(text_of(host.call("mcp__rare__echo", {"text": "hi"})), "hi")

    def test_a_call_that_may_have_acted_is_not_repeated(self):
        host = self.serve("")
        host.stop()
        log, mark = self.place.root / "log", self.place.root / "mark"
        self.place.write_config(self.place.config.read_text() + upstream("weak", f"log={log}", f"dies-once={mark}"))
        host = self.http_host(self.place)
        self.listed(host, "mcp__weak__echo")
        self.assertIn("may have carried out the call", text_of(host.call("mcp__weak__act")))
        self.assertEqual(log.read_text(), "act\n")
        mark.unlink()
        self.assertEqual(text_of(host.call("mcp__weak__echo", {"text": "again"})), "again")
        self.assertEqual(log.read_text(), "act\necho\necho\n")

    def serve_weak(self):
        """A host whose upstream dies at its first call of `act`, and the file to which the upstream writes its calls."""
        self.serve("").stop()
        log, mark = self.place.root / "log", self.place.root / "mark"
        self.place.write_config(self.place.config.read_text() + upstream("weak", f"log={log}", f"dies-once={mark}"))
        host = self.http_host(self.place)
        self.listed(host, "mcp__weak__act")
        return host, log

    def test_a_call_that_may_have_acted_keeps_its_idempotency_key(self):
        host, log = self.serve_weak()
        arguments = {"idempotency_key": "k"}
        first = host.call("mcp__weak__act", arguments)
        self.assertIn("may have carried out the call", text_of(first))
        again = host.call("mcp__weak__act", arguments)
        self.assertEqual(text_of(again), text_of(first))
        self.assertTrue(again["result"]["isError"])
        self.assertTrue(again["result"]["_meta"]["io.toolpost/replayed"])
        self.assertEqual(log.read_text(), "act\n")
        self.assertNotIn("carried out", text_of(host.call("mcp__weak__act", {"idempotency_key": "another"})))
        self.assertEqual(log.read_text(), "act\nact\n")

    def test_a_detached_call_that_may_have_acted_is_the_answer_to_its_repetition(self):
        host, log = self.serve_weak()
        session = "/v1/tools/request/" + host.fetch("POST", "/v1/sessions", {})[2]["id"]
        request = {"name": "mcp__weak__act", "idempotency_key": "k"}
        first = host.fetch("POST", session, request)[2]["id"]
        record = host.fetch("GET", f"{session}/{first}?wait=60")[2]
        self.assertEqual(record["code"], "upstream_failed", record)
        self.assertIn("may have carried out the call", text_of(record))
        again = host.fetch("POST", session, request)[2]
        self.assertEqual((again["id"], again["code"]), (first, "upstream_failed"))
        self.assertEqual(log.read_text(), "act\n")

    def test_a_call_that_never_began_does_not_keep_its_idempotency_key(self):
        host = self.serve(upstream("gone"))
        self.listed(host, "mcp__gone__act")
        host.stop()
        config = self.place.config.read_text()
        self.place.write_config(config.replace(str(DOUBLE), "/nonexistent.py"))
        host = self.http_host(self.place)
        self.assertIn("did not answer", text_of(host.call("mcp__gone__act", {"idempotency_key": "k"})))
        host.stop()
        self.place.write_config(config)
        host = self.http_host(self.place)
        ran = host.call("mcp__gone__act", {"idempotency_key": "k"})
        self.assertNotIn("io.toolpost/replayed", ran["result"].get("_meta", {}))
        self.assertFalse(ran["result"].get("isError", False), ran)

    def test_a_server_that_closes_its_input_does_not_end_the_host(self):
        host = self.serve(upstream("deaf", "deaf", more="timeout_s = 5"), upstream("good"))
        self.listed(host, "mcp__deaf__echo", "mcp__good__echo")
        for _ in range(2):
            self.assertTrue(host.call("mcp__deaf__act")["result"]["isError"])
            self.assertEqual(text_of(host.call("mcp__good__echo", {"text": "hi"})), "hi")

    def test_no_process_is_left_by_a_stop_or_a_kill(self):
        host = self.serve(upstream("wild", "stubborn", "grandchild"))
        self.listed(host, "mcp__wild__echo")
        wait_until("both run", lambda: len([w for w in processes_of(self.place).values() if "time.sleep(600)" in w]) == 1)
        host.stop()
        self.assertEqual(processes_of(self.place), {})
        host = self.http_host(self.place)
        self.assertEqual(text_of(host.call("mcp__wild__echo", {"text": "hi"})), "hi")
        host.child.send_signal(signal.SIGKILL)
        host.child.wait()
        self.addCleanup(setattr, host.child, "returncode", 0)
        wait_until("all have ended", lambda: not processes_of(self.place))

    def test_the_grace_is_for_a_server_behind_a_wrapper_too(self):
        self.place = self.workspace()
        file = self.place.root / "state"
        words = ", ".join(json.dumps(str(word)) for word in ("-c", '"$0" "$@"; :', sys.executable, "-B", DOUBLE, f"saves={file}"))
        self.place.write_config(self.place.config.read_text() + BYPASS.replace("stop_timeout_s = 0.3", "stop_timeout_s = 30")
                                + f'[[upstream]]\nname = "u"\ncommand = "sh"\nargs = [{words}]\n')
        host = self.http_host(self.place)
        self.listed(host, "mcp__u__echo")
        host.stop()
        self.assertEqual(file.read_text(), "asked saved")  # once: to some servers a second signal means at once
        self.assertEqual(processes_of(self.place), {})

    def test_a_server_that_stops_or_kills_its_keeper_ends_with_all_that_it_started(self):
        host = self.serve(upstream("stops", "stubborn", "child", "stops-keeper"), upstream("kills", "stubborn", "child", "kills-keeper"))
        self.listed(host, "mcp__stops__act", "mcp__kills__act")
        host.call("mcp__kills__act")
        wait_until("all of the second have ended",
                   lambda: not [w for w in processes_of(self.place).values() if "kills-keeper" in w]
                   and len([w for w in processes_of(self.place).values() if "setpgid" in w]) == 1)
        self.assertEqual(text_of(host.call("mcp__stops__act")), "act")
        host.stop()
        self.assertEqual(processes_of(self.place), {})

    def test_calls_of_others_go_on_while_costly_definitions_are_compiled(self):
        self.place = self.workspace("hello")
        mark = self.place.root / "listed"
        self.place.write_config(self.place.config.read_text() + BYPASS + "start_timeout_s = 120\n" + upstream("bad", "costly=20", f"listed={mark}"))
        host = self.http_host(self.place)
        wait_until("its list was read", mark.exists)
        for i in range(20):
            self.assertEqual(text_of(host.call("echo", {"text": str(i)})), str(i))
        # Compiling it takes the host twenty times the CPU time of these calls.
        self.assertIn('toolpost_upstream_up{upstream="bad"} 0', host.fetch("GET", "/metrics")[2])
        wait_until("it is ready", lambda: 'toolpost_upstream_up{upstream="bad"} 1' in host.fetch("GET", "/metrics")[2],
                   timeout_s=120)
        self.assertEqual(text_of(host.call("mcp__bad__costly_0000")), "costly_0000")

    def test_a_stop_does_not_wait_for_definitions(self):
        self.place = self.workspace()
        mark = self.place.root / "listed"
        self.place.write_config(self.place.config.read_text() + BYPASS + "start_timeout_s = 120\n" + upstream("bad", "costly=20", f"listed={mark}"))
        host = self.http_host(self.place)
        wait_until("its list was read", mark.exists)
        self.assertEqual(host.stop(), 0, host.error_text())
        self.assertNotIn("is ready", host.error_text())  # it may have accepted them, which takes no time

    def test_an_answer_without_a_newline_is_read_when_the_server_ends(self):
        host = self.serve(upstream("u", "unended"))
        self.listed(host, "mcp__u__act")
        for _ in range(3):
            self.assertEqual(text_of(host.call("mcp__u__act")), "the last words")

    def test_each_fault_is_bounded_and_its_neighbours_serve(self):
        faults = [upstream("good"), upstream("garbage", "garbage"), upstream("flood", "flood"), upstream("ids", "wrong-ids"),
                  upstream("half", "half"), upstream("dies", "dies"), upstream("endless", "endless"),
                  upstream("many", "tools=1500"), upstream("long", "long"), upstream("mute", "mute")]
        limits = "[limits]\nupstream_message_bytes = 1048576\nupstream_messages_per_s = 200\n"
        host = self.serve(limits, *faults, base=BYPASS + "start_timeout_s = 10\nprobe_timeout_s = 0.2\n")
        names = ("good", "garbage", "flood", "ids", "half", "dies", "endless", "many", "long")
        self.listed(host, *(f"mcp__{name}__echo" for name in names))
        for name in ("good", "garbage", "flood", "ids", "endless", "many"):
            self.assertEqual(text_of(host.call(f"mcp__{name}__echo", {"text": name})), name)
        self.assertIn("status 3", text_of(host.call("mcp__dies__act")))
        self.assertIn("may have carried out", text_of(host.call("mcp__half__act")))
        self.assertIn("upstream_message_bytes", text_of(host.call("mcp__long__echo")))
        self.assertIn("upstream_tools", self.status("many")["cut"])
        self.assertIn("upstream_pages", self.status("endless")["cut"])
        self.assertEqual(len([t for t in self.tools_of("many")]), 1000)
        wait_until("the mute one is given up", lambda: "did not answer" in self.status("mute")["last_error"], timeout_s=60)
        self.assertEqual(text_of(host.call("mcp__good__echo", {"text": "still"})), "still")
        page = host.fetch("GET", "/metrics")[2]
        self.assertIn('toolpost_upstream_dropped_total{upstream="ids",reason="unexpected"}', page)
        self.assertIn('toolpost_upstream_up{upstream="good"} 1', page)

    def test_good_calls_beside_hostile_upstreams_are_not_lost(self):
        hostile = {"line": "line=24", "many": "tools=10000", "flood": "flood", "ids": "wrong-ids", "half": "half", "dies": "dies",
                   "stubborn": "stubborn", "mute": "mute"}
        host = self.serve(upstream("good", more="lazy = false"), *(upstream(*one) for one in hostile.items()),
                          base=BYPASS + "start_timeout_s = 20\nprobe_timeout_s = 0.2\n")
        ready = {"good", *hostile} - {"mute"}
        wait_until("they are ready", lambda: ready == {one["name"] for one in json.loads(self.cli("list", "--json").stdout)
                                                       if one["state"] == "ready"})
        ended = threading.Event()

        def ask():
            answers, connection = [], host.connect()
            while not ended.is_set():
                answers.append(text_of(host.call("mcp__good__echo", {"text": f"{len(answers)}"}, connection=connection)))
            connection.close()
            return answers

        def bytes_of_host():
            return int(re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{host.child.pid}/status").read_text())[1]) << 10
        before = bytes_of_host()
        pool = concurrent.futures.ThreadPoolExecutor()
        asked = pool.submit(ask)
        try:
            self.assertIn("upstream_message_bytes", text_of(host.call("mcp__line__echo")))
            for _ in range(2):
                self.assertIn("status 3", text_of(host.call("mcp__dies__act")))
                self.assertIn("may have carried out", text_of(host.call("mcp__half__act")))
                for name in ("many", "flood", "ids", "stubborn"):
                    self.assertEqual(text_of(host.call(f"mcp__{name}__echo", {"text": name})), name)
        finally:
            ended.set()
            pool.shutdown()
        answers = asked.result()  # raises if a call was lost
        self.assertEqual(answers, [f"{i}" for i in range(len(answers))])
        self.assertGreater(len(answers), 20)
        self.assertLess(bytes_of_host() - before, 256 << 20)  # a line has at most limits.upstream_message_bytes

    def tools_of(self, name):
        return self.status(name)["tools"]


class Commands(Upstreams):
    """They start the upstream whose tool they need, and no other one."""

    def configure(self, *sections):
        self.place = self.workspace("hello")
        self.place.write_config(self.place.config.read_text() + BYPASS + "".join(sections))

    def run_verb(self, *verb):
        return run_toolpost(self.place, *verb, "--config", self.place.config)

    def marked(self, name):
        """An upstream that says in a file that it was started, and never answers."""
        mark = self.place.root / f"started-{name}"
        return (f'[[upstream]]\nname = "{name}"\ncommand = "sh"\nargs = ["-c", "touch {mark}; exec sleep 600"]\n', mark)

    def test_those_that_need_no_upstream_start_none(self):
        self.configure()
        section, mark = self.marked("mute")
        self.place.write_config(self.place.config.read_text() + section)
        for verb in (["config", "check"], ["tools"], ["tools", "--json"], ["plugins"], ["skills"], ["doctor"],
                     ["call", "greet", "name=Ada"], ["explain", "greet", "name=Ada"]):
            with self.subTest(verb):
                done = self.run_verb(*verb)
                self.assertEqual(done.returncode, 0, done)
                self.assertFalse(mark.exists())
                if verb[0] == "tools":
                    self.assertIn("greet", done.stdout)
                    self.assertIn("never connected to, so their tools are not listed: mute.", done.stderr)

    def test_a_call_starts_the_upstream_that_it_names(self):
        self.configure()
        section, mark = self.marked("mute")
        self.place.write_config(self.place.config.read_text() + section + upstream("good"))
        for _ in range(2):  # unknown, and then known
            done = self.run_verb("call", "mcp__good__echo", "text=hi")
            self.assertEqual((done.returncode, done.stdout), (0, "hi\n"), done)
        self.assertIn("mcp__good__act", self.run_verb("tools").stdout)
        self.assertIn("allow by mode", self.run_verb("explain", "mcp__good__act").stdout)
        self.assertFalse(mark.exists())
        self.place.write_config(self.place.config.read_text().replace("stop_timeout_s", "start_timeout_s = 1\nstop_timeout_s"))
        done = self.run_verb("call", "mcp__mute__echo")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn('upstream "mute"', done.stderr)
        self.assertTrue(mark.exists())

    def test_an_approval_of_an_upstreams_call_tells_of_no_changed_plugin(self):
        self.place = self.workspace()
        self.place.write_config(self.place.config.read_text() + "[approval]\nwait_s = 0\n" + upstream("two"))
        host = self.http_host(self.place)
        self.listed(host, "mcp__two__act")
        host.call("mcp__two__act")
        (asked,) = json.loads(self.run_verb("approvals", "--json").stdout)
        done = self.run_verb("approvals", "approve", asked["id"])
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn("warning", done.stdout)
        self.assertEqual(text_of(host.call("mcp__two__act")), "act")

    def test_misspelt_tools_of_upstreams_are_reported(self):
        def rule(tool, behavior="deny"):
            return f'[[rule]]\ntool = "{tool}"\nbehavior = "{behavior}"\n'
        self.configure(upstream("files"))
        base = self.place.config.read_text()
        self.run_verb("call", "mcp__files__echo", "text=hi")  # from now on its tools are known
        for text, code, words in (
                (rule("mcp__fles__act"), 3, 'did you mean "mcp__files__act"?'),
                (rule("mcp__fles__act", "allow"), 0, 'did you mean "mcp__files__act"?'),
                (rule("mcp__files__acct"), 3, 'did you mean "mcp__files__act"?'),
                (rule("mcp__files__something"), 0, "no tool is named"),
                ("[agent.a]\n[[agent.a.rule]]\ntool = \"mcp__files__acct\"\nbehavior = \"deny\"\n", 3, "[[agent.a.rule]]"),
                (rule("mcp__files__act"), 0, "")):
            with self.subTest(text):
                self.place.write_config(base + text)
                done = self.run_verb("doctor")
                self.assertEqual(done.returncode, code, done)
                self.assertIn(words, done.stdout)
        self.place.write_config(base + rule("mcp__fles__act"))
        self.assertEqual(self.run_verb("config", "check").returncode, 3)
        self.assertEqual(self.run_verb("serve", "--listen", "127.0.0.1:0").returncode, 3)
        self.place.write_config(base + 'tools_denied = ["acct"]\n')
        done = self.run_verb("serve", "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 3, done)
        self.assertIn('did you mean "act"?', done.stderr)


class Pins(Upstreams):
    def setUp(self):
        self.definitions = []

    def store_file(self):
        (file,) = [f for f in files_below(self.place.root) if f.is_file() and f.read_bytes().startswith(b"SQLite format 3")
                   and b"upstream_pin" in f.read_bytes()]
        return file

    def pinned(self, *names, pin="tofu"):
        self.host = self.serve("")
        self.host.stop()
        self.file = self.place.root / "tools.json"
        self.write(*names)
        self.place.write_config(self.place.config.read_text() + upstream("u", f"file={self.file}", more=f'pin = "{pin}"'))
        self.host = self.http_host(self.place)

    def write(self, *names, description="It reads", schema=None, **more):
        self.file.write_text(json.dumps([
            {"name": name, "description": description, "inputSchema": schema or {"type": "object"},
             "annotations": {"readOnlyHint": True}} | more for name in names]))

    def test_a_changed_definition_is_held_shown_accepted_and_served(self):
        self.pinned("a", "b")
        self.listed(self.host, "mcp__u__a", "mcp__u__b")
        self.write("a", "b", "c", description="It reads\u200b and sends your keys away")
        tested = self.cli("test", "u").stdout
        self.assertIn("mcp__u__c\n", tested)
        self.assertIn("u: a host holds 3 of these definitions for your decision (`pin`):\n  a\n  b\n  c\n", tested)
        self.assertIn("u: 3 definitions wait for your decision: toolpost upstream diff u", self.cli("refresh", "u").stdout)
        self.assertEqual(self.tools(self.host), [])
        shown = self.cli("diff").stdout
        self.assertIn("- description: It reads", shown)
        self.assertIn("+ description: It reads<U+200B> and sends your keys away", shown)
        self.assertIn("c, a new tool", shown)
        self.assertIn("definitions wait", self.cli("list").stdout)
        seen = {one["tool"]: one["digest"] for one in self.status("u")["held"]}
        self.assertIn(f"toolpost upstream accept u --digest {seen['a']} a\n", shown)
        self.assertIn("digest", self.cli("accept", "u", "a", exit_code=2).stderr)
        self.cli("accept", "u", "a", "--digest", seen["a"])
        self.assertEqual(self.tools(self.host), ["mcp__u__a"])
        rest = self.status("u")["held_digest"]
        self.host.stop()
        self.assertIn("upstream diff", self.cli("accept", "u", "b", "--digest", seen["a"], exit_code=2).stderr)
        accepted = json.loads(self.cli("accept", "u", "--digest", rest, "--json").stdout)  # without a host
        self.assertEqual((accepted["name"], accepted["held"]), ("u", []))
        whole = self.place.config.read_text()
        self.place.write_config(whole + upstream("other"))
        self.assertEqual([one["name"] for one in json.loads(self.cli("diff", "u", "--json").stdout)], ["u"])
        self.place.write_config(whole)
        self.host = self.http_host(self.place)
        self.assertEqual(self.tools(self.host), ["mcp__u__a", "mcp__u__b", "mcp__u__c"])
        self.assertIn("No definition waits", self.cli("diff").stdout)
        self.assertEqual([(l["action"], l["upstream"], l.get("digest"), l["outcome"]) for l in self.place.audit_lines("upstream")][-2:],
                         [("upstream-accept", "u/a", seen["a"], "done"), ("upstream-accept", "u", rest, "done")])
        self.assertIn("waits", self.cli("accept", "u", "--digest", rest, exit_code=4).stderr)

    def test_a_host_on_stdio_shows_and_serves_what_is_accepted_without_a_restart(self):
        self.pinned("a")
        self.listed(self.host, "mcp__u__a")
        self.host.stop()
        host = self.stdio_host(self.place)
        host.initialize()
        wait_until("it is known", lambda: f"stdio:{host.child.pid}" in self.cli("list").stderr)
        self.write("a", description="It reads and sends your keys away")
        self.cli("refresh", "u")
        names = lambda: [tool["name"] for tool in host.request("tools/list")["result"]["tools"]]
        self.assertNotIn("mcp__u__a", names())
        self.cli("accept", "u", "a", "--digest", self.status("u")["held"][0]["digest"])
        self.assertIn("mcp__u__a", names())
        self.assertEqual(self.audited_accepts(), ["done"])

    def test_a_host_with_another_configuration_takes_no_order_away(self):
        """The hosts of two clients share the store of their user."""
        self.pinned("a")
        self.host.stop()
        other = self.workspace(config=f'[permission]\nmode = "bypass"\n[store]\nfile = "{store_of(self.place)}"')
        with_none, with_u = self.stdio_host(other), self.stdio_host(self.place)
        for host in (with_none, with_u):
            host.initialize()
            wait_until("it is known", lambda: f"stdio:{host.child.pid}" in self.known_hosts())
        self.assertEqual(self.status("u")["name"], "u")
        self.assertIn(f"u is started again by the host at stdio:{with_u.child.pid}\n", self.cli("restart", "u").stdout)
        self.assertNotIn("no upstream is named", self.cli("login", "u", exit_code=1).stderr.splitlines()[-1])
        with_u.stop()
        self.assertIn("no upstream is named", self.cli("restart", "u", exit_code=4).stderr)

    def known_hosts(self):
        return run_toolpost(self.place, "config", "reload", "--config", self.place.config).stdout

    def audited_accepts(self):
        return [line["outcome"] for line in self.place.audit_lines("upstream") if line["action"] == "upstream-accept"]

    def test_the_meta_of_a_definition_is_held_shown_and_passed_to_clients(self):
        self.pinned("a")
        self.listed(self.host, "mcp__u__a")
        self.write("a", _meta={"io.toolpost/class": "private", "io.modelcontextprotocol/x": 1})
        self.cli("refresh", "u")
        self.assertEqual(self.tools(self.host), ["mcp__u__a"])
        meta = {"ui/resourceUri": "ui://a\u202e/b", "ui": {"visibility": ["app"]}}
        self.write("a", _meta=meta | {"io.toolpost/class": "private"})
        self.cli("refresh", "u")
        self.assertEqual(self.tools(self.host), [])
        shown = self.cli("diff").stdout
        self.assertIn('+ _meta["ui/resourceUri"]: ui://a<U+202E>/b', shown)
        self.assertIn("+ _meta.ui.visibility[0]: app", shown)
        self.cli("accept", "u", "a", "--digest", self.status("u")["held"][0]["digest"])
        served = {tool["name"]: tool for tool in self.host.request("tools/list")["result"]["tools"]}
        self.assertEqual(served["mcp__u__a"]["_meta"], {"io.toolpost/class": "upstream"} | meta)
        self.write("a", _meta={"long": "x" * 70_000})
        self.cli("refresh", "u")
        self.assertIn("u: a is not served: the `_meta` of", self.cli("list").stdout)

    def test_doctor_and_the_audit_name_what_waits_and_what_was_done(self):
        self.pinned("a", "b")
        self.listed(self.host, "mcp__u__a", "mcp__u__b")
        doctor = lambda: run_toolpost(self.place, "doctor", "--config", self.place.config).stdout
        self.assertRegex(doctor(), "ok +upstream u: 2 tools")
        self.write("a", "b", description="It reads and sends your keys away")
        self.cli("refresh", "u")
        waits = "warning +upstream u: 2 of 2 definitions wait for your decision: toolpost upstream diff u"
        self.assertRegex(doctor(), waits)
        call = run_toolpost(self.place, "call", "mcp__u__a", "--config", self.place.config)
        self.assertEqual(call.returncode, 4, call)
        self.assertIn("waits for your decision. Look with `toolpost upstream diff u`", call.stderr)
        self.assertIn('unknown tool \\"mcp__u__a\\": tools/list', json.dumps(self.host.call("mcp__u__a")))
        seen = {one["tool"]: one["digest"] for one in self.status("u")["held"]}
        # The digest of one definition is not that of both, and the answer says which one it is.
        self.assertIn('the digest is that of "b" alone, and 2 changes wait: add "b" to the command',
                      self.cli("accept", "u", "--digest", seen["b"], exit_code=1).stderr)
        self.assertEqual(self.tools(self.host), [])
        self.cli("accept", "u", "a", "--digest", seen["a"])
        table = run_toolpost(self.place, "audit", "--event", "upstream", "--config", self.place.config).stdout
        self.assertRegex(table, "upstream-refresh of u +.*done")
        self.assertRegex(table, "upstream-accept of u +.*failed: the digest is that of")
        self.assertRegex(table, f"upstream-accept of u/a digest {seen['a'][:19]} +.*done")
        self.host.stop()
        self.assertRegex(doctor(), waits.replace("2 of 2 definitions wait", "1 of 2 definitions waits"))
        self.cli("accept", "u", "--digest", seen["b"])  # only this one waits
        self.assertRegex(doctor(), "ok +upstream u: 2 tools")

    def test_an_order_to_accept_is_later_than_the_decisions_before_it_although_the_clock_was_set_back(self):
        self.pinned("a", pin="review")
        def accept(description):
            self.write("a", description=description)
            self.cli("refresh", "u")
            self.cli("accept", "u", "a", "--digest", self.status("u")["held"][0]["digest"])
            self.listed(self.host, "mcp__u__a")
        accept("It reads")
        self.host.stop()
        store = sqlite3.connect(self.store_file())
        store.execute("UPDATE upstream_pin SET changed = changed + 3600000")
        store.commit()
        store.close()
        self.host = self.http_host(self.place)
        accept("It reads faster")

    def test_a_definition_that_changed_again_since_the_diff_is_not_accepted(self):
        self.pinned("a")
        self.listed(self.host, "mcp__u__a")
        self.write("a", description="It reads faster")
        self.cli("refresh", "u")
        seen = self.status("u")["held"][0]["digest"]
        self.write("a", description="It sends your keys away")
        self.cli("refresh", "u")
        for what in (("u", "a"), ("u",)):
            self.assertIn("upstream diff u", self.cli("accept", *what, "--digest", seen, exit_code=1).stderr)
        self.assertEqual(self.tools(self.host), [])

    def test_a_definition_that_changed_while_nothing_ran_is_noticed_by_the_first_call(self):
        self.pinned("a")
        self.listed(self.host, "mcp__u__a")
        self.host.stop()
        self.write("a", description="It does something else")
        self.host = self.http_host(self.place)
        self.assertEqual(self.tools(self.host), ["mcp__u__a"])  # as it was accepted; nothing is started yet
        self.assertIn("changed", text_of(self.host.call("mcp__u__a")))
        self.assertEqual(self.tools(self.host), [])

    def test_accepted_definitions_that_cannot_be_read_are_not_replaced(self):
        self.pinned("a")
        self.listed(self.host, "mcp__u__a")
        self.host.stop()
        file = self.store_file()

        def rename(before, after):
            store = sqlite3.connect(file)
            store.execute(f"ALTER TABLE upstream_pin RENAME COLUMN {before} TO {after}")
            store.commit()
            store.close()

        rename("accepted", "away")
        self.write("a", description="It sends your keys away")
        self.host = self.http_host(self.place)
        self.assertIn("could not be read", self.status("u")["last_error"])
        self.assertIn("accepted", run_toolpost(
            self.place, "upstream", "restart", "u", "--config", self.place.config, timeout_s=120).stderr)
        self.assertEqual((self.tools(self.host), self.status("u")["starts"]), ([], 0))
        rename("away", "accepted")
        wait_until("it was read", lambda: self.status("u")["tools"])  # by itself
        self.cli("refresh", "u")
        self.assertEqual(self.tools(self.host), [])
        self.assertIn("It sends your keys away", self.cli("diff").stdout)

    def test_a_definition_that_is_too_long_to_show_is_accepted_after_a_look_at_all_of_it(self):
        self.pinned("a")
        self.listed(self.host, "mcp__u__a")
        self.write("a", schema={"type": "object", "properties": {
            **{f"p{i}": {"type": "string"} for i in range(500)}, "z": {"description": "your keys"}}})
        self.cli("refresh", "u")
        self.assertEqual(self.status("u")["held"][0]["digest"], "")
        self.assertIn("diff u --whole", self.cli("diff").stdout)
        whole = self.cli("diff", "u", "--whole").stdout
        self.assertIn("your keys", whole)
        self.assertNotIn("your keys", self.cli("diff").stdout)
        (digest,) = re.findall(r"accept u --digest (\S+) a\n", whole)
        self.cli("accept", "u", "a", "--digest", digest)
        self.assertEqual(self.tools(self.host), ["mcp__u__a"])

    def test_no_tool_of_a_first_list_is_served_while_the_store_cannot_be_written(self):
        self.pinned("a")
        self.listed(self.host, "mcp__u__a")  # so the store is there
        key = json.loads(run_toolpost(self.place, "key", "new", "root", "--scope", "admin", "--json", "--config",
                                      self.place.config).stdout)["key"]
        fetch = lambda: self.host.fetch("GET", "/v1/upstreams", key=key)
        wait_until("the key is known", lambda: fetch()[0] == 200)
        tools = lambda: [one["tools"] for one in fetch()[2]["upstreams"]]
        limits = resource.prlimit(self.host.child.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.host.child.pid, resource.RLIMIT_FSIZE, (4096, limits[1]))
        self.place.write_config(self.place.config.read_text() + upstream("new", f"file={self.file}"))
        state = lambda: {one["name"]: one for one in fetch()[2]["upstreams"]}.get("new", {})
        wait_until("it says why", lambda: "could not be stored" in state().get("last_error", ""))
        self.assertEqual(tools(), [["mcp__u__a"], []])
        resource.prlimit(self.host.child.pid, resource.RLIMIT_FSIZE, limits)
        wait_until("it is served", lambda: tools() == [["mcp__u__a"], ["mcp__new__a"]])
        self.assertEqual(state()["last_error"], "")
        self.host.child.kill()
        self.host.wait()
        self.write("a", description="It reads your keys")  # the host knows what it has accepted
        self.host = self.http_host(self.place)
        self.cli("refresh", "new")
        self.assertEqual([one["tool"] for one in self.status("new")["held"]], ["a"])

    def test_two_hosts_that_start_on_a_new_store_hold_nothing_of_one_list_and_lose_no_pin(self):
        self.pinned("a", "b")  # it has stopped one host, and this is the second with this store
        others = [self.http_host(self.place) for _ in range(2)]
        for host in (self.host, *others):
            self.listed(host, "mcp__u__a", "mcp__u__b")
        self.assertEqual(self.status("u")["held"], [])
        self.write("a", "b", description="It is for all")
        self.cli("refresh", "u")
        self.cli("accept", "u", "--digest", self.status("u")["held_digest"])
        for host in (self.host, *others):
            self.listed(host, "mcp__u__a", "mcp__u__b")
            host.stop()
        self.host = self.http_host(self.place)
        self.listed(self.host, "mcp__u__a", "mcp__u__b")
        self.assertEqual(self.status("u")["held"], [])

    def test_rest_shows_and_accepts_what_waits(self):
        self.pinned("a", pin="review")
        self.assertIn("a host holds 1 of these definitions", self.cli("test", "u").stdout)
        wait_until("it was read", lambda: self.status("u")["held"])
        key = json.loads(run_toolpost(self.place, "key", "new", "root", "--scope", "admin", "--json", "--config",
                                      self.place.config).stdout)["key"]
        fetch = lambda method, path, body=None: self.host.fetch(method, path, body, key=key)
        wait_until("the key is known", lambda: fetch("GET", "/v1/upstreams")[0] == 200)
        one = fetch("GET", "/v1/upstreams")[2]["upstreams"][0]
        self.assertEqual((one["name"], one["state"], one["held"][0]["tool"]), ("u", "ready", "a"))
        self.assertEqual(self.host.fetch("GET", "/v1/upstreams")[0], 401)
        accept = lambda body=None, name="u": fetch("POST", f"/v1/upstreams/{name}/accept", body)[0]
        self.assertEqual([accept({"tool": "a", "digest": "sha256:0"}), accept({"tool": "b", "digest": "x"}), accept({"digest": "x"}),
                          accept({"tool": "a"}), accept({"digest": "x", "what": 1}), accept({"digest": "x"}, name="v")],
                         [409, 404, 409, 422, 422, 404])
        other = self.http_host(self.place)
        held_there = lambda: other.fetch("GET", "/v1/upstreams", key=key)[2]["upstreams"][0]["held"]
        wait_until("the other host of the store holds it too", held_there)
        self.assertEqual(accept({"tool": "a", "digest": one["held"][0]["digest"]}), 200)
        wait_until("the other host has accepted it", lambda: held_there() == [])
        other.stop()
        self.assertEqual(self.status("u")["tools"], ["mcp__u__a"])
        self.assertEqual(fetch("POST", "/v1/upstreams/u/restart")[0], 200)
        self.assertEqual(self.status("u")["starts"], 2)

    def test_what_waits_at_one_of_two_hosts_is_shown_and_accepted_at_both(self):
        self.pinned("a", "b")
        key = json.loads(run_toolpost(self.place, "key", "new", "root", "--scope", "admin", "--json", "--config",
                                      self.place.config).stdout)["key"]
        other = self.http_host(self.place)
        for host in (self.host, other):
            self.listed(host, "mcp__u__a", "mcp__u__b")
        def fetch(host, method, path, body=None):
            return host.fetch(method, path, body, key=key)
        def held(host):
            return {one["tool"]: one["digest"] for one in fetch(host, "GET", "/v1/upstreams")[2]["upstreams"][0]["held"]}
        wait_until("the key is known", lambda: all(fetch(host, "GET", "/v1/upstreams")[0] == 200 for host in (self.host, other)))
        self.write("a", "b", description="It is for all")
        self.assertEqual(fetch(other, "POST", "/v1/upstreams/u/refresh")[0], 200)
        self.assertEqual(sorted(held(other)), ["a", "b"])
        wait_until("the store knows what waits", lambda: sorted(held(self.host)) == ["a", "b"])
        self.assertEqual(self.tools(self.host), ["mcp__u__a", "mcp__u__b"])  # it has not read the change
        shown = self.cli("diff").stdout
        self.assertIn("u: a, changed", shown)
        self.assertIn("To accept all of u", shown)
        digest = held(self.host)["a"]
        accept = lambda body: fetch(self.host, "POST", "/v1/upstreams/u/accept", body)[0]
        self.assertEqual([accept({"tool": "a", "digest": "sha256:0"}), accept({"tool": "a", "digest": digest})], [409, 200])
        wait_until("the other host has accepted it", lambda: sorted(held(other)) == ["b"])
        self.assertEqual(sorted(held(self.host)), ["b"])
        self.cli("accept", "u", "--digest", held(self.host)["b"])
        wait_until("the other host serves it", lambda: held(other) == {})
        self.assertEqual(held(self.host), {})
        self.assertEqual(self.tools(other), ["mcp__u__a", "mcp__u__b"])
        # Nobody is asked a second time when the first host reads the change.
        self.assertEqual(fetch(self.host, "POST", "/v1/upstreams/u/refresh")[0], 200)
        self.assertEqual(held(self.host), {})
        self.assertEqual(self.tools(self.host), ["mcp__u__a", "mcp__u__b"])
        self.assertIn("No definition waits", self.cli("diff").stdout)
        other.stop()

    def test_different_definitions_at_two_hosts_are_shown_and_accepted_at_both(self):
        self.pinned("a")
        key = json.loads(run_toolpost(self.place, "key", "new", "root", "--scope", "admin", "--json", "--config",
                                      self.place.config).stdout)["key"]
        self.listed(self.host, "mcp__u__a")
        other = self.http_host(self.place)
        self.listed(other, "mcp__u__a")
        hosts = (self.host, other)
        post = lambda host, action, body=None: host.fetch("POST", f"/v1/upstreams/u/{action}", body, key=key)[0]
        report = lambda host: host.fetch("GET", "/v1/upstreams", key=key)[2]["upstreams"][0]
        held = lambda host: {one["diff"][-1]: one["digest"] for one in report(host)["held"]}
        wait_until("the key is known", lambda: all(host.fetch("GET", "/v1/upstreams", key=key)[0] == 200 for host in hosts))
        for host in hosts:
            self.assertEqual(post(host, "refresh"), 200)  # both have a process of the upstream now
        for host, description in zip(hosts, ("It writes", "It deletes")):
            self.write("a", description=description)
            self.assertEqual(post(host, "refresh"), 200)
        both = ["+ description: It deletes", "+ description: It writes"]
        for host in hosts:
            wait_until("both are shown", lambda: sorted(held(host)) == both)
            self.assertEqual(report(host)["held_digest"], "")
        digests = held(self.host)
        self.assertEqual(held(other), digests)
        self.assertEqual(post(self.host, "accept", {"tool": "a", "digest": digests[both[0]]}), 200)
        wait_until("the other host serves its definition", lambda: self.tools(other) == ["mcp__u__a"])
        self.assertEqual(self.tools(self.host), [])
        wait_until("the definition of the first host waits at both", lambda: [
            [one["digest"] for one in report(host)["held"]] for host in hosts] == [[digests[both[1]]]] * 2)
        other.stop()

    def test_review_holds_the_first_too(self):
        self.pinned("a", pin="review")
        wait_until("it was read", lambda: self.status("u")["held"])
        self.assertEqual(self.tools(self.host), [])
        self.cli("accept", "u", "--digest", self.status("u")["held_digest"])
        self.assertEqual(self.tools(self.host), ["mcp__u__a"])


class CommandLine(Upstreams):
    def test_test_says_what_is_wrong_in_one_sentence(self):
        good = shutil.which("true")
        self.place = self.workspace(config="".join([
            upstream("fine", "garbage", "tools=2"),
            '[[upstream]]\nname = "absent"\ncommand = "/no/such/server"\n',
            f'[[upstream]]\nname = "brief"\ncommand = "{good}"\n',
            '[[upstream]]\nname = "secret"\ncommand = "true"\nenv.KEY = { env = "NOT_SET_ANYWHERE" }\n']))
        self.assertIn("mcp__fine__more_1", self.cli("test", "fine").stdout)
        self.assertIn('the command "/no/such/server" cannot be run: No such file or directory',
                      self.cli("test", "absent", exit_code=1).stderr)
        self.assertIn("its process exited with status 0", self.cli("test", "brief", exit_code=1).stderr)
        self.assertIn("env.KEY: the host's environment has no NOT_SET_ANYWHERE", self.cli("test", "secret", exit_code=1).stderr)
        self.assertIn("fine", self.cli("test", "fin", exit_code=4).stderr)
        self.assertIn("no host runs", self.cli("list").stderr)
        self.assertEqual(processes_of(self.place), {})

    def test_import_prints_sections_that_load(self):
        self.place = self.workspace()
        file = self.place.root / ".mcp.json"
        file.write_text(json.dumps({"mcpServers": {
            "my files!": {"command": "npx", "args": ["-y", "x", "-y"], "env": {"A": "${A_TOKEN}", "B": "b", "C": "${input:api-key}"}},
            "web": {"url": "https://x.example/mcp", "headers": {"Authorization": "Bearer ${WEB_TOKEN}"}}, "off": {"command": "x", "disabled": True}}}))
        done = run_toolpost(self.place, "upstream", "import", file)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn('name = "my-files-"', done.stdout)
        self.assertIn('{ A = { env = "A_TOKEN" }, B = "b", C = { env = "API_KEY" } }', done.stdout.replace('"A" =', "A =")
                      .replace('"B" =', "B =").replace('"C" =', "C =").replace('"env" =', "env ="))
        self.assertIn('url = "https://x.example/mcp"', done.stdout)
        self.assertIn('"WEB_TOKEN", prefix = "Bearer "', done.stdout.replace('"prefix" =', "prefix ="))
        self.place.write_config(self.place.config.read_text() + done.stdout)
        self.assertIn("my-files-", self.cli("list").stdout)
        self.assertEqual(run_toolpost(self.place, "upstream", "import", self.place.config).returncode, 2)
        file.write_text(json.dumps({"mcpServers": {"web": {"url": "https://y.example/mcp"}, "new": {"url": "https://z.example/mcp"}}}))
        done = self.cli("import", file, "--write")
        self.assertIn('"web" was left out: a second upstream "web"', done.stderr)
        self.assertIn("https://x.example/mcp", self.place.config.read_text())
        self.assertNotIn("https://y.example/mcp", self.place.config.read_text())
        self.assertIn("https://z.example/mcp", self.place.config.read_text())
        before = self.place.config.read_text()
        self.assertIn("no server to import", self.cli("import", file, "--write", exit_code=2).stderr)
        self.assertEqual(self.place.config.read_text(), before)
        self.assertIn("/dev/zero: is not a regular file", run_toolpost(self.place, "upstream", "import", "/dev/zero").stderr)

    def test_a_one_shot_call_reaches_an_upstream_that_it_never_saw(self):
        self.place = self.workspace(config=BYPASS + upstream("u"))
        done = run_toolpost(self.place, "call", "--config", self.place.config, "mcp__u__echo", "text=hi", timeout_s=120)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "hi"), done)
        self.assertEqual(processes_of(self.place), {})


class Everything(Upstreams):
    """The official test server gives the same results through the host as without it, to each official client."""

    SERVER = NPM / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    NODE = NPM / "node_modules/.bin/node"
    RUNS = [("v1", "legacy", False), ("v1", "legacy", True), ("v2", "legacy", False), ("v2", "legacy", True), ("v2", "modern", True)]

    def use(self, run):
        """{feature: what came of it}, see clients/everything.mjs."""
        sdk, era, is_through = run
        place, command = self.workspace(), [self.NODE, self.SERVER, "stdio"]
        if is_through:
            place = self.workspace(config=BYPASS + f'[[upstream]]\nname = "every"\ncommand = "{self.NODE}"\n'
                                   f'args = ["{self.SERVER}", "stdio"]\nlazy = false\n')
            command = [TOOLPOST, "serve", "--stdio", "--config", place.config]
        options = {"sdk": sdk, "era": era, "command": [str(word) for word in command], "npm": str(NPM),
                   "prefix": "mcp__every__" if is_through else ""}
        done = subprocess.run([self.NODE, SOURCE / "tests/integration/clients/everything.mjs", json.dumps(options)], text=True,
                              capture_output=True, timeout=200, check=False, stdin=subprocess.DEVNULL, env=environment(place.root))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_same_as_without_the_host(self):
        self.assertTrue(self.SERVER.exists(), "no server-everything here: run scripts/bootstrap --tests")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            seen = dict(zip(self.RUNS, pool.map(self.use, self.RUNS)))
        for sdk, era, is_through in self.RUNS:
            if not is_through:
                continue
            direct, through = dict(seen[sdk, "legacy", False]), seen[sdk, era, True]
            direct["a task that asks"] = seen["v1", "legacy", False]["a task that asks"]
            if era == "modern":
                del direct["an update"]  # its subscriptions are a stream of their own, see test_upstream_offers.py
            for feature in sorted(direct | through):
                with self.subTest(f"{sdk} {era}: {feature}"):
                    self.assertEqual(through.get(feature), direct.get(feature))
            refused = {feature for feature, came in direct.items() if "fails" in came}
            self.assertEqual(refused, {"cancel", "read demo://resource/dynamic/text/none", "prompt args-prompt {}"})
            self.assertGreaterEqual(len(direct), 55)


if __name__ == "__main__":
    unittest.main()
