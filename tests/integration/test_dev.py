"""What `toolpost dev` starts to build a project ends in time: with the build, with a stop, and with a kill."""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import unittest

from harness import (PATIENCE_S, TOOLPOST, Process, TestCase, last_message, message, plugin_file, processes_of, text_of,
                     wait_until)

# In groups and sessions of their own, by parents that are gone, deaf to signals.
SLEEPERS = "sleep 2001 & (sleep 2002 &); setsid sleep 2003 & (trap '' HUP INT TERM; exec sleep 2004) & "


class DevHost(Process):
    def __init__(self, place, folder, *build, options=(), config=True):
        command = [TOOLPOST, "dev", folder, *options, *(("--build-command", " ".join(map(str, build))) if build else ()),
                   *(("--config", place.config) if config else ()), "--listen", "127.0.0.1:0"]
        super().__init__(command, place.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.printed = []
        threading.Thread(target=self._read_output, daemon=True).start()

    def _read_output(self):
        for line in self.child.stdout:
            self.printed.append(line.decode().rstrip("\n"))

    def wait_for(self, words):
        wait_until(words, lambda: any(words in line for line in self.printed))


class Dev(TestCase):
    def setUp(self):
        self.place = self.workspace()
        self.folder = self.place.root / "project"
        self.folder.mkdir()

    def dev(self, *build, options=()):
        return self._kept(DevHost(self.place, self.folder, *build, options=options))

    def dev_with_script(self, script, options=()):
        (self.place.root / "build.sh").write_text(script)
        return self.dev("sh", self.place.root / "build.sh", options=options)

    def sleepers(self):
        return {pid: words for pid, words in processes_of(self.place).items() if words.startswith("sleep 200")}

    def building(self):
        host = self.dev_with_script(SLEEPERS + "wait; sleep 2005")
        wait_until("all four sleep", lambda: len(self.sleepers()) == 4)
        return host

    def assert_gone(self):
        wait_until("nothing outlives it", lambda: not processes_of(self.place))

    def greet(self, *options):
        """A call by a `dev` that has ended since; the files of its state while it ran."""
        host = self.dev_with_script(f"cp {plugin_file('hello')} hello.so", options)
        host.wait_for("hello: generation 1 serves")
        self.assertEqual(self.call(host, "greet", {"name": "Ada"}), "Hello, Ada!")
        opened = [os.readlink(link) for link in pathlib.Path(f"/proc/{host.child.pid}/fd").iterdir() if link.is_symlink()]
        host.child.send_signal(signal.SIGTERM)
        self.assertEqual(host.wait(), 0, host.error_text())
        self.assertFalse(self.place.audit.exists())
        self.assertFalse((self.place.root / "home/.local/state").exists())
        return {path for path in opened if path.endswith(("toolpost.db", "audit.jsonl"))}

    def test_its_state_is_its_own_and_ends_with_it(self):
        state = self.greet()
        self.assertEqual({pathlib.Path(path).name for path in state}, {"toolpost.db", "audit.jsonl"})
        for path in state:
            self.assertRegex(path, r"/toolpost-dev-\w+/state/")
            self.assertFalse(pathlib.Path(path).exists())

    def test_the_configuration_of_the_user_is_not_read(self):
        theirs = self.place.root / "home/.config/toolpost/config.toml"
        theirs.parent.mkdir(parents=True)
        theirs.write_text("[sever]\n")  # with which nothing starts
        (self.place.root / "build.sh").write_text(f"cp {plugin_file('hello')} hello.so")
        host = self._kept(DevHost(self.place, self.folder, "sh", self.place.root / "build.sh", config=None))
        host.wait_for("hello: generation 1 serves")
        self.assertEqual(self.call(host, "greet", {"name": "Ada"}), "Hello, Ada!")

    def test_a_state_dir_is_kept(self):
        state = self.place.root / "kept"
        self.greet("--state-dir", state)
        self.assertIn('"greet"', (state / "audit.jsonl").read_text())
        self.assertTrue((state / "toolpost.db").exists())

    def test_a_kill_ends_what_builds(self):
        host = self.building()
        os.kill(host.child.pid, signal.SIGKILL)
        self.assertEqual(host.wait(), -signal.SIGKILL)
        self.assert_gone()

    def test_a_stop_ends_what_builds(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                host = self.building()
                host.child.send_signal(number)
                self.assertEqual(host.wait(), 0, host.error_text())
                self.assert_gone()

    def test_a_build_leaves_nothing_behind(self):
        host = self.dev_with_script(SLEEPERS + "echo it is built")
        host.wait_for("the build made no plugin")
        wait_until("nothing is left", lambda: not self.sleepers())
        self.assertTrue(host.running())

    def test_how_a_build_ended_is_told(self):
        host = self.dev_with_script("echo cannot do it; exit 3")
        host.wait_for("cannot do it")
        host.wait_for("build failed after")
        killed = self.dev_with_script("echo not long; kill -9 $$")
        killed.wait_for("not long")
        killed.wait_for("build failed after")

    def call(self, host, tool, arguments=()):
        line = next(line for line in host.printed if "serving" in line)
        port = int(re.search(r":(\d+)/mcp", line).group(1))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        self.addCleanup(connection.close)
        body = message("tools/call", {"name": tool, "arguments": dict(arguments)}, "bare")[0]
        connection.request("POST", "/mcp", json.dumps(body), {"Content-Type": "application/json"})
        return text_of(last_message(connection.getresponse().read().decode()))

    def test_a_crash_and_the_rollback_after_it_are_told_as_they_happen(self):
        """The "build" takes the library that a file of the project names."""
        self.place.write_config('[permission]\nmode = "bypass"')
        wanted = self.folder / "wanted.txt"
        wanted.write_text(str(plugin_file("zoo/zoo_faults_again")))
        host = self.dev_with_script('cp "$(cat wanted.txt)" zoo.so')
        host.wait_for("zoo: generation 1 serves")
        wanted.write_text(str(plugin_file("zoo/zoo_faults")))
        host.wait_for("zoo: generation 2 serves")
        self.assertIn("SIGSEGV", self.call(host, "fault_segv"))
        host.wait_for("zoo: its worker was killed by SIGSEGV")
        host.wait_for("poke_null at faults.c:")
        host.wait_for("zoo: generation 2 was rolled back, its worker was killed by SIGSEGV")
        host.wait_for("; generation 1 serves")
        self.assertEqual(self.call(host, "well"), "well")
        wanted.write_text(str(plugin_file("zoo/zoo_faults")) + "\n")
        host.wait_for("zoo: refused: generation 2 was rolled back, its worker was killed by SIGSEGV")

    def test_a_program_that_is_not_there_is_named(self):
        host = self.dev("no-such-compiler", "-x")
        host.wait_for("cannot start no-such-compiler: No such file or directory")


if __name__ == "__main__":
    unittest.main()
