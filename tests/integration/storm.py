"""What a reload storm is made of: builds that say their number, the ways in which tools replace a file, connections that
call without pause, and what a host holds."""
import collections
import os
import pathlib
import random
import re
import selectors
import shutil
import socket
import subprocess
import threading
import time

from harness import plugin_file

DIGITS = 10
SAYS_BUILD = re.compile(rb'"text":"build (\d{10})"')


class Builds:
    """Libraries of one plugin that answer with their number; each differs from every other in its bytes."""

    def __init__(self, name, folder):
        self.bytes = plugin_file(name).read_bytes()
        self.folder = folder
        mark = b"build " + b"0" * DIGITS
        if self.bytes.count(mark) != 2:
            raise AssertionError(f"{name}.so does not have its number in two places")
        self.mark = mark
        self.made = 0

    def make(self):
        """A whole library in a folder that nobody watches, and its number."""
        self.made += 1
        number = f"build {self.made:0{DIGITS}}".encode()
        file = self.folder / f"{self.made}.so"
        file.write_bytes(self.bytes.replace(self.mark, number))
        file.chmod(0o755)
        return file, self.made


class Writer:
    """Replaces one plugin's file, each time in another manner. What it leaves is a whole build each time."""

    PIECES = 5

    def __init__(self, target, builds, seed):
        self.target = target
        self.builds = builds
        self.links = builds.folder / "links"  # what the plugin's file points at, when it is a symbolic link
        self.links.mkdir()
        self.random = random.Random(seed)
        self.done = collections.Counter()
        self.last = 0
        self.manners = [self.copy_over, self.rename_over, self.install, self.write_slowly, self.write_in_place,
                        self.strip, self.swap_link, self.delete_and_create]

    def replace(self):
        """One new build; its number."""
        if not self.done or not self.coming:
            self.coming = self.random.sample(self.manners, len(self.manners))
        manner = self.coming.pop()
        source, self.last = self.builds.make()
        manner(source)
        source.unlink(missing_ok=True)
        for old in self.links.iterdir():
            if not self.target.is_symlink() or old != pathlib.Path(os.readlink(self.target)):
                old.unlink()
        self.done[manner.__name__] += 1
        return self.last

    def run(self, *command):
        subprocess.run([str(part) for part in command], check=True)

    def copy_over(self, source):  # onto the same inode
        self.run("cp", source, self.target)

    def rename_over(self, source):
        self.run("mv", "-f", source, self.target)

    def install(self, source):
        self.run("install", "-m", "755", source, self.target)

    def write_slowly(self, source):
        """As a linker or a download on a slow disk: looked at more than once before it is whole."""
        self.write_pieces(source, "wb")

    def write_in_place(self, source):
        """Over the bytes that are there, never shorter: each moment's file has the structure of a library."""
        if self.target.stat().st_size != source.stat().st_size:  # after strip
            self.run("cp", source, self.target)
        self.write_pieces(source, "r+b")

    def write_pieces(self, source, mode):
        content = source.read_bytes()
        size = len(content) // self.PIECES + 1
        with open(self.target, mode, buffering=0) as file:
            for at in range(0, len(content), size):
                file.write(content[at:at + size])
                time.sleep(self.random.uniform(0, 0.04))

    def strip(self, source):  # rewrites the file where it lies
        self.run("cp", source, self.target)
        self.run("strip", self.target)

    def swap_link(self, source):  # as `ln -sfn`
        real = self.links / source.name
        source.rename(real)
        beside = self.builds.folder / "link"
        beside.symlink_to(real)
        os.replace(beside, self.target)

    def delete_and_create(self, source):
        self.target.unlink()
        time.sleep(self.random.uniform(0, 0.03))
        shutil.copy(source, self.target)


class Callers:
    """Connections that each call again as soon as they are answered, tool by tool in turn, on a thread of their own."""

    def __init__(self, port, tools, count):
        self.tools = tools
        self.faults = []
        self.calls = 0
        self.seen = [dict.fromkeys(tools, 0) for _ in range(count)]  # the last build, by connection
        self.stopping = False
        self.resting = []  # connections that were answered and wait, from rest() to go_on()
        self.may_call = threading.Event()
        self.may_call.set()
        self.requests = {tool: self.request(port, tool) for tool in tools}
        self.ready = selectors.DefaultSelector()
        for number in range(count):
            connection = socket.create_connection(("127.0.0.1", port))
            state = {"number": number, "connection": connection, "read": b"", "turn": number}
            self.ready.register(connection, selectors.EVENT_READ, state)
            self.send(state)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    @staticmethod
    def request(port, tool):
        body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}'
        return (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}").encode()

    def send(self, state):
        state["turn"] += 1
        state["tool"] = self.tools[state["turn"] % len(self.tools)]
        state["connection"].sendall(self.requests[state["tool"]])

    def rest(self):
        """No call begins until go_on(); the connections stay."""
        self.may_call.clear()

    def go_on(self):
        self.may_call.set()

    def run(self):
        while not self.stopping and len(self.faults) < 100:
            while self.may_call.is_set() and self.resting:
                self.send(self.resting.pop())
            for key, _ in self.ready.select(0.1):
                try:
                    self.read(key.data)
                except OSError as fault:
                    self.lose(key.data, repr(fault))

    def read(self, state):
        part = state["connection"].recv(65536)
        if not part:
            return self.lose(state, "the connection was closed")
        state["read"] += part
        head, found, body = state["read"].partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        if not found or len(body) < int(length.group(1)):
            return None
        state["read"] = b""
        self.judge(state, body)
        return self.send(state) if self.may_call.is_set() else self.resting.append(state)

    def lose(self, state, why):
        self.faults.append(why)
        self.ready.unregister(state["connection"])
        state["connection"].close()

    def judge(self, state, body):
        self.calls += 1
        said = SAYS_BUILD.search(body)
        if not said or b'"isError":true' in body:
            return self.faults.append(body.decode("utf-8", "replace"))
        seen = self.seen[state["number"]]
        build = int(said.group(1))
        if build < seen[state["tool"]]:
            self.faults.append(f"{state['tool']}: build {build} answered after {seen[state['tool']]}")
        seen[state["tool"]] = build
        return None

    def all_have(self, tool, build):
        return bool(self.faults) or all(seen[tool] >= build for seen in self.seen)

    def stop(self):
        self.stopping = True
        self.thread.join()
        for key in list(self.ready.get_map().values()):
            key.data["connection"].close()


def opened(pid):
    """What each descriptor of a process is open on, as far as one look at all of them can tell."""
    kinds = collections.Counter()
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{number}")
        except OSError:  # closed meanwhile
            continue
        kinds[target.partition(":[")[0]] += 1
    return kinds


class Holdings:
    """What a process has at this moment."""

    def __init__(self, pid):
        self.descriptors = opened(pid)
        self.threads = len(os.listdir(f"/proc/{pid}/task"))
        self.children = sorted(state for parent, state in self.processes() if parent == pid)
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        self.resident_kib = int(re.search(r"VmRSS:\s+(\d+)", status).group(1))
        maps = pathlib.Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
        self.libraries = {line.split()[-1] for line in maps.splitlines() if "toolpost-plugins-" in line}

    @staticmethod
    def processes():
        for entry in os.listdir("/proc"):
            try:
                stat = pathlib.Path(f"/proc/{entry}/stat").read_text(encoding="utf-8") if entry.isdigit() else None
            except OSError:  # it ended meanwhile
                continue
            if stat:
                state, parent = stat.rsplit(")", 1)[1].split()[:2]
                yield int(parent), state

    def __str__(self):
        return (f"{self.descriptors.total()} descriptors, {self.threads} threads, {len(self.children)} children, "
                f"{len(self.libraries)} libraries mapped, {self.resident_kib} KiB")
