"""How a host ends by a signal: calls that run are answered, by their result or by words that say why they ended; each
has its line in the audit; nothing outlives the host; a terminal that is gone is such a signal, and no other SIGHUP."""
import concurrent.futures
import http.client
import json
import os
import pty
import signal
import socket
import unittest

from harness import (PATIENCE_S, TOOLPOST, HttpHost, TestCase, last_message, message, plugin_file, processes_of,
                     run_toolpost, text_of, wait_until)

LONG = {"ms": 600_000}  # longer than any test may take
SHORT = {"ms": 1}
CONFIG = """[permission]
mode = "bypass"
[call]
timeout_s = 900
grace_s = 0.5
[server]
stop_timeout_s = {timeout}
[plugin.zoo]
isolation = "{isolation}"
"""
ENDED = 'This host is stopping and ended this call of "{tool}"'


class Drain(TestCase):
    def place(self, timeout, isolation="worker"):
        place = self.workspace(config=CONFIG.format(timeout=timeout, isolation=isolation))
        place.drop("zoo", plugin_file("zoo/zoo_one"))
        return place

    def boss(self, place):
        done = run_toolpost(place, "key", "new", "boss", "--scope", "admin", "--scope", "approve", "--json",
                            "--config", place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)["key"]

    def signalled(self, host, *signals):
        for number in signals:
            host.child.send_signal(number)

    def outcomes(self, place):
        return [line["outcome"] for line in place.audit_lines()]

    def assert_gone(self, place, host):
        self.assertEqual(host.wait(), 0, host.error_text())
        wait_until("nothing outlives it", lambda: not processes_of(place))

    def http(self, timeout, isolation="worker"):
        place = self.place(timeout, isolation)
        key = self.boss(place)
        host = self.http_host(place)
        pool = concurrent.futures.ThreadPoolExecutor(4)
        self.addCleanup(pool.shutdown)

        def running(tool):
            calls = host.fetch("GET", "/v1/calls", key=key)[2]["calls"]
            return any(one["tool"] == tool and one["state"] == "running" for one in calls)

        def begin(tool, arguments, era="bare", **more):
            call = pool.submit(host.call, tool, arguments, era, **more)
            wait_until(f"{tool} runs", lambda: call.done() or running(tool))
            return call
        return place, host, begin


class OverHttp(Drain):
    def test_a_call_that_ends_in_time_has_its_result(self):
        for isolation in ("worker", "inline"):
            for era in ("bare", "modern"):
                with self.subTest(isolation=isolation, era=era):
                    place, host, begin = self.http(PATIENCE_S, isolation)
                    call = begin("until", place.gate(), era)
                    self.signalled(host, signal.SIGTERM)
                    wait_until("it stops", lambda: "stopping" in host.error_text())
                    place.open_gate()
                    self.assertEqual(text_of(call.result(PATIENCE_S)), "one")
                    self.assert_gone(place, host)
                    self.assertEqual(self.outcomes(place), ["ok"])

    def test_one_that_takes_longer_is_ended_and_told_so(self):
        for isolation, tool in (("worker", "slow"), ("worker", "stubborn"), ("inline", "slow")):
            for era in ("bare", "modern"):
                with self.subTest(isolation=isolation, tool=tool, era=era):
                    place, host, begin = self.http(0.2, isolation)
                    call = begin(tool, LONG, era)
                    self.signalled(host, signal.SIGTERM)
                    answer = call.result(PATIENCE_S)
                    self.assertTrue(answer["result"]["isError"], answer)
                    self.assertIn(ENDED.format(tool=tool), text_of(answer))
                    self.assert_gone(place, host)
                    self.assertEqual(self.outcomes(place), ["ended_by_stop"])
                    self.assertIn("calls that still ran were ended", host.error_text())

    def test_code_inside_the_host_that_does_not_end_is_left(self):
        place, host, begin = self.http(0.2, "inline")
        call = begin("stubborn", LONG)
        self.signalled(host, signal.SIGTERM)
        self.assertIn(ENDED.format(tool="stubborn"), text_of(call.result(PATIENCE_S)))
        self.assert_gone(place, host)
        self.assertEqual(self.outcomes(place), ["ended_by_stop"])
        self.assertIn("leaving without it", host.error_text())

    def test_an_answer_that_streams_goes_on(self):
        place, host, _ = self.http(PATIENCE_S)
        body, headers = message("tools/call", {"name": "until", "arguments": place.gate(),
                                               "_meta": {"progressToken": "p"}}, "modern")
        connection = host.connect()
        connection.request("POST", "/mcp", json.dumps(body), {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        self.assertIn("text/event-stream", answer.headers["Content-Type"])
        begun = answer.fp.readline()  # of the first chunk, so it runs
        self.assertTrue(begun)
        self.signalled(host, signal.SIGTERM)
        wait_until("it stops", lambda: "stopping" in host.error_text())
        place.open_gate()
        rest = answer.fp.read().decode()
        self.assertIn('"text":"one"', rest)
        self.assertTrue(rest.endswith("0\r\n\r\n"), rest)
        connection.close()
        self.assert_gone(place, host)

    def test_a_second_signal_does_not_wait(self):
        place, host, begin = self.http(3600)
        call = begin("slow", LONG)
        self.signalled(host, signal.SIGTERM)
        wait_until("it stops", lambda: "stopping" in host.error_text())
        self.assertFalse(call.done())
        self.signalled(host, signal.SIGINT)
        self.assertIn(ENDED.format(tool="slow"), text_of(call.result(PATIENCE_S)))
        self.assert_gone(place, host)
        self.assertEqual(self.outcomes(place), ["ended_by_stop"])

    def half_sent(self, host, head, body):
        """A request whose last byte is still to come."""
        connection = socket.create_connection(("127.0.0.1", host.port), timeout=PATIENCE_S)
        self.addCleanup(connection.close)
        text = f"{head}\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n" \
               f"Content-Type: application/json\r\n\r\n{body}"
        connection.sendall(text[:-1].encode())
        return connection, text[-1:].encode()

    def test_what_comes_meanwhile_is_told_so(self):
        place, host, begin = self.http(3600)
        call = begin("slow", LONG)
        body = json.dumps(message("tools/call", {"name": "slow", "arguments": SHORT}, "bare")[0])
        halves = [self.half_sent(host, "POST /mcp HTTP/1.1", body),
                  self.half_sent(host, "GET /v1/tools HTTP/1.1", "{}")]
        health = socket.create_connection(("127.0.0.1", host.port), timeout=PATIENCE_S)
        self.addCleanup(health.close)
        health.sendall(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        # The host has taken all three once it answers another connection.
        self.assertEqual(host.fetch("GET", "/healthz")[0], 200)
        self.signalled(host, signal.SIGTERM)
        wait_until("it stops", lambda: "stopping" in host.error_text())
        for connection, last in halves:
            connection.sendall(last)
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            self.assertEqual((answer.status, answer.headers["Retry-After"]), (503, "5"))
            self.assertIn("this host is stopping", answer.read().decode())
        health.sendall(b"\r\n")
        answer = http.client.HTTPResponse(health)
        answer.begin()
        self.assertEqual((answer.status, answer.read().decode().splitlines()[0]), (503, "stopping"))
        self.signalled(host, signal.SIGTERM)
        call.result(PATIENCE_S)
        self.assert_gone(place, host)
        self.assertEqual(self.outcomes(place), ["ended_by_stop"])

    def test_a_load_balancer_reads_that_it_is_stopping(self):
        place, host, begin = self.http(3600)
        call = begin("slow", LONG)
        kept = host.connect()
        self.addCleanup(kept.close)
        kept.request("GET", "/readyz")
        self.assertEqual(kept.getresponse().read(), b"ready\n")
        self.signalled(host, signal.SIGTERM)
        wait_until("it stops", lambda: "stopping" in host.error_text())
        kept.request("GET", "/readyz")
        answer = kept.getresponse()
        self.assertEqual((answer.status, answer.read(), answer.headers["Connection"]), (503, b"stopping\n", "close"))
        for path, status in (("/readyz", 503), ("/healthz", 200), ("/v1/tools", 503), ("/mcp", 503), ("/", 503)):
            for _ in range(2):
                got, headers, _ = host.fetch("GET", path)
                self.assertEqual((got, headers["Connection"]), (status, "close"), path)
        status, headers, text = host.post(message("tools/list", {}, "bare")[0])
        self.assertEqual((status, headers["retry-after"]), (503, "5"))
        self.assertIn("this host is stopping", text)
        slow = socket.create_connection(("127.0.0.1", host.port), timeout=PATIENCE_S)
        self.addCleanup(slow.close)
        slow.sendall(b"GET /readyz HTTP/1.1\r\n")  # nothing waits for the rest
        self.assertFalse(call.done())
        self.signalled(host, signal.SIGTERM)
        self.assertIn(ENDED.format(tool="slow"), text_of(call.result(PATIENCE_S)))
        self.assert_gone(place, host)
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", host.port), timeout=PATIENCE_S).close()

    def test_streams_of_events_end_at_once(self):
        place, host, begin = self.http(3600)
        call = begin("slow", LONG)
        key = self.boss(place)
        wait_until("the key is known", lambda: host.fetch("GET", "/v1/calls", key=key)[0] == 200)
        events = host.connect()
        events.request("GET", "/v1/events", headers={"Authorization": f"Bearer {key}"})
        stream = events.getresponse()
        self.assertEqual(stream.status, 200)
        self.signalled(host, signal.SIGTERM)
        stream.read()  # to its end
        events.close()
        self.assertFalse(call.done())
        self.signalled(host, signal.SIGTERM)
        call.result(PATIENCE_S)
        self.assert_gone(place, host)

    def test_a_task_is_ended_too(self):
        place = self.workspace("conformance", config=CONFIG.format(timeout=0.2, isolation="worker"))
        host = self.http_host(place)
        body, headers = message("tools/call", {"name": "slow_compute", "arguments": {"seconds": 600}}, "modern")
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {
            "extensions": {"io.modelcontextprotocol/tasks": {}}}
        made = last_message(host.post(body, headers)[2])
        self.assertEqual(made["result"]["resultType"], "task", made)
        self.signalled(host, signal.SIGTERM)
        self.assert_gone(place, host)
        self.assertEqual(self.outcomes(place), ["ended_by_stop"])

    def test_a_command_ends_with_the_host(self):
        folder = self.workspace().root
        place = self.workspace("shell", config='[permission]\nmode = "bypass"\n[server]\nstop_timeout_s = 0.2\n'
                                               '[call]\ntimeout_s = 900\ngrace_s = 0.5\n'
                                               f'[plugin.shell]\nenabled = true\nexec = true\nfs = ["rw:{folder}"]\n'
                                               f'settings = {{ roots = ["{folder}"] }}')
        host = self.http_host(place)
        pool = concurrent.futures.ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        call = pool.submit(host.call, "run_command", {"command": "sleep 1005", "timeout_s": 600})
        wait_until("it sleeps", lambda: call.done() or any("sleep 1005" in words
                                                           for words in processes_of(place).values()))
        self.assertFalse(call.done(), call.done() and call.result())
        self.signalled(host, signal.SIGTERM)
        self.assertIn(ENDED.format(tool="run_command"), text_of(call.result(PATIENCE_S)))
        self.assert_gone(place, host)
        self.assertEqual(self.outcomes(place), ["ended_by_stop"])


    def test_a_call_that_still_waits_is_told_that_it_did_not_run(self):
        place = self.workspace(config=CONFIG.format(timeout=0.2, isolation="worker"))
        place.drop("zoo", plugin_file("zoo/zoo_serial"))
        host = self.http_host(place)
        pool = concurrent.futures.ThreadPoolExecutor(2)
        self.addCleanup(pool.shutdown)
        in_flight = lambda count: f"\ntoolpost_calls_in_flight {count}\n" in host.fetch("GET", "/metrics")[2]
        first = pool.submit(host.call, "slow", LONG)
        wait_until("the first runs", lambda: in_flight(1))
        second = pool.submit(host.call, "slow", LONG)
        wait_until("the second waits", lambda: in_flight(2))
        self.signalled(host, signal.SIGTERM)
        self.assertIn(ENDED.format(tool="slow"), text_of(first.result(PATIENCE_S)))
        told = text_of(second.result(PATIENCE_S))
        self.assertIn(ENDED.format(tool="slow") + " while it still waited: it did not run and changed nothing.", told)
        self.assertNotIn("until then stands", told)
        self.assert_gone(place, host)
        self.assertEqual(self.outcomes(place), ["ended_by_stop"] * 2)

    def test_nothing_that_is_idle_is_waited_for(self):
        place = self.place(3600)
        host = self.http_host(place)
        connection = host.connect()  # which stays open
        self.addCleanup(connection.close)
        self.assertEqual(text_of(host.call("slow", {"ms": 1}, connection=connection)), "one")
        self.signalled(host, signal.SIGTERM)
        self.assert_gone(place, host)
        self.assertEqual(connection.sock.recv(1), b"")

    def test_a_plugin_that_hangs_at_its_end_is_not_waited_for_long(self):
        place = self.workspace(config="[server]\nstop_timeout_s = 3600\n[call]\ngrace_s = 600\n")
        place.write_config(place.config.read_text().replace(
            "[plugins]\n", "[plugins]\ndrain_timeout_s = 3600\nend_timeout_s = 0.2\n"))
        place.drop("zoo", plugin_file("zoo/zoo_faults_hang_in_destroy"))
        host = self.http_host(place)
        self.assertEqual(host.call("well")["result"].get("isError"), None)
        self.signalled(host, signal.SIGTERM)
        self.assert_gone(place, host)
        self.assertIn("did not end within plugins.end_timeout_s", host.error_text())


class OverStdio(Drain):
    def begun(self, timeout, arguments, isolation="worker", tool="slow"):
        """A host, with a call under way whose id is "slow"."""
        place = self.place(timeout, isolation)
        host = self.stdio_host(place)
        host.initialize()
        host.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": {
            "name": tool, "arguments": arguments or place.gate(), "_meta": {"progressToken": "p"}}})
        self.assertEqual(host.receive()["method"], "notifications/progress")
        return place, host

    def test_a_call_that_ends_in_time_has_its_result(self):
        for isolation in ("worker", "inline"):
            with self.subTest(isolation=isolation):
                place, host = self.begun(PATIENCE_S, None, isolation, "until")
                self.signalled(host, signal.SIGTERM)
                wait_until("it stops", lambda: "stopping" in host.error_text())
                place.open_gate()
                self.assertEqual(text_of(host.receive()), "one")
                self.assert_gone(place, host)
                self.assertEqual(self.outcomes(place), ["ok"])

    def test_one_that_takes_longer_is_ended_and_told_so(self):
        for isolation in ("worker", "inline"):
            for tool in ("slow", "stubborn"):
                with self.subTest(isolation=isolation, tool=tool):
                    place, host = self.begun(0.2, LONG, isolation, tool)
                    self.signalled(host, signal.SIGTERM)
                    answer = host.receive()
                    self.assertEqual(answer["id"], "slow")
                    self.assertIn(ENDED.format(tool=tool), text_of(answer))
                    self.assert_gone(place, host)
                    self.assertEqual(self.outcomes(place), ["ended_by_stop"])

    def test_what_comes_meanwhile_is_told_so_and_a_second_signal_ends_it(self):
        place, host = self.begun(3600, LONG)
        self.signalled(host, signal.SIGTERM)
        wait_until("it stops", lambda: "stopping" in host.error_text())
        for method, params in (("tools/call", {"name": "slow", "arguments": SHORT}), ("tools/list", {})):
            refused = host.request(method, params)
            self.assertEqual(refused["error"]["code"], -31001)
            self.assertIn("the host is stopping", refused["error"]["message"])
        self.signalled(host, signal.SIGTERM)
        self.assertIn(ENDED.format(tool="slow"), text_of(host.receive()))
        self.assert_gone(place, host)
        self.assertEqual(self.outcomes(place), ["ended_by_stop"])


class HangUp(Drain):
    def test_a_hang_up_without_a_terminal_ends_nothing(self):
        place = self.place(3600)
        host = self.http_host(place)
        self.signalled(host, signal.SIGHUP, signal.SIGHUP)
        wait_until("it says so", lambda: "the configuration was read again" in host.error_text())
        self.assertEqual(text_of(host.call("slow", {"ms": 1})), "one")

    def on_a_terminal(self, place):
        """A host whose controlling terminal is a new one; that terminal's other end."""
        ours, theirs = pty.openpty()
        command = [TOOLPOST, "serve", "--config", place.config, "--listen", "127.0.0.1:0"]

        class OnTerminal(HttpHost):
            def __init__(self):
                super(HttpHost, self).__init__(command, place.root, stdin=theirs, stdout=theirs,
                                               start_new_session=True, preexec_fn=take_terminal)
                self.url = wait_until("the host says where it listens", self._address)
                self.port = int(self.url.rpartition(":")[2].partition("/")[0])

        def take_terminal():
            os.close(os.open(os.ttyname(0), os.O_RDWR))  # the first one that a session leader opens is its own

        host = self._kept(OnTerminal())
        os.close(theirs)
        return host, ours

    def test_one_whose_terminal_is_gone_ends_as_by_sigterm(self):
        place = self.place(PATIENCE_S)
        host, terminal = self.on_a_terminal(place)
        # Another hang-up than that of its terminal.
        self.signalled(host, signal.SIGHUP)
        wait_until("it says so", lambda: "the configuration was read again" in host.error_text())
        pool = concurrent.futures.ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        call = pool.submit(host.call, "until", place.gate())
        wait_until("the call runs", lambda: "\ntoolpost_calls_in_flight 1\n" in host.fetch("GET", "/metrics")[2])
        os.close(terminal)
        wait_until("it stops", lambda: "stopping" in host.error_text())
        place.open_gate()
        self.assertEqual(text_of(call.result(PATIENCE_S)), "one")
        self.assert_gone(place, host)
        self.assertEqual(self.outcomes(place), ["ok"])

    def test_one_that_was_told_not_to_mind_goes_on(self):
        place = self.place(3600)
        old = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            host = self.http_host(place)
        finally:
            signal.signal(signal.SIGHUP, old)
        self.signalled(host, signal.SIGHUP)
        self.assertEqual(text_of(host.call("slow", {"ms": 1})), "one")
        self.assertNotIn("SIGHUP", host.error_text())


if __name__ == "__main__":
    unittest.main()
