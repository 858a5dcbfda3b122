"""Many callers of one principal send heartbeats: no call is abandoned. Then half of them fall silent, and exactly those are.

TOOLPOST_CALLERS and TOOLPOST_BEATS say how many, 40 and 8 without them. scripts/soak has 1,000 callers for a minute.
"""
import datetime
import json
import os
import socket
import sys
import threading
import time
import unittest

from harness import PATIENCE_S, TestCase, wait_until

from test_sessions import GET_LOCATIONS

CALLERS = int(os.environ.get("TOOLPOST_CALLERS", "40"))
BEATS = int(os.environ.get("TOOLPOST_BEATS", "8"))
EVERY_S = float(os.environ.get("TOOLPOST_BEAT_EVERY_S", "0"))
CONNECTIONS = 10
TIMEOUT_S = 3


def at(time):
    return datetime.datetime.fromisoformat(time)


class Connection:
    """Sends heartbeats of several calls in a row, and reads their answers."""

    def __init__(self, port, session):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.session, self.rest = session, b""

    def request(self, call):
        body = json.dumps({"state": "PROCESSING", "heartbeat": time.time_ns() // 1_000_000}).encode()
        head = f"POST /v1/tools/request/{self.session}/{call}/heartbeat HTTP/1.1\r\nHost: 127.0.0.1\r\n" \
               f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body

    def answer(self):
        while b"\r\n\r\n" not in self.rest:
            self.rest += self._more()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        while len(self.rest) < length:
            self.rest += self._more()
        self.rest = self.rest[length:]
        return int(head.split()[1])

    def _more(self):
        piece = self.socket.recv(1 << 16)
        assert piece, "the host closed a connection"
        return piece

    def beat(self, calls):
        for call in calls:  # one at a time: a caller waits for its answer
            self.socket.sendall(self.request(call))
            status = self.answer()
            assert status == 200, (call, status)


class Heartbeats(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", config=f"[call]\nheartbeat_timeout_s = {TIMEOUT_S}\npickup_timeout_s = 600")
        self.host = self.http_host(self.place)
        body = {"customizations": {"extensions": {"tools": {"getLocations": GET_LOCATIONS}}}}
        self.session = self.host.fetch("POST", "/v1/sessions", body)[2]["id"]
        self.path = f"/v1/tools/request/{self.session}"
        self.faults = []

    def beat_all(self, shares, times):
        """Each share by a thread of its own, so many times."""
        def work(calls):
            try:
                connection = Connection(self.host.port, self.session)
                for _ in range(times):
                    began = time.monotonic()
                    connection.beat(calls)
                    time.sleep(max(0, EVERY_S - (time.monotonic() - began)))
                connection.socket.close()
            except BaseException as fault:
                self.faults.append(repr(fault))
        threads = [threading.Thread(target=work, args=(share,)) for share in shares if share]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.faults, [])

    def records(self, state):
        found, after = {}, ""
        while True:
            page = self.host.fetch("GET", f"{self.path}?limit=1000&state={state}" + (f"&after={after}" if after else ""))[2]
            found |= {record["id"]: record for record in page["requests"]}
            after = page.get("next")
            if not after:
                return found

    def test_only_the_silent_are_abandoned(self):
        calls = [self.host.fetch("POST", self.path, {"name": "getLocations"})[2]["id"] for _ in range(CALLERS)]
        wait_until("all are announced", lambda: all("reason" in one for one in self.records("PENDING").values()))
        shares = [calls[n::CONNECTIONS] for n in range(CONNECTIONS)]
        began = time.monotonic()
        self.beat_all(shares, BEATS)
        lasted = time.monotonic() - began
        self.assertEqual((len(self.records("PROCESSING")), self.records("ERROR")), (CALLERS, {}))
        silent = set(calls[:CALLERS // 2])
        alive = [[call for call in share if call not in silent] for share in shares]

        def until_silent_end():
            self.beat_all(alive, 1)
            return len(self.records("ERROR")) >= len(silent)
        wait_until("the silent are abandoned", until_silent_end)
        ended = self.records("ERROR")
        self.assertEqual((set(ended), {one["code"] for one in ended.values()}), (silent, {"abandoned"}))
        self.assertEqual(len(self.records("PROCESSING")), CALLERS - len(silent))
        late = [(at(one["updated"]) - at(one["heartbeat"])).total_seconds() - TIMEOUT_S for one in ended.values()]
        self.assertGreaterEqual(min(late), 0, "none ended before its time")
        print(f"the silent ended {min(late):.2f} to {max(late):.2f} s after their time", file=sys.stderr)
        print(f"{CALLERS} callers, {CALLERS * BEATS / lasted:.0f} heartbeats a second for {lasted:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
