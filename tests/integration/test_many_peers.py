"""A thousand open listen streams and a thousand sessions: all are served, none slows the others' calls for long, and what
is abandoned gives its memory back. Times are told, never judged."""
import json
import resource
import select
import socket
import statistics
import time

from harness import LEGACY, TestCase, message, wait_until

PEERS = 1000
CALLS = 1000
CONFIG = f"""
[limits]
connections = 4000
connections_per_address = 4000
subscriptions = 2000
subscriptions_per_principal = 2000
sessions = 2000
sessions_per_principal = 2000
session_idle_s = 2
"""
SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\nDo it.\n"


def memory_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


class Listener:
    """One subscriptions/listen over a connection of its own."""

    def __init__(self, port, number):
        body, headers = message("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, "modern", number)
        text = json.dumps(body)
        fields = headers | {"Host": f"127.0.0.1:{port}", "Content-Type": "application/json",
                            "Content-Length": str(len(text))}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n{text}".encode())
        self.text = b""

    def read(self):
        self.text += self.socket.recv(65536)

    def count(self, notification):
        return self.text.count(f'"notifications/{notification}"'.encode())


class ManyPeers(TestCase):
    def setUp(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.assertGreaterEqual(hard, 3 * PEERS, "too few descriptors are allowed here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        self.place = self.workspace("hello", config=CONFIG)
        self.place.skill("first", SKILL.format("first"))
        self.host = self.http_host(self.place)
        wait_until("hello is served", lambda: "result" in self.host.call("echo", {"text": "x"}))

    def measure(self, what):
        """Median time of a call in ms, CPU per call in ms."""
        connection = self.host.connect()
        ticks, times = cpu_ticks(self.host.child.pid), []
        for number in range(CALLS):
            began = time.perf_counter()
            self.host.call("echo", {"text": "x"}, "modern", request_id=number, connection=connection)
            times.append((time.perf_counter() - began) * 1000)
        connection.close()
        cpu = (cpu_ticks(self.host.child.pid) - ticks) * 10 / CALLS
        print(f"{what}: p50 {statistics.median(times):.3f} ms, CPU {cpu:.3f} ms a call", flush=True)

    def listen(self):
        listeners = [Listener(self.host.port, number) for number in range(PEERS)]
        self.addCleanup(lambda: [listener.socket.close() for listener in listeners])
        self.wait_for_all(listeners, "subscriptions/acknowledged", 1)
        return listeners

    def wait_for_all(self, listeners, notification, count):
        poll = select.poll()
        missing = {}
        for listener in listeners:
            if listener.count(notification) < count:
                missing[listener.socket.fileno()] = listener
                poll.register(listener.socket, select.POLLIN)
        end = time.monotonic() + 30
        while missing:
            self.assertLess(time.monotonic(), end, f"{len(missing)} of {len(listeners)} heard no {notification}")
            for descriptor, _ in poll.poll(1000):
                missing[descriptor].read()
                if missing[descriptor].count(notification) >= count:
                    poll.unregister(descriptor)
                    del missing[descriptor]

    def open_sessions(self):
        connection = self.host.connect()
        sessions = []
        for number in range(PEERS):
            params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            _, headers, _ = self.host.post(*message("initialize", params, "bare", number), connection=connection)
            sessions.append(headers["mcp-session-id"])
        connection.close()
        return sessions

    def list_in(self, session):
        headers = {"Mcp-Session-Id": session, "MCP-Protocol-Version": LEGACY}
        return self.host.post(*message("tools/list", {}, "bare", 1, headers))[0]

    def test_a_thousand_listeners_and_sessions(self):
        self.measure("alone")
        before = memory_kb(self.host.child.pid)
        listeners = self.listen()
        sessions = self.open_sessions()
        self.assertEqual(len(set(sessions)), PEERS)
        held = memory_kb(self.host.child.pid)
        print(f"memory: {before} kB alone, {held} kB with {PEERS} streams and {PEERS} sessions", flush=True)
        self.measure(f"beside {PEERS} streams and {PEERS} sessions")

        self.place.skill("second", SKILL.format("second"))  # the tool Skill lists it: tools/list is another
        self.wait_for_all(listeners, "tools/list_changed", 1)
        for listener in listeners:
            self.assertIn(f'"io.modelcontextprotocol/subscriptionId":{listeners.index(listener)}'.encode(),
                          listener.text)

        for listener in listeners:
            listener.socket.close()
        time.sleep(2.5)  # longer than sessions may be idle
        self.assertEqual({self.list_in(session) for session in (sessions[0], sessions[-1])}, {404})
        wait_until("their memory comes back", lambda: memory_kb(self.host.child.pid) < before + (held - before) / 2 + 1024)
        print(f"memory: {memory_kb(self.host.child.pid)} kB after they went", flush=True)
        self.measure("alone again")
