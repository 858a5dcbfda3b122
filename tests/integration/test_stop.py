"""Signals end a host within its grace, also where the client has left its answers unread."""
import array
import fcntl
import json
import signal
import subprocess
import termios
import time
import unittest

from harness import MODERN, PATIENCE_S, TOOLPOST, Process, TestCase, wait_until

STOP_GRACE_S = 5  # server.stop_timeout_s by default
PIPE_BYTES = 64 << 10


class UnreadHost(Process):
    """`toolpost serve --stdio` whose standard output nobody reads."""

    def __init__(self, workspace):
        super().__init__([TOOLPOST, "serve", "--stdio", "--config", workspace.config], workspace.root,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def unread_bytes(self):
        count = array.array("i", [0])
        fcntl.ioctl(self.child.stdout, termios.FIONREAD, count)
        return count[0]

    def fill(self):
        """Asks for more than a pipe holds, and waits until it is full."""
        fcntl.fcntl(self.child.stdout, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {}}
        for request_id in range(24):
            self.child.stdin.write(json.dumps({
                "jsonrpc": "2.0", "id": request_id, "method": "tools/call",
                "params": {"name": "echo", "arguments": {"text": "x" * 8000}, "_meta": meta},
            }).encode() + b"\n")
        self.child.stdin.flush()
        wait_until("the pipe is full", lambda: self.unread_bytes() > PIPE_BYTES - 8192)


class Stop(TestCase):
    def filled_host(self):
        host = UnreadHost(self.workspace("hello"))
        self.addCleanup(lambda: host.running() and host.child.kill())
        host.fill()
        return host

    def ends_within_the_grace(self, host):
        before = time.monotonic()
        host.child.send_signal(signal.SIGTERM)
        code = host.wait()
        self.assertEqual(code, 0, host.error_text())
        self.assertLess(time.monotonic() - before, STOP_GRACE_S + PATIENCE_S / 4)
        self.assertIn("the client did not read its answers", host.error_text())

    def test_a_client_that_does_not_read_does_not_hold_the_host(self):
        self.ends_within_the_grace(self.filled_host())

    def test_nor_does_one_that_has_closed_its_side(self):
        host = self.filled_host()
        host.child.stdin.close()
        with self.assertRaises(subprocess.TimeoutExpired):
            host.child.wait(0.3)  # it may still read: no signal was sent
        self.ends_within_the_grace(host)

    def test_one_that_reads_gets_all_answers_first(self):
        host = self.filled_host()
        host.child.send_signal(signal.SIGTERM)
        answers = [json.loads(line) for line in host.child.stdout]
        self.assertEqual(sorted(answer["id"] for answer in answers), list(range(24)))
        self.assertEqual(host.wait(), 0)
        self.assertNotIn("did not read", host.error_text())


class TwoSignals(TestCase):
    def test_at_once_end_a_host_that_has_nothing_to_end(self):
        place = self.workspace()
        for _ in range(3):
            host = self.http_host(place)
            host.child.send_signal(signal.SIGTERM)
            host.child.send_signal(signal.SIGINT)
            self.assertEqual(host.wait(), 0, host.error_text())


if __name__ == "__main__":
    unittest.main()
