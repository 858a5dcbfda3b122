"""Who floods a host takes nothing from others: sessions, streams, connections, bodies and running calls of a peer without a
key, beside a client that has one. The limits are small, so that each flood is."""
import concurrent.futures
import contextlib
import http.client
import json
import os
import select
import signal
import socket
import subprocess
import unittest

from harness import LEGACY, PATIENCE_S, TOOLPOST, Process, TestCase, message, plugin_file, run_toolpost, text_of, wait_until

# A timeout that no loaded machine reaches, of requests whose bodies never come.
LATE = "body_timeout_s = 600\nrequest_timeout_s = 600"
INITIALIZE = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


class Quotas(TestCase):
    def setUp(self):
        self.open = []

    def close(self):
        for peer in self.open:
            peer.close()

    def host(self, limits, *plugins):
        self.place = self.workspace(*plugins, config=limits)
        done = run_toolpost(self.place, "key", "new", "ada", "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        self.ada = {"Authorization": "Bearer " + json.loads(done.stdout)["key"]}
        started = self.http_host(self.place)
        self.addCleanup(self.close)  # before the host ends, which would wait for them
        return started

    def raw(self, host, data=b"", address="127.0.0.1"):
        peer = socket.create_connection(("127.0.0.1", host.port), timeout=PATIENCE_S, source_address=(address, 0))
        self.open.append(peer)
        peer.sendall(data)
        return peer

    def status_of(self, peer):
        answer = http.client.HTTPResponse(peer)
        answer.begin()
        return answer.status

    def head(self, size, fields=b""):
        return (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"%sContent-Length: %d\r\n\r\n" % (fields, size))

    def without_body(self, host, size, address="127.0.0.1"):
        """The host's first word on a request whose body does not come: 100 once the host waits for that body."""
        peer = self.raw(host, self.head(size, b"Expect: 100-continue\r\n"), address)
        with peer.makefile("rb") as answer:
            return int(answer.readline().split()[1])

    def refused(self, host):
        """How often each limit refused something, as /metrics has it."""
        connection = host.connect()
        connection.request("GET", "/metrics", headers=self.ada)
        lines = connection.getresponse().read().decode().splitlines()
        connection.close()
        return {line.split('"')[1]: float(line.rsplit(" ", 1)[1])
                for line in lines if line.startswith("toolpost_refused_total{")}

    def test_costly_arguments_keep_only_their_own_principal_waiting(self):
        """A pattern that uses up the time of a check: three such calls need more than a principal's share at once."""
        host = self.host("", "hello")
        costly = {"name": "t", "description": "Costly to check", "responseShape": {"properties": {}}, "requestArgs": {
            "properties": {"s": {"type": "array", "items": {"not": {"type": "string", "pattern": "(?:a|b|c|d){1,200}[xy]"}}}}}}
        code, _, made = host.fetch("POST", "/v1/sessions", {"customizations": {"extensions": {"tools": {"t": costly}}}})
        self.assertEqual(code, 201, made)
        ended = []

        def ask(number):
            arguments = {"s": ["ab" * 2500] * 8}
            code, _, answer = host.fetch("POST", f"/v1/tools/request/{made['id']}", {"name": "t", "arguments": arguments})
            self.assertEqual(code, 202, answer)
            code, _, answer = host.fetch("GET", f"/v1/tools/request/{made['id']}/{answer['id']}?wait=60")
            ended.append(number)
            return answer

        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            asked = [pool.submit(ask, number) for number in range(10)]
            wait_until("one was checked", lambda: ended)
            code, _, answer = host.fetch("GET", "/v1/tools", key=self.ada["Authorization"].removeprefix("Bearer "))
            self.assertEqual(code, 200, answer)
            self.assertLess(len(ended), 10, "the others still wait for their turn")
            answers = [one.result() for one in asked]
        self.assertEqual({one["state"] for one in answers}, {"ERROR"}, answers)

    def test_a_flood_of_sessions_ends_nobody_elses(self):
        host = self.host("[limits]\nsessions = 30\nsessions_per_principal = 10", "overlap")
        _, headers, _ = host.post(*message("initialize", INITIALIZE, "bare", 1, self.ada))
        session = self.ada | {"Mcp-Session-Id": headers["mcp-session-id"], "MCP-Protocol-Version": LEGACY}
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(host.call, "slow", {"ms": 1500}, headers=session)
            connection = host.connect()
            for number in range(100):
                status, _, text = host.post(*message("initialize", INITIALIZE, "bare", number), connection=connection)
                self.assertEqual(status, 200, text)
            connection.close()
            answer = running.result()
        self.assertFalse(answer["result"].get("isError"), answer)
        self.assertEqual(host.post(*message("ping", {}, "bare", 2, session))[0], 200)

    def test_a_flood_of_streams_leaves_the_page_and_known_clients_their_connections(self):
        host = self.host("[limits]\nconnections_per_address = 10\nconnections_kept_back = 4\n"
                         f"subscriptions_per_principal = 8\n{LATE}", "hello")
        body, headers = message("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, "modern")
        text = json.dumps(body)
        fields = headers | {"Host": "localhost", "Content-Type": "application/json", "Content-Length": str(len(text))}
        request = "POST /mcp HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in fields.items()) + "\r\n" + text
        statuses = [self.status_of(self.raw(host, request.encode())) for _ in range(9)]
        self.assertEqual(statuses, [200] * 8 + [429])  # streams of one principal
        # Requests whose bodies do not come hold what is left; then connections that say nothing. Each of the former
        # waits until the host has its head: until then it is idle, and makes room for the next.
        self.assertEqual([self.without_body(host, 9) for _ in range(4)], [100, 100, 429, 429])
        for _ in range(20):
            self.raw(host)
        self.assertEqual(host.post(*message("ping", {}, "bare"))[0], 429)
        for path in ("/healthz", "/readyz", "/"):
            self.assertEqual(host.fetch("GET", path)[0], 200, path)
        self.assertEqual(text_of(host.call("echo", {"text": "good"}, headers=self.ada)), "good")
        self.assertEqual(self.status_of(self.raw(host, request.replace("Host:", f"Authorization: {self.ada['Authorization']}"
                                                                                "\r\nHost:").encode())), 200)
        refused = self.refused(host)
        self.assertEqual(refused["limits.subscriptions_per_principal"], 1)
        self.assertGreaterEqual(refused["limits.connections_per_address"], 1)

    def test_streams_of_sessions_and_listen_streams_have_one_quota(self):
        host = self.host("[limits]\nsubscriptions_per_principal = 3", "hello")
        sessions = []
        for _ in range(3):
            answer = host.post(message("initialize", INITIALIZE, "bare")[0])
            sessions.append({"Mcp-Session-Id": answer[1]["mcp-session-id"], "Accept": "text/event-stream"})

        def stream(session, **more):
            lines = "".join(f"{name}: {value}\r\n" for name, value in (session | more).items())
            return self.raw(host, f"GET /mcp HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n".encode())
        body, fields = message("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, "modern")
        text = json.dumps(body)
        fields |= {"Host": "localhost", "Content-Type": "application/json", "Content-Length": str(len(text))}
        listen = ("POST /mcp HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in fields.items()) + "\r\n" + text).encode()
        first, second = stream(sessions[0]), stream(sessions[1])
        self.assertEqual([self.status_of(first), self.status_of(second)], [200, 200])
        self.assertEqual(self.status_of(self.raw(host, listen)), 200)
        self.assertEqual(self.status_of(stream(sessions[2])), 429)
        self.assertEqual(self.status_of(self.raw(host, listen)), 429)
        self.assertEqual(self.refused(host)["limits.subscriptions_per_principal"], 2)
        first.close()
        wait_until("its place is free", lambda: self.status_of(stream(sessions[2])) == 200)

    def test_a_request_that_came_before_a_burst_of_connections_is_answered(self):
        for busy in (0, 9, 10):
            with self.subTest(busy=busy):
                host = self.host(f"[limits]\nconnections_per_address = 10\nconnections_kept_back = 4\n{LATE}", "hello")
                for _ in range(busy):
                    self.assertEqual(self.without_body(host, 9), 100)
                text = json.dumps(message("ping", {}, "bare")[0])
                host.child.send_signal(signal.SIGSTOP)  # all of it is there when the host looks
                ada = self.raw(host, (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: {self.ada['Authorization']}\r\n"
                                      f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}").encode())
                for _ in range(20):
                    self.raw(host)
                host.child.send_signal(signal.SIGCONT)
                self.assertEqual(self.status_of(ada), 200)

    def test_bodies_in_flight_are_bounded(self):
        host = self.host(f"[limits]\nbodies_bytes = 4000000\nbodies_bytes_per_principal = 1000000\n{LATE}", "hello")
        for bodies in range(1, 4):
            self.raw(host, self.head(300_000) + b" " * 299_999)
            wait_until("it arrived", lambda: self.gauge(host, "toolpost_request_body_bytes") == bodies * 300_000)
        more = [self.raw(host, self.head(300_000) + b" " * 299_999) for _ in range(7)]
        self.assertEqual([self.status_of(peer) for peer in more], [429] * 7)
        self.assertEqual(self.refused(host)["limits.bodies_bytes_per_principal"], 7)
        echoed = "x" * 500_000
        self.assertEqual(text_of(host.call("echo", {"text": echoed}, headers=self.ada)), echoed)

    def posts(self, host):
        """What the host answers to requests with bodies that must get through: a call with a key, an answer to an
        approval request, and a login."""
        called = host.post(*message("ping", {}, "bare", 1, self.ada))[0]
        answered = host.fetch("POST", "/v1/approvals/none", {"answer": "yes"},
                              key=self.ada["Authorization"].removeprefix("Bearer "))[0]
        return called, answered, host.fetch("POST", "/v1/login", {"key": "none"})[0]

    def test_bodies_that_do_not_come_lock_nobody_out(self):
        host = self.host(f"[limits]\n{LATE}", "hello")
        expected = self.posts(host)
        self.assertEqual(expected[0], 200)
        self.assertNotIn(expected[1], (429, 503))
        for last in (1, 2, 3, 4):
            for _ in range(16):
                self.assertEqual(self.without_body(host, 4194304, f"127.0.7.{last}"), 100)
        self.assertEqual(self.posts(host), expected)
        self.assertEqual(host.post(*message("ping", {}, "bare"))[0], 200)

    def test_bodies_without_a_key_leave_a_part_to_keys_and_logins(self):
        host = self.host(f"[limits]\nbodies_bytes = 1000000\nbodies_bytes_per_principal = 1000000\n{LATE}", "hello")
        expected = self.posts(host)
        for bodies in (1, 2, 3):
            self.raw(host, self.head(240_000) + b" " * 239_999)
            wait_until("it arrived", lambda: self.gauge(host, "toolpost_request_body_bytes") == bodies * 240_000)
        self.assertEqual(self.without_body(host, 50_000), 100)
        self.assertEqual(self.without_body(host, 50_000), 503)
        self.assertEqual(self.posts(host), expected)

    def test_all_addresses_of_loopback_have_one_quota(self):
        host = self.host(f"[limits]\nconnections_per_address = 3\nconnections_kept_back = 1\n{LATE}", "hello")
        held = [self.without_body(host, 9, f"127.0.7.{last}") for last in range(1, 6)]
        self.assertEqual(held, [100] * 3 + [429] * 2)

    def test_a_request_that_drips_is_ended(self):
        host = self.host("[limits]\nrequest_timeout_s = 0.3", "hello")
        peer = self.raw(host, b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                              b"Content-Length: 100000\r\n\r\n")
        with contextlib.suppress(ConnectionError):  # it has ended, and its answer is there
            for _ in range(PATIENCE_S * 50):  # a byte at a time, sooner than limits.body_timeout_s
                if select.select([peer], [], [], 0.02)[0]:
                    break
                peer.sendall(b" ")
        self.assertEqual(self.status_of(peer), 408)
        self.assertEqual(self.refused(host)["limits.request_timeout_s"], 1)

    def test_one_principal_cannot_hold_all_of_a_tool(self):
        host = self.host("[call]\ntimeout_s = 600\ngrace_s = 0.1", "overlap")
        body, headers = message("tools/call", {"name": "inflight_probe", "arguments": {"ms": 600_000}}, "modern")
        held = []
        for _ in range(4):
            connection = host.connect()
            self.open.append(connection)
            connection.request("POST", "/mcp", json.dumps(body), headers | {"Content-Type": "application/json"})
            held.append(connection.sock)
        wait_until("they run or wait", lambda: self.gauge(host, "toolpost_calls_in_flight") >= 4)
        answer = host.call("inflight_probe", {"ms": 0}, headers=self.ada)
        self.assertFalse("error" in answer or answer["result"].get("isError"), answer)
        self.assertEqual(select.select(held, [], [], 0)[0], [])  # none has an answer; their end cancels the calls

    def gauge(self, host, name):
        _, _, page = host.fetch("GET", "/metrics", key=self.ada["Authorization"].removeprefix("Bearer "))
        return next(float(line.split()[1]) for line in page.splitlines() if line.startswith(name + " "))


class Logs(TestCase):
    def test_a_plugin_that_floods_the_log_is_cut_and_its_lines_are_counted(self):
        place = self.workspace(config='[permission]\nmode = "bypass"')
        place.drop("faults", plugin_file("zoo/zoo_faults"))
        host = self.http_host(place)
        before = len(host.error_text())
        for _ in range(3):
            self.assertEqual(text_of(host.call("fault_logs")), "logged")
        host.stop()
        log = host.error_text()[before:]
        self.assertLess(len(log), 1_000_000)
        self.assertRegex(log, r"lines of the plugin were dropped.*lines=\d{4}")
        host.errors.clear()


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class UnixSocket(TestCase):
    def setUp(self):
        self.place = self.workspace("hello")
        self.path = str(self.place.root / "host.sock")
        text = self.place.config.read_text()
        self.place.write_config(f'{text}\n[server]\nlisten = "unix:{self.path}"')

    def start(self):
        host = self._kept(Process([TOOLPOST, "serve", "--config", self.place.config], self.place.root,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
        wait_until("it listens", lambda: f"listening on unix:{self.path}" in host.error_text())
        return host

    def echo(self):
        connection = UnixConnection(self.path)
        body, _ = message("tools/call", {"name": "echo", "arguments": {"text": "by file"}}, "bare")
        connection.request("POST", "/mcp", json.dumps(body), {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return text_of(answer)

    def heard_as(self, user):
        """What /healthz says to a process of another user."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            heard = b"not connected"
            try:
                os.setgid(user)
                os.setuid(user)
                with socket.socket(socket.AF_UNIX) as peer:
                    peer.connect(self.path)
                    heard = b""
                    peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    heard = peer.recv(99)
            except OSError:
                pass
            finally:
                os.write(write, heard)
                os._exit(0)
        os.close(write)
        with open(read, "rb") as heard:
            told = heard.read()
        os.waitpid(child, 0)
        return told

    def test_the_hosts_own_user_is_served_and_nobody_else(self):
        host = self.start()
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)
        self.assertEqual(self.echo(), "by file")
        if os.geteuid() == 0:
            # Somebody opened the file's rights: the kernel still says who connects.
            os.chmod(self.place.root, 0o711)
            os.chmod(self.path, 0o666)
            self.assertEqual(self.heard_as(65534), b"")
        self.assertEqual(self.echo(), "by file")
        self.assertEqual(host.stop(), 0)
        self.assertFalse(os.path.exists(self.path))

    def test_a_socket_left_by_a_host_that_was_killed_is_taken_over_and_a_live_one_is_not(self):
        first = self.start()
        second = run_toolpost(self.place, "serve", "--config", self.place.config)
        self.assertEqual(second.returncode, 1, second)
        self.assertIn("another process listens there", second.stderr)
        first.child.kill()
        first.child.wait()
        self.assertTrue(os.path.exists(self.path))
        again = self.start()
        self.assertEqual(self.echo(), "by file")
        self.assertEqual(again.stop(), 0)
        first.errors.clear()

    def test_no_link_to_the_page_is_made_for_a_socket(self):
        done = run_toolpost(self.place, "key", "link", "--config", self.place.config)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("--listen", done.stderr)


if __name__ == "__main__":
    unittest.main()
