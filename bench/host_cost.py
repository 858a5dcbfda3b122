"""A host for a benchmark: its process and its cost, and a connection to it."""
import json
import os
import pathlib
import socket
import sqlite3
import statistics
import subprocess
import time

from processes import free_port, pinned, wait_for_port

ECHO = {"name": "echo", "arguments": {"text": "x" * 64}}


class Connection:
    """One keep-alive connection: one request after the other."""

    def __init__(self, port, key=None):
        self.port, self.rest = port, b""
        self.key = f"Authorization: Bearer {key}\r\n" if key else ""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, method, path, body=None):
        self.send(method, path, body)
        return self.receive()

    def send(self, method, path, body=None):
        data = b"" if body is None else json.dumps(body).encode()
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{self.key}Content-Type: application/json\r\n"
                            f"Content-Length: {len(data)}\r\n\r\n".encode() + data)

    def receive(self):
        while b"\r\n\r\n" not in self.rest:
            self.take()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = int(fields.get(b"content-length", 0))
        while len(self.rest) < length:
            self.take()
        text, self.rest = self.rest[:length], self.rest[length:]
        return int(head.split()[1]), json.loads(text) if text else None

    def take(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise SystemExit("bench: the host closed a connection")
        self.rest += piece

    def good(self, method, path, body=None):
        self.send(method, path, body)
        return self.good_answer(f"{method} {path}")

    def good_answer(self, about):
        status, answer = self.receive()
        said = answer or {}
        if status >= 300 or "error" in said or said.get("result", {}).get("isError"):
            raise SystemExit(f"bench: {about}: {status} {answer}")
        return answer

    def echo(self):
        return self.good("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ECHO})


class Host:
    """A host of its own on core 1, with `echo` of `hello` inline. `more`: further sections of its configuration."""

    def __init__(self, build, folder, more=""):
        folder.mkdir()
        self.binary, self.port, self.config = build / "toolpost", free_port(), folder / "config.toml"
        self.store = folder / "store.db"
        self.config.write_text(
            f'[server]\nlisten = "127.0.0.1:{self.port}"\n'
            f'[plugins]\ndirs = ["{build / "plugins"}"]\n[plugin.hello]\nisolation = "inline"\n'
            f'[store]\nfile = "{self.store}"\n[audit]\nfile = "{folder / "audit.jsonl"}"\n[log]\nlevel = "warning"\n'
            f'{more}')

    def __enter__(self):
        self.process = subprocess.Popen(pinned(1, [self.binary, "serve", "--config", self.config]),
                                        stderr=subprocess.DEVNULL)  # which has a link to the console
        wait_for_port(self.port, self.process)
        time.sleep(1)  # what it does at the start is over
        self.connection = Connection(self.port)
        self.connection.echo()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)

    def proc(self, name):
        return pathlib.Path(f"/proc/{self.process.pid}/{name}")

    def cpu_s(self):
        """Of all threads, to the nanosecond."""
        return sum(int((task / "schedstat").read_text().split()[0]) for task in self.proc("task").iterdir()) / 1e9

    def user_and_system_s(self):
        """Of all threads, in steps of 10 ms."""
        fields = self.proc("stat").read_text().rpartition(")")[2].split()
        return tuple(int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in fields[11:13])

    def wait_for_tracer(self):
        """Until each thread is traced."""
        for _ in range(1000):
            if all("TracerPid:\t0\n" not in (task / "status").read_text() for task in self.proc("task").iterdir()):
                return
            time.sleep(0.01)
        raise SystemExit("bench: the host cannot be traced")

    def written(self):
        return int(self.proc("io").read_text().split("\nwrite_bytes: ")[1].split()[0])

    def resident(self):
        return int(self.proc("statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cost(self, act, times):
        """Microseconds of processor time and of the clock for each act."""
        cpu, clock = self.cpu_s(), time.perf_counter()
        for _ in range(times):
            act()
        return (self.cpu_s() - cpu) / times * 1e6, (time.perf_counter() - clock) / times * 1e6


def median(figures):
    return statistics.median(figures)


def commit_cost(folder, times):
    """Microseconds of the clock (the median) for one commit of a row as large as a record, with the settings of the
    host's store."""
    with sqlite3.connect(folder / "commits.db", isolation_level=None) as store:
        store.execute("pragma journal_mode = wal")
        store.execute("pragma synchronous = full")
        store.execute("create table records (id integer primary key, bytes blob)")
        figures = []
        for _ in range(times):
            began = time.perf_counter()
            store.execute("insert into records (bytes) values (?)", (b"x" * 600,))
            figures.append((time.perf_counter() - began) * 1e6)
        return median(figures)


def sync_cpu_us(folder, times):
    """Processor time of the least that a commit can do: one page is written in place, and synced."""
    with open(folder / "sync", "wb") as file:
        file.write(bytes(4096 * times))
        os.fsync(file.fileno())
        began = time.process_time_ns()
        for page in range(times):
            os.pwrite(file.fileno(), b"x" * 4096, 4096 * page)
            os.fdatasync(file.fileno())
        return (time.process_time_ns() - began) / times / 1e3
