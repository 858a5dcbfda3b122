"""Starts the real `toolpost` for tests, and ends it: a workspace of its own, a free port, no sleeps but polls.

From the environment: TP_BUILD the build folder, TP_SOURCE the tree, TP_NPM where the MCP clients are.
"""
import contextlib
import http.client
import json
import os
import pathlib
import queue
import random
import re
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("TP_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("TP_BUILD", SOURCE / "build/dev"))
NPM = pathlib.Path(os.environ.get("TP_NPM", SOURCE / "build/npm"))
TOOLPOST = BUILD / "toolpost"
# A sanitized or loaded machine is slow: what waits for something waits this long before it fails.
PATIENCE_S = 120
START_S = 120  # until a host has loaded its plugins in processes of their own, and a command its libraries

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
PROBLEM_JSON = "application/problem+json"
PLUGIN_FOLDERS = [BUILD / "plugins", BUILD / "tests/plugins", BUILD / "tests/integration/plugins"]


def plugin_file(name):
    """The built library `name`.so, wherever the build keeps it."""
    for folder in PLUGIN_FOLDERS:
        if (folder / f"{name}.so").exists():
            return folder / f"{name}.so"
    raise AssertionError(f"{name}.so is not built in any of {[str(f) for f in PLUGIN_FOLDERS]}")


def wait_until(what, condition, timeout_s=PATIENCE_S):
    """Polls until condition() is true; returns its value."""
    end = time.monotonic() + timeout_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"did not happen within {timeout_s} s: {what}")
        time.sleep(0.02)


class Workspace:
    """A folder with plugins/, skills/ and a config.toml that names them."""

    def __init__(self, plugins=(), config="", isolation=None):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="toolpost-test-"))
        for folder in ("plugins", "skills", "home"):
            (self.root / folder).mkdir()
        self.audit = self.root / "audit.jsonl"
        sections = [f'[plugin.{name}]\nisolation = "{isolation}"' for name in plugins] if isolation else []
        self.write_config("\n".join([
            f'[plugins]\ndirs = ["{self.root}/plugins"]\ndebounce_s = 0.05\nretire_grace_s = 0.2',
            f'[skills]\ndirs = ["{self.root}/skills"]',
            f'[audit]\nfile = "{self.audit}"',
            *sections,
            config,
        ]))
        for name in plugins:
            self.drop(name)

    def write_config(self, text):
        self.config = self.root / "config.toml"
        self.config.write_text(text + "\n")

    def drop(self, name, source=None):
        """Puts a library into the watched folder as a good linker or installer does: whole, by rename."""
        target = self.root / "plugins" / f"{name}.so"
        beside = self.root / f"{name}.so.new"
        shutil.copyfile(source or plugin_file(name), beside)
        beside.chmod(0o755)
        os.replace(beside, target)
        return target

    def skill(self, name, text):
        folder = self.root / "skills" / name
        folder.mkdir(exist_ok=True)
        (folder / "SKILL.md").write_text(text)
        return folder

    def gate(self, name="gate"):
        """Arguments of the zoo's tool `until`, which runs until open_gate()."""
        return {"file": str(self.root / name)}

    def open_gate(self, name="gate"):
        (self.root / name).touch()

    def audit_lines(self, event=None):
        """Those of calls; or of another kind of event."""
        lines = [json.loads(line) for line in self.audit.read_text().splitlines()] if self.audit.exists() else []
        return [line for line in lines if line.get("event") == event]

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)


def environment(root):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("TOOLPOST_", "XDG_"))}
    # A busy machine may take longer to load a library than plugins.probe_timeout_s allows.
    return clean | {"HOME": str(root / "home"), "NO_COLOR": "1", "TOOLPOST_PLUGINS__PROBE_TIMEOUT_S": "120"}


def state_of(pid):
    """One letter of /proc/PID/stat; empty where there is no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def files_below(folder):
    """The files in `folder` and in its folders. Unlike rglob(), it does not fail if the host deletes a folder meanwhile.
    A running host may also have deleted a file of the result."""
    return [pathlib.Path(parent) / name for parent, _, names in os.walk(folder) for name in names]


def stores(place):
    """The files of the hosts' stores."""
    return [file for file in files_below(place.root) if file.name == "toolpost.db"]


def store_of(place):
    """The only store."""
    (store,) = stores(place)
    return store


def suspend(place, host):
    """Stops the process of the host where it has no lock of the store. Returns the store's file."""
    store = store_of(place)
    while True:
        host.child.send_signal(signal.SIGSTOP)
        wait_until("it is stopped", lambda: state_of(host.child.pid) == "T")
        try:
            with contextlib.closing(sqlite3.connect(store, timeout=0)) as opened:
                opened.execute("BEGIN IMMEDIATE")
                opened.rollback()
            return store
        except sqlite3.OperationalError:
            host.child.send_signal(signal.SIGCONT)


def processes_of(place):
    """{pid: command line} of a workspace's hosts and of all that they started, by whatever parents: by their environment."""
    mark = b"HOME=" + os.fsencode(place.root / "home") + b"\0"
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark in (entry / "environ").read_bytes() + b"\0" and state_of(entry.name) != "Z":
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
        except OSError:
            continue  # it has ended, or is another user's
    return found


class Process:
    """A child whose standard error is kept line by line: at each look, all that it had written by then."""

    def __init__(self, command, root, env=None, **options):
        self.command = [str(part) for part in command]
        self.child = subprocess.Popen(self.command, env=env or environment(root), stderr=subprocess.PIPE, **options)
        self._lines, self._rest, self._ended = [], b"", False
        self._taking = threading.Lock()
        self.reader = threading.Thread(target=self._read_errors, daemon=True)
        self.reader.start()

    def _take_errors(self):
        """Moves what is in the pipe to the lines. False once the pipe has ended."""
        with self._taking:
            pipe = select.poll()
            if not self._ended:
                pipe.register(self.child.stderr, select.POLLIN)
            while not self._ended and pipe.poll(0):
                piece = os.read(self.child.stderr.fileno(), 1 << 16)
                self._ended = not piece
                *lines, self._rest = (self._rest + piece).split(b"\n")
                if self._ended and self._rest:
                    lines, self._rest = lines + [self._rest], b""
                self._lines += [line.decode("utf-8", "replace") for line in lines]
            return not self._ended

    def _read_errors(self):  # so that the child never waits for a full pipe
        pipe = select.poll()
        pipe.register(self.child.stderr, select.POLLIN)
        while self._take_errors():
            pipe.poll()

    @property
    def errors(self):
        self._take_errors()
        return self._lines

    def error_text(self):
        return "\n".join(self.errors)

    def running(self):
        return self.child.poll() is None

    def stop(self):
        """Asks it to end and returns its exit code; a child that does not listen is killed."""
        if self.running():
            self.child.terminate()
        return self.wait()

    def wait(self):
        try:
            code = self.child.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.child.kill()
            code = self.child.wait()
            raise AssertionError(f"did not end when asked to: {self.command}\n{self.error_text()}") from None
        finally:
            self.reader.join(PATIENCE_S)
            with self._taking:
                self._ended = True
            for stream in (self.child.stdin, self.child.stdout, self.child.stderr):
                if stream:
                    try:
                        stream.close()
                    except BrokenPipeError:
                        pass
        return code


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_port():
    """A port for who binds it later: outside of the range from which the kernel gives ports to everybody else."""
    low, high = map(int, pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    ports = range(10000, 65536)
    outside = [port for port in ports if not low <= port <= high] or ports
    return next(port for port in random.sample(outside, len(outside)) if is_free(port))


class HttpHost(Process):
    """`toolpost serve`, on a free port where none is named; `within`: words of a command that runs it."""

    def __init__(self, workspace, *arguments, port=0, within=()):
        command = [*within, TOOLPOST, "serve", "--config", workspace.config, "--listen", f"127.0.0.1:{port}", *arguments]
        # The port of an earlier host may be another process's for a while: the kernel gives free ones to connections.
        for last in (port == 0, False, False, False, True):
            super().__init__(command, workspace.root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            try:
                self.url = wait_until("the host says where it listens", self._address, START_S)
                break
            except AssertionError:
                if last or self.running():
                    raise
                self.wait()
                if "already in use" not in self.error_text():
                    raise
            wait_until(f"port {port} is free", lambda: is_free(port))
        self.port = int(re.search(r":(\d+)/", self.url).group(1))

    def _address(self):
        for line in self.errors:
            match = re.search(r"listening on (http://\S+/mcp)", line)
            if match:
                return match.group(1)
        if not self.running():
            raise AssertionError(f"the host ended with {self.child.returncode}:\n{self.error_text()}")
        return None

    def connect(self, timeout_s=PATIENCE_S):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)

    def post(self, body, headers=None, connection=None):
        """One POST; (status, headers, body as text)."""
        own = connection or self.connect()
        data = body if isinstance(body, (bytes, str)) else json.dumps(body)
        data = data.encode() if isinstance(data, str) else data
        own.request("POST", "/mcp", data, {"Content-Type": "application/json", **(headers or {})})
        response = own.getresponse()
        text = response.read().decode("utf-8", "replace")
        if connection is None:
            own.close()
        return response.status, dict((k.lower(), v) for k, v in response.getheaders()), text

    def fetch(self, method, path, body=None, key=None, headers=None):
        """One request that is no MCP: (status, headers, body as JSON or text)."""
        connection = self.connect()
        fields = dict(headers or {})
        if key:
            fields["Authorization"] = f"Bearer {key}"
        if body is not None:
            fields["Content-Type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body), fields)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        content_type = answer.headers.get("Content-Type")
        is_json = content_type in ("application/json", PROBLEM_JSON) and text
        told = json.loads(text) if is_json else text
        if answer.status >= 400 and method != "HEAD" and path.removeprefix("/api").startswith("/v1/"):
            assert content_type == PROBLEM_JSON and is_problem(told, answer.status), (method, path, content_type, text)
        return answer.status, answer.headers, told

    def request(self, method, params=None, era="bare", request_id=1, connection=None, headers=None):
        """The JSON-RPC answer to one request of an era: "bare" (no version at all), or "modern"."""
        status, _, text = self.post(*message(method, params, era, request_id, headers), connection=connection)
        answer = last_message(text)
        answer["http_status"] = status
        return answer

    def call(self, tool, arguments=None, era="bare", **options):
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}}, era, **options)


def problem(name):
    """The `type` of an error over REST."""
    return "/v1/problems/" + name


def is_problem(told, status):
    """True for a problem document (RFC 9457) of this status."""
    return (told["type"].startswith(problem("")) and told["status"] == status
            and all(isinstance(told[member], str) and told[member] for member in ("title", "detail")))


def message(method, params, era, request_id=1, headers=None):
    body = {"jsonrpc": "2.0", "id": request_id, "method": method}
    if params is not None:
        body["params"] = dict(params)
    headers = dict(headers or {})
    if era == "modern":
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        body.setdefault("params", {}).setdefault("_meta", {}).update(meta)
        headers |= {
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": method,
            "Accept": "application/json, text/event-stream",
        }
        if "name" in body["params"]:
            headers["Mcp-Name"] = body["params"]["name"]
    return body, headers


def last_message(text):
    """The last JSON-RPC message of a body, be it JSON or server-sent events."""
    text = text.strip()
    if text.startswith("{") or text.startswith("["):
        return json.loads(text)
    data = [line[5:].strip() for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
    if not data:
        raise AssertionError(f"no JSON-RPC message in {text!r}")
    return json.loads(data[-1])


class StdioHost(Process):
    """`toolpost serve --stdio`, spoken to line by line."""

    def __init__(self, workspace, *arguments):
        command = [TOOLPOST, "serve", "--stdio", "--config", workspace.config, *arguments]
        super().__init__(command, workspace.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        self.ids = 0
        threading.Thread(target=self._read_lines, daemon=True).start()

    def _read_lines(self):
        for line in self.child.stdout:
            self.lines.put(json.loads(line))  # nothing but protocol may stand on standard output
        self.lines.put(None)

    def send(self, data):
        data = json.dumps(data) if isinstance(data, dict) else data
        data = data.encode() if isinstance(data, str) else data
        self.child.stdin.write(data + b"\n")
        self.child.stdin.flush()

    def receive(self):
        try:
            answer = self.lines.get(timeout=PATIENCE_S)
        except queue.Empty:
            raise AssertionError(f"no answer\n{self.error_text()}") from None
        if answer is None:
            raise AssertionError(f"the host closed its output\n{self.error_text()}")
        return answer

    def initialize(self, version=LEGACY, capabilities=None):
        answer = self.request("initialize", {
            "protocolVersion": version,
            "capabilities": capabilities or {},
            "clientInfo": {"name": "test", "version": "1"},
        })
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def request(self, method, params=None):
        """Sends one request and returns its answer; notifications before it are left out."""
        self.ids += 1
        body = {"jsonrpc": "2.0", "id": self.ids, "method": method}
        if params is not None:
            body["params"] = params
        self.send(body)
        while True:
            answer = self.receive()
            if answer.get("id") == self.ids and "method" not in answer:
                return answer

    def call(self, tool, arguments=None):
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}})

    def close_input(self):
        """End of input ends the host: its exit code."""
        self.child.stdin.close()
        return self.wait()


def text_of(answer):
    """The text of a tool result's content."""
    if "result" not in answer:
        raise AssertionError(f"not a result: {answer}")
    return "\n".join(block["text"] for block in answer["result"]["content"] if block["type"] == "text")


def run_toolpost(workspace, *arguments, timeout_s=START_S):
    """One command to its end: the finished process with text output."""
    return subprocess.run([str(TOOLPOST), *map(str, arguments)], env=environment(workspace.root), text=True,
                          capture_output=True, timeout=timeout_s, check=False, stdin=subprocess.DEVNULL,
                          cwd=workspace.root)


class TestCase(unittest.TestCase):
    """Ends in reverse order what a test started, and says what the host logged when a test fails."""

    maxDiff = None

    def workspace(self, *plugins, **options):
        made = Workspace(plugins, **options)
        self.addCleanup(made.close)
        return made

    def http_host(self, workspace, *arguments, **options):
        return self._kept(HttpHost(workspace, *arguments, **options))

    def stdio_host(self, workspace, *arguments):
        return self._kept(StdioHost(workspace, *arguments))

    def _kept(self, host):
        def end():
            if host.running():
                self.assertEqual(host.stop(), 0, f"{host.command} did not end well:\n{host.error_text()}")
            for line in host.errors:
                self.assertNotIn("Sanitizer", line, host.error_text())
        self.addCleanup(end)
        return host
