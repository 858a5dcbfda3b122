"""Calls whose client is gone: where nobody can fetch the answer they are cancelled, and their places are free for
others, whose calls they do not cost. Where somebody can, they go on."""
import http.client
import json
import socket
import unittest

from harness import (LEGACY, PATIENCE_S, TestCase, last_message, message, plugin_file, processes_of, run_toolpost, text_of,
                     wait_until)

MANY = 64  # limits.running_per_principal
LONG = {"ms": 600_000}  # longer than any test may take
CONFIG = """[permission]
mode = "bypass"
[call]
timeout_s = 900
grace_s = 0.5
[plugin.zoo]
isolation = "worker"
"""
ASK = """[[rule]]
tool = "slow_compute"
behavior = "ask"
"""
DECLARES_TASKS = {"io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}}


class Abandoned(TestCase):
    def host(self, config=""):
        self.place = self.workspace(config=CONFIG + config)
        self.place.drop("zoo", plugin_file("zoo/zoo_one"))
        return self.http_host(self.place)

    def begin(self, host, body, headers=None):
        """A request whose answer nobody has read yet."""
        data = json.dumps(body).encode()
        fields = {"Host": "127.0.0.1", "Content-Type": "application/json", "Content-Length": len(data), **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        connection = socket.create_connection(("127.0.0.1", host.port), timeout=PATIENCE_S)
        self.addCleanup(connection.close)
        connection.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + data)
        return connection

    def call(self, host, tool, era, number, arguments=None, headers=None, **params):
        body, fields = message("tools/call", {"name": tool, "arguments": arguments or LONG, **params}, era, number)
        return self.begin(host, body, fields | (headers or {}))

    def session(self, host, version=LEGACY):
        """Headers of a new session."""
        body = {"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}
        status, headers, text = host.post(body)
        self.assertEqual(status, 200, text)
        return {"Mcp-Session-Id": headers["mcp-session-id"], "Accept": "application/json, text/event-stream"}

    def in_flight(self, host, count):
        wait_until(f"{count} calls are in flight", lambda: f"\ntoolpost_calls_in_flight {count}\n" in
                   host.fetch("GET", "/metrics")[2])

    def outcomes(self):
        return [line["outcome"] for line in self.place.audit_lines()]

    def assert_free(self, host, begin):
        """`begin` starts MANY calls and returns their connections."""
        connections = begin()
        self.in_flight(host, MANY)
        for connection in connections:
            connection.close()
        self.assertEqual(text_of(host.call("slow", {"ms": 1})), "one")
        self.in_flight(host, 0)
        self.assertEqual(self.outcomes().count("cancelled"), MANY)

    def test_calls_without_a_session_leave_their_places(self):
        for era in ("bare", "modern"):
            for tool in ("slow", "stubborn"):
                with self.subTest(era=era, tool=tool):
                    host = self.host()
                    self.assert_free(host, lambda: [self.call(host, tool, era, n) for n in range(MANY)])

    def test_so_do_calls_of_a_session_whose_answers_nobody_can_fetch(self):
        for tool in ("slow", "stubborn"):
            with self.subTest(tool=tool):
                host = self.host()
                one = self.session(host)
                self.assert_free(host, lambda: [self.call(host, tool, "bare", n, headers=one) for n in range(MANY)])

    def test_and_those_of_an_array(self):
        host = self.host()
        one = self.session(host, "2025-03-26")
        members = [message("tools/call", {"name": "slow", "arguments": LONG}, "bare", n)[0] for n in range(MANY)]
        self.assert_free(host, lambda: [self.begin(host, members, one)])

    def test_a_call_that_ignores_its_cancel_costs_no_other_client_its_call(self):
        host = self.host()
        other = self.call(host, "slow", "bare", "other")
        self.in_flight(host, 1)
        workers = lambda: [pid for pid, words in processes_of(self.place).items() if "toolpost-worker" in words]
        before = workers()
        gone = [self.call(host, "stubborn", "bare", n) for n in range(MANY - 1)]
        self.in_flight(host, MANY)
        for connection in gone:
            connection.close()
        self.assertEqual(text_of(host.call("slow", {"ms": 1})), "one")  # in a fresh worker
        self.in_flight(host, 1)
        self.assertLessEqual(set(before), set(workers()))
        other.close()  # it would be "lost", had the others ended the worker
        self.in_flight(host, 0)
        wait_until("the old worker ends with its last call", lambda: not set(before) & set(workers()))
        self.assertEqual(sorted(self.outcomes()), ["cancelled"] * MANY + ["ok"])

    def streaming(self, host, session, tool, arguments):
        """A call whose answer is a stream that has begun; its connection and the last event's id."""
        connection = self.call(host, tool, "bare", "s", arguments, session,
                               _meta={"progressToken": "p"})
        seen = b""
        while b"\nid: " not in seen or b"progress" not in seen:
            piece = connection.recv(1 << 16)
            self.assertTrue(piece, seen)
            seen += piece
        return connection, [line[4:] for line in seen.decode().splitlines() if line.startswith("id: ")][-1].strip()

    def test_a_call_whose_stream_can_be_resumed_goes_on(self):
        host = self.host()
        session = self.session(host)
        connection, last = self.streaming(host, session, "until", self.place.gate())
        connection.close()
        own = host.connect()
        own.request("GET", "/mcp", headers={**session, "Accept": "text/event-stream", "Last-Event-ID": last})
        resumed = own.getresponse()
        self.in_flight(host, 1)
        self.place.open_gate()
        self.assertEqual(text_of(last_message(resumed.read().decode())), "one")
        own.close()
        self.assertEqual(self.outcomes(), ["ok"])

    def test_a_call_whose_connection_the_host_lets_go_leaves_it_free_for_nothing(self):
        """A client with a pool would send what it asks next on it, and nobody would read that until the call has ended."""
        host = self.host("[mcp]\npoll_after_s = 0.2\n")
        session = self.session(host)
        connection = self.call(host, "until", "bare", "s", self.place.gate(), session)
        seen = b""
        while piece := connection.recv(1 << 16):
            seen += piece
            self.assertIn(b"\r\nConnection: close\r\n", seen)
        self.assertTrue(seen.endswith(b"0\r\n\r\n"), seen)
        last = [line[4:] for line in seen.decode().splitlines() if line.startswith("id: ")][-1].strip()
        self.in_flight(host, 1)
        self.place.open_gate()

        def come_back():
            own = host.connect()
            own.request("GET", "/mcp", headers={**session, "Accept": "text/event-stream", "Last-Event-ID": last})
            text = own.getresponse().read().decode()
            own.close()
            return '"result"' in text and last_message(text)

        self.assertEqual(text_of(wait_until("the answer comes", come_back)), "one")
        self.assertEqual(self.outcomes(), ["ok"])

    def test_until_its_session_ends(self):
        host = self.host()
        session = self.session(host)
        connection, _ = self.streaming(host, session, "slow", LONG)
        connection.close()
        self.assertEqual(host.fetch("GET", "/healthz")[0], 200)
        self.in_flight(host, 1)
        own = host.connect()
        own.request("DELETE", "/mcp", headers=session)
        self.assertEqual(own.getresponse().status, 200)
        own.close()
        self.in_flight(host, 0)
        self.assertEqual(self.outcomes(), ["cancelled"])

    def test_a_call_with_an_idempotency_key_goes_on(self):
        for session in (False, True):
            with self.subTest(session=session):
                host = self.host()
                headers = self.session(host) if session else {}
                arguments = {**self.place.gate(), "idempotency_key": "k"}
                first = self.call(host, "until", "bare", 1, arguments, headers)
                self.in_flight(host, 1)
                first.close()
                again = self.call(host, "until", "bare", 2, arguments, headers)
                self.in_flight(host, 2)  # the second waits for the first
                self.place.open_gate()
                answer = http.client.HTTPResponse(again)
                answer.begin()
                self.assertEqual(text_of(last_message(answer.read().decode())), "one")
                self.assertEqual(sorted(self.outcomes()), ["ok", "replayed"])

    def test_a_call_that_declares_tasks_in_a_version_without_them(self):
        """It waits for a person, whatever its client declares; the host outlives its end."""
        for session in (False, True):
            with self.subTest(session=session):
                self.place = self.workspace("conformance", config=ASK)
                host = self.http_host(self.place)
                connection = self.call(host, "slow_compute", "bare", 1, {"seconds": 0, "label": "x"},
                                       self.session(host) if session else {}, _meta=DECLARES_TASKS)
                wait_until("it waits for a person", lambda: self.pending())
                connection.close()
                wait_until("it has ended", lambda: self.outcomes())
                self.assertEqual(host.fetch("GET", "/healthz")[0], 200)
                self.assertEqual(len(self.pending()), 1)  # the client's next call finds it

    def pending(self):
        done = run_toolpost(self.place, "approvals", "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def test_a_stdio_client_that_is_gone(self):
        for tool in ("slow", "stubborn"):
            with self.subTest(tool=tool):
                place = self.workspace(config=CONFIG)
                place.drop("zoo", plugin_file("zoo/zoo_one"))
                host = self.stdio_host(place)
                host.initialize()
                for number in range(MANY):
                    host.send({"jsonrpc": "2.0", "id": f"c{number}", "method": "tools/call", "params": {
                        "name": tool, "arguments": LONG, "_meta": {"progressToken": number}}})
                for _ in range(MANY):
                    self.assertEqual(host.receive()["method"], "notifications/progress")
                self.assertEqual(host.close_input(), 0, host.error_text())
                outcomes = [line["outcome"] for line in place.audit_lines()]
                self.assertEqual(outcomes, ["cancelled"] * MANY)
                wait_until("nothing outlives it", lambda: not processes_of(place))


if __name__ == "__main__":
    unittest.main()
