"""Upstreams over stdio in a sandbox: what their process can reach, and what becomes of it without one."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import unittest

from harness import BUILD, NPM, TOOLPOST, environment, files_below, processes_of, run_toolpost, text_of, wait_until
from test_old_kernel import mask_landlock
from test_upstreams import BYPASS, DOUBLE, Upstreams

SERVER = BUILD / "tests/plugins/escape_server"
ROOT = os.geteuid() == 0
# The kernel limits no processes of root: such a host needs another user for an upstream that starts processes.
OTHER_USER = "uid = 65534\n" if ROOT else ""
# Without user namespaces the kernel counts all processes of a user, and the host refuses the limit.
COUNTS = subprocess.run(["unshare", "--user", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def sandboxed(name, sandbox="", command=SERVER, args=(), more=""):
    """An upstream with the keys of `sandbox`; None: without a sandbox."""
    words = ", ".join(json.dumps(str(word)) for word in args)
    section = f'[[upstream]]\nname = "{name}"\ncommand = "{command}"\nargs = [{words}]\n{more}\n'
    return section if sandbox is None else section + f"[upstream.sandbox]\n{sandbox}\n"


class Sandboxes(Upstreams):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not SERVER.exists():
            raise AssertionError(f"{SERVER} is not built")

    def attempt(self, host, name, what, target=""):
        return text_of(host.call(f"mcp__{name}__attempt", {"what": what, "target": str(target)}))

    def ready(self, host, *names):
        for name in names:
            self.listed(host, f"mcp__{name}__attempt")

    def admin_key(self, host):
        made = run_toolpost(self.place, "key", "new", "root", "--scope", "admin", "--json", "--config", self.place.config)
        key = json.loads(made.stdout)["key"]
        wait_until("the key is known", lambda: host.fetch("GET", "/v1/config", key=key)[0] == 200)
        return key

    def admin(self, host, method, path):
        return host.fetch(method, path, key=self.admin_key(host))[2]

    def folder(self, name):
        made = self.place.root / name
        made.mkdir()
        made.chmod(0o777)  # the upstream may be another user's
        (made / "file").write_text("some text\n")
        (made / "file").chmod(0o666)
        return made


class Attempts(Sandboxes):
    """One host: a server with a folder to read and one to write, the same with more grants, and the same without a sandbox."""

    def setUp(self):
        self.place = self.workspace()
        self.place.root.chmod(0o755)
        self.read, self.write, self.secret = (self.folder(name) for name in ("read", "write", "secret"))
        command = shutil.copy(SERVER, self.place.root)  # where another user reaches it
        grants = f'fs = ["ro:{self.read}", "rw:{self.write}"]\n'
        more = grants + OTHER_USER + f"sockets = true\nexec = true\nprocesses = {30 if COUNTS else 0}"
        self.place.write_config(self.place.config.read_text() + BYPASS + sandboxed("held", grants + "memory_mib = 64\nfile_mib = 1", command)
                                + sandboxed("more", more, command) + sandboxed("free", None, command))
        self.host = self.http_host(self.place)
        if "no Landlock" in self.host.error_text():
            self.skipTest("this kernel has no Landlock")
        self.ready(self.host, "held", "more", "free")

    def all_refused(self, name, attempts):
        """Each is refused in the sandbox, and works without it."""
        for what, target in attempts:
            self.assertIn(self.attempt(self.host, name, what, target), ("EPERM", "EACCES", "ENOSYS"), (what, target))
            self.assertEqual(self.attempt(self.host, "free", what, target), "done", (what, target))

    def test_files_outside_its_grants_cannot_be_reached(self):
        state = self.place.root / "home/.local/state/toolpost"
        own = [file for file in files_below(state) if file.is_file()]
        self.assertTrue(own, "the host has no files of its own")
        for name in ("held", "more"):
            self.all_refused(name, [("read", "/etc/passwd"), ("read", self.place.config), ("read", self.secret / "file"),
                                    ("list", self.secret), ("list", "/tmp"), ("write", self.secret / f"new-{name}"),
                                    ("write", self.read / f"new-{name}"), ("truncate", self.read / "file"),
                                    ("make_folder", self.secret / f"made-{name}")]
                             + [("read", file) for file in own if file.stat().st_size])
        self.assertEqual(self.attempt(self.host, "held", "read", self.read / "file"), "done")
        for name in ("held", "more"):
            for what, target in (("list", self.read), ("read", self.write / "file"), ("write", self.write / f"new-{name}"),
                                 ("make_folder", self.write / f"made-{name}"), ("remove", self.write / f"new-{name}")):
                self.assertEqual(self.attempt(self.host, name, what, target), "done", (name, what))

    def test_a_link_in_a_granted_folder_leads_nowhere_else(self):
        (self.write / "link").symlink_to(self.secret / "file")
        self.all_refused("held", [("read", self.write / "link"), ("write", self.write / "link")])

    def test_the_network_and_local_services_cannot_be_reached(self):
        path = str(self.secret / "socket")
        with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as local:
            tcp.bind(("127.0.0.1", 0))
            tcp.listen()
            local.bind(path)
            local.listen()
            port = tcp.getsockname()[1]
            self.all_refused("held", [("tcp", port), ("udp", port), ("unix", path)])
            self.all_refused("more", [("unix", path)])
            self.assertEqual(self.attempt(self.host, "more", "tcp", port), "done")

    def test_the_host_and_the_keeper_cannot_be_reached(self):
        pid = self.host.child.pid
        for name in ("held", "more"):
            self.all_refused(name, [("signal", pid), ("signal_parent", ""), ("trace", pid), ("read", f"/proc/{pid}/environ"),
                                    ("parent_environment", "")])
            for what in ("signal_all", "signal_parent_group", "queue_to_parent", "own_by_parent", "aim_at_parent",
                         "slow_parent", "limit_parent", "outlive_parent", "io_uring", "perf_event", "mount", "unshare"):
                self.assertIn(self.attempt(self.host, name, what, "/"), ("EPERM", "EACCES", "ENOSYS", "ESRCH"), what)
        self.assertTrue(self.host.running())

    def test_processes_and_memory_are_limited(self):
        self.all_refused("held", [("fork", ""), ("run", "/bin/true")])
        self.assertEqual(self.attempt(self.host, "more", "run", "/bin/true"), "done")
        self.assertEqual(self.attempt(self.host, "more", "fork_often"), "EAGAIN" if COUNTS else "done")
        self.assertEqual(self.attempt(self.host, "free", "fork_often"), "done")
        self.assertEqual(self.attempt(self.host, "held", "allocate", 128), "ENOMEM")
        self.assertEqual(self.attempt(self.host, "held", "allocate", 8), "done")
        self.assertEqual(self.attempt(self.host, "free", "allocate", 128), "done")
        self.assertEqual(self.attempt(self.host, "held", "thread"), "done")

    def test_everyone_sees_who_is_in_a_sandbox(self):
        upstreams = {one["name"]: one for one in self.admin(self.host, "GET", "/v1/upstreams")["upstreams"]}
        self.assertIsNone(upstreams["free"]["sandbox"])
        held = upstreams["held"]["sandbox"]
        self.assertIn(f"rw:{self.write}", held["grants"])
        self.assertIn("memory_mib 64", held["grants"])
        self.assertLessEqual({"limits", "no_new_privs", "capabilities", "landlock", "seccomp"},
                             {layer["layer"] for layer in held["layers"] if layer["active"]})
        self.assertEqual(held["absent"], [])
        self.assertEqual(self.status("held")["sandbox"], held)
        self.assertRegex(self.cli("list").stdout, r"held: sandbox: limits \(memory 64 MiB.*seccomp")
        self.assertIn("runs in a sandbox", self.host.error_text())

    def test_it_ends_with_its_host(self):
        self.assertIn("escape_server", " ".join(processes_of(self.place).values()))
        self.host.child.kill()
        self.host.wait()
        wait_until("nothing of the host's is left", lambda: not processes_of(self.place))


class Refusals(Sandboxes):
    """A sandbox that cannot be made: the upstream does not start, and says why."""

    def test_a_required_layer_that_the_kernel_lacks(self):
        require = '[sandbox]\nrequire = ["landlock"]\n'
        self.place = self.workspace(config=BYPASS + require + sandboxed("held") + sandboxed("free", None))
        done = subprocess.run([TOOLPOST, "upstream", "test", "held", "--config", self.place.config], text=True,
                              env=environment(self.place.root), capture_output=True, preexec_fn=mask_landlock, check=False)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn('the sandbox lacks "landlock", which sandbox.require names', done.stderr)
        self.assertEqual(self.cli("test", "held").returncode, 0)

    @unittest.skipUnless(ROOT, "the kernel limits the processes of other users")
    def test_processes_of_root_are_not_limited(self):
        self.place = self.workspace(config=BYPASS + sandboxed("held", "exec = true") + sandboxed("open", "exec = true\nprocesses = 0"))
        self.assertIn("the kernel does not limit the processes of root", self.cli("test", "held", exit_code=1).stderr)
        self.assertEqual(self.cli("test", "open").returncode, 0)

    def test_a_command_that_does_not_exist(self):
        self.place = self.workspace(config=BYPASS + sandboxed("gone", command="no-such-program"))
        self.assertIn('the command "no-such-program" cannot be run: No such file', self.cli("test", "gone", exit_code=1).stderr)

    def confined_by(self, script):
        """What `upstream test` says where `script` is in the place of toolpost-confine; None: nothing is there."""
        self.place = self.workspace(config=BYPASS + sandboxed("held") + sandboxed("free", None))
        programs = self.place.root / "programs"
        programs.mkdir()
        for name in ("toolpost", "toolpost-keeper"):
            shutil.copy(BUILD / name, programs)
        confine = programs / "toolpost-confine"
        if script is not None:
            confine.write_text("#!/bin/sh\n" + script)
            confine.chmod(0o755)
        told = []
        for name, code in (("free", 0), ("held", 1)):
            done = subprocess.run([programs / "toolpost", "upstream", "test", name, "--config", self.place.config], text=True,
                                  env=environment(self.place.root), capture_output=True, check=False)
            self.assertEqual(done.returncode, code, done)
            told.append(done.stderr)
        return confine, told[1]

    def test_the_program_that_makes_the_sandbox_is_missing(self):
        confine, told = self.confined_by(None)
        self.assertIn(f'the host\'s program "{confine}" cannot be run: No such file or directory', told)

    # Up to its command, like toolpost-confine.
    EXECUTES = 'while [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'

    def test_a_program_that_reports_no_sandbox_is_not_believed(self):
        _, told = self.confined_by(self.EXECUTES)
        self.assertIn("toolpost-confine did not report that it made the sandbox", told)

    def test_a_program_that_reports_a_part_of_the_layers_is_not_believed(self):
        part = "".join(f"echo layer {name} 1 x >&4\n" for name in ("limits", "limits", "namespaces", "no_new_privs", "landlock", "seccomp"))
        _, told = self.confined_by(part + self.EXECUTES)
        self.assertIn("toolpost-confine did not report that it made the sandbox", told)

    def test_a_program_that_leaves_out_a_required_layer_is_not_believed(self):
        layers = "".join(f"echo layer {name} {int(name != 'seccomp')} x >&4\n"
                         for name in ("limits", "namespaces", "no_new_privs", "capabilities", "landlock", "seccomp"))
        _, told = self.confined_by(layers + self.EXECUTES)
        self.assertIn('toolpost-confine started it without "seccomp", which sandbox.require names', told)

    def test_a_start_that_fails_in_it_names_the_keys_to_look_at(self):
        self.place = self.workspace()
        script, secret = self.place.root / "start.sh", self.folder("secret")
        script.write_text(f'echo "before" >&2\ncat {secret}/file\nexit 1\n')
        config = self.place.config.read_text() + BYPASS
        shell = lambda name, sandbox: sandboxed(name, sandbox, "/bin/sh", (script,))
        self.place.write_config(config + shell("files", f'fs = ["ro:{script}"]\nsockets = true\n') + shell("free", None)
                                + shell("fork", f'fs = ["ro:{script}", "ro:{secret}"]'))
        free = self.cli("test", "free", exit_code=1).stderr
        self.assertNotIn("sandbox", free)
        self.assertEqual(self.status("files")["sandbox"]["layers"], [])
        fork = self.cli("test", "fork", exit_code=1).stderr
        self.assertIn(f"it ran in a sandbox with ro:{script}, ro:{secret}, without `sockets`, without `exec`", fork)
        self.assertIn('the cause of "Cannot fork" can be a missing `exec`', fork)
        self.assertRegex(fork, "The last lines of its standard error:\n  before\n.*Cannot fork")
        script.write_text(f'exec cat {secret}/file\n')
        files = self.cli("test", "files", exit_code=1).stderr
        self.assertIn(f"with ro:{script}, with `sockets`, without `exec`", files)
        self.assertIn('the cause of "Permission denied" can be a path that is missing in `fs`', files)

    def test_its_grants_are_told_to_operators_and_not_to_callers(self):
        self.place = self.workspace()
        script = self.place.root / "start.sh"
        script.write_text(f"exec {SERVER}\n")
        self.place.write_config(self.place.config.read_text() + BYPASS
                                + sandboxed("later", f'fs = ["ro:{script}", "ro:{SERVER}"]', "/bin/sh", (script,)))
        host = self.http_host(self.place)
        self.ready(host, "later")
        script.write_text("exec cat /etc/passwd\n")
        self.assertNotIn("in a sandbox", run_toolpost(self.place, "upstream", "restart", "later", "--config", self.place.config).stdout)
        told = self.attempt(host, "later", "thread")
        self.assertIn("Permission denied", told)
        self.assertNotIn(str(SERVER), told)
        self.assertIn(f"it ran in a sandbox with ro:{script}, ro:{SERVER}, without `sockets`", self.status("later")["last_error"])
        self.assertIn("it ran in a sandbox", host.error_text())

    def test_a_granted_path_that_does_not_exist(self):
        self.place = self.workspace(config=BYPASS + sandboxed("held", 'fs = ["ro:/nonexistent/folder"]'))
        shown = json.loads(self.cli("test", "held", "--json").stdout)
        self.assertEqual(shown["sandbox"]["absent"], ["/nonexistent/folder: No such file or directory"])
        self.assertIn("cannot be granted: /nonexistent/folder", self.cli("test", "held").stdout)
        done = subprocess.run([TOOLPOST, "doctor", "--config", self.place.config], text=True, env=environment(self.place.root),
                              capture_output=True, check=False)
        self.assertRegex(done.stdout, "warning +upstream held: .*/nonexistent/folder")

    def test_the_end_of_a_server_in_a_call_names_the_key_that_can_be_the_cause(self):
        words = ("-B", DOUBLE, "dies", "says=PermissionError: [Errno 13] Permission denied: 'notes.txt'")
        quiet = ("-B", DOUBLE, "dies", "says=bye")
        grants = f'fs = ["ro:{DOUBLE}", "ro:{sys.base_prefix}"]\n'
        self.place = self.workspace(config=BYPASS + sandboxed("box", grants, sys.executable, words)
                                    + sandboxed("quiet", grants, sys.executable, quiet))
        host = self.http_host(self.place)
        self.listed(host, "mcp__box__act", "mcp__quiet__act")
        self.assertRegex(self.cli("list").stdout, f"box: grants: ro:{DOUBLE}, ro:{sys.base_prefix}, .*memory_mib 1024")
        for name in ("box", "quiet"):
            self.assertNotIn("sandbox", text_of(host.call(f"mcp__{name}__act")))
            wait_until("it has ended", lambda one=name: self.status(one)["last_error"])
        hint = 'the cause of "Permission denied" can be a path that is missing in `fs`'
        self.assertIn(hint, self.status("box")["last_error"])
        self.assertIn(hint, host.error_text())
        self.assertNotIn("sandbox", self.status("quiet")["last_error"])
        self.assertRegex(run_toolpost(self.place, "doctor", "--config", self.place.config).stdout, f"warning +upstream box: .*{hint}")

    def test_processor_time_ends_it(self):
        self.place = self.workspace(config=BYPASS + sandboxed("held", "cpu_s = 1"))
        host = self.http_host(self.place)
        self.ready(host, "held")
        self.assertIn("was killed by SIGXCPU", self.attempt(host, "held", "burn"))
        self.assertEqual(self.attempt(host, "held", "thread"), "done")  # another process


class Changes(Sandboxes):
    def test_a_changed_sandbox_takes_effect_without_a_restart(self):
        self.place = self.workspace(config=BYPASS + sandboxed("one", None))
        host = self.http_host(self.place)
        self.ready(host, "one")
        self.assertEqual(self.attempt(host, "one", "read", "/etc/passwd"), "done")
        self.place.write_config(self.place.config.read_text() + "[upstream.sandbox]\n")
        self.admin(host, "POST", "/v1/config/reload")
        wait_until("it is in a sandbox", lambda: self.attempt(host, "one", "read", "/etc/passwd") == "EACCES")
        self.assertIn("upstream.one.sandbox", host.error_text())

    def test_a_narrower_grant_takes_effect_without_a_restart(self):
        self.place = self.workspace()
        write = self.folder("write")
        (write / "out").mkdir()
        config = self.place.config.read_text() + BYPASS
        self.place.write_config(config + sandboxed("one", f'fs = ["rw:{write}"]'))
        host = self.http_host(self.place)
        self.ready(host, "one")
        self.assertEqual(self.attempt(host, "one", "write", f"{write}/file"), "done")
        self.place.write_config(config + sandboxed("one", f'fs = ["rw:{write}/out"]'))
        self.admin(host, "POST", "/v1/config/reload")
        wait_until("it has less", lambda: self.attempt(host, "one", "write", f"{write}/file") == "EACCES")
        self.assertEqual(self.attempt(host, "one", "write", f"{write}/out/file"), "done")

    def test_a_change_that_grants_a_path_below_a_writable_folder_is_refused(self):
        self.place = self.workspace()
        write = self.folder("write")
        (write / "sub").mkdir()
        config = self.place.config.read_text() + BYPASS + sandboxed("one", f'fs = ["rw:{write}"]')
        self.place.write_config(config)
        host = self.http_host(self.place)
        self.ready(host, "one")
        key = self.admin_key(host)
        self.place.write_config(config + sandboxed("two", f'fs = ["ro:{write}/sub"]'))
        said = f'{write}/sub depends on the folder {write}, which the upstream "one" can write'
        self.assertIn(said, json.dumps(host.fetch("POST", "/v1/config/reload", key=key)[2]).replace('\\"', '"'))
        checked = run_toolpost(self.place, "config", "check", "--config", self.place.config)
        self.assertNotEqual(checked.returncode, 0)
        self.assertRegex(checked.stdout + checked.stderr, r"config\.toml:\d+:\d+: error\[C017\].*" + re.escape(said))
        self.assertIn(said, self.cli("test", "two", exit_code=3).stderr)

    def test_a_path_variable_that_only_the_start_knows(self):
        self.place = self.workspace()
        write = self.folder("write")
        (self.place.root / "path").write_text(f"/usr/bin:{write}")
        more = f'env = {{ PATH = {{ file = "{self.place.root}/path" }} }}'
        self.place.write_config(self.place.config.read_text() + BYPASS + sandboxed("held", f'fs = ["rw:{write}"]', more=more))
        self.assertIn(f"PATH: {write}/* depends on the folder {write}", self.cli("test", "held", exit_code=1).stderr)

    def test_variables_of_the_loader_are_for_the_server_alone(self):
        self.place = self.workspace()
        config = self.place.config.read_text() + BYPASS
        self.place.write_config(config + sandboxed("held", more='env = { LD_BIND_NOW = "1" }'))
        self.assertIn("LD_BIND_NOW would work in the host's own programs", self.cli("test", "held", exit_code=3).stderr)
        self.place.write_config(config + sandboxed("held", f'fs = ["ro:{SERVER}"]', "env", ("LD_BIND_NOW=1", SERVER)))
        self.assertEqual(self.cli("test", "held").returncode, 0)


class Interpreters(Sandboxes):
    """Programs that were not written for a sandbox."""

    def test_python(self):
        self.place = self.workspace()
        python = pathlib.Path(os.path.realpath(sys.executable))
        base = pathlib.Path(sys.base_prefix)
        self.place.write_config(self.place.config.read_text() + BYPASS + sandboxed(
            "py", f'fs = ["ro:{DOUBLE.parent}", "ro:{base}"]', command=python, args=("-B", DOUBLE)))
        host = self.http_host(self.place)
        self.listed(host, "mcp__py__echo")
        self.assertEqual(text_of(host.call("mcp__py__echo", {"text": "hi"})), "hi")


class FileServer(Sandboxes):
    """The official server for files, in a sandbox with one folder."""

    INDEX = NPM / "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"

    def setUp(self):
        self.assertTrue(self.INDEX.exists(), "no server-filesystem here: run scripts/bootstrap --tests")
        self.place = self.workspace()
        self.share, self.secret = self.folder("share"), self.folder("secret")
        # To the server itself both folders are allowed: only the sandbox keeps it out of the second one.
        self.args = (self.INDEX, self.share, self.secret)

    def serve_files(self, *sections):
        self.place.write_config(self.place.config.read_text() + BYPASS + "".join(sections))
        return self.http_host(self.place)

    def call(self, host, name, tool, **arguments):
        result = host.call(f"mcp__{name}__{tool}", {key: str(value) for key, value in arguments.items()})["result"]
        return result.get("isError", False), result["content"][0]["text"]

    def test_it_works_in_its_folder_and_cannot_leave_it(self):
        node = NPM / "node_modules/.bin/node"
        sandbox = f'fs = ["ro:{NPM}", "rw:{self.share}"]'
        host = self.serve_files(sandboxed("held", sandbox, node, self.args), sandboxed("free", None, node, self.args))
        for name in ("held", "free"):
            self.listed(host, f"mcp__{name}__read_text_file")
            file, moved = self.share / f"{name}.txt", self.share / f"{name}-moved.txt"
            for tool, arguments in (("write_file", {"path": file, "content": "one"}), ("write_file", {"path": file, "content": "two"}),
                                    ("create_directory", {"path": self.share / f"{name}-made"}),
                                    ("list_directory", {"path": self.share}), ("directory_tree", {"path": self.share}),
                                    ("search_files", {"path": self.share, "pattern": "*.txt"}), ("get_file_info", {"path": file}),
                                    ("move_file", {"source": file, "destination": moved}), ("read_text_file", {"path": moved})):
                failed, text = self.call(host, name, tool, **arguments)
                self.assertFalse(failed, (name, tool, text))
            self.assertEqual(text, "two")
        for tool, arguments in (("read_text_file", {"path": self.secret / "file"}), ("list_directory", {"path": self.secret}),
                                ("write_file", {"path": self.secret / "new", "content": "x"})):
            failed, text = self.call(host, "held", tool, **arguments)
            self.assertTrue(failed, (tool, text))
            self.assertIn("EACCES", text)
            self.assertFalse(self.call(host, "free", tool, **arguments)[0], tool)
        self.assertEqual(self.status("held")["starts"], 1)

    def test_code_in_its_process_cannot_use_the_network(self):
        """What a changed dependency of a server could do, asked of the same interpreter in the same sandbox."""
        node = NPM / "node_modules/.bin/node"
        with socket.socket() as tcp:
            tcp.bind(("127.0.0.1", 0))
            tcp.listen()
            code = self.place.root / "try.mjs"
            code.write_text('import net from "node:net";\n'
                            f'net.connect({tcp.getsockname()[1]}, "127.0.0.1")'
                            '.on("error", (e) => { console.error(e.message); process.exit(1); })'
                            '.on("connect", () => { console.error("connected"); process.exit(1); });\n')
            config = self.place.config.read_text() + BYPASS
            for sandbox, said in ((f'fs = ["ro:{NPM}", "ro:{code}"]', "connect EPERM"), (None, "connected")):
                self.place.write_config(config + sandboxed("net", sandbox, node, (code,)))
                self.assertIn(said, self.cli("test", "net", exit_code=1).stderr)


if __name__ == "__main__":
    unittest.main()
