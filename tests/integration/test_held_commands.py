"""Shell commands that are judged to read only run in a worker that neither writes, connects nor runs other programs."""
import os
import re
import shutil
import socket
import subprocess
import unittest
from unittest import mock

from harness import SOURCE, TestCase, environment, plugin_file, run_toolpost, text_of, wait_until
from test_old_kernel import MaskedHost

SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
READS, CHANGES = "ls", "touch made"  # one command of each kind, by the host's judgement
# One use of each program of the list that needs more of the machine than to start.
USES = {
    "ls": "ls -ln --time-style=+ . work", "cat": "cat a.txt work/b.txt", "head": "head -n 1 a.txt",
    "tail": "tail -n 1 a.txt", "wc": "wc -l a.txt", "stat": "stat -c '%s %F' a.txt", "pwd": "pwd -P",
    "which": "which -a ls", "whereis": "whereis -b ls", "type": "type cd", "cd": "cd work && cat b.txt",
    "true": "true", "false": "false || echo no", "grep": "grep -rn one .", "egrep": "egrep 'one|two' a.txt 2>/dev/null",
    "fgrep": "fgrep one a.txt 2>/dev/null", "rg": "rg -n --sort=path one .", "file": "file -b a.txt 2>/dev/null",
    "tree": "tree -a .", "python": "python --version", "python3": "python3 --version", "node": "node --version",
    "echo": "echo *", "printf": "printf '%s\\n' a b", "find": "find . -name '*.txt' -size -5k | cat",
}
OF_THE_SHELL = {"type", "cd"}


class Held(TestCase):
    def setUp(self):
        self.project = self.workspace().root / "project"
        (self.project / "work").mkdir(parents=True)
        (self.project / "a.txt").write_text("one\ntwo\n")
        (self.project / "work/b.txt").write_text("one\n")

    def serve(self, plugin, mode="bypass", more="", top=""):
        self.place = self.workspace(config=f'[permission]\nmode = "{mode}"\nworking_dirs = ["{self.project}"]\n'
                                    f'[approval]\nask = []\n{top}\n[plugin.{plugin}]\nexec = true\nfs = ["rw:{self.project}"]\n{more}')
        self.place.drop(plugin, plugin_file(plugin))
        return self.http_host(self.place)

    def needs_landlock(self, host):
        if "no Landlock" in host.error_text():
            self.skipTest("this kernel has none")


class Shell(Held):
    """The shipped plugin."""

    def serve(self, mode="default", more="", plugin="shell", top=""):
        return super().serve(plugin, mode, f'enabled = true\nsettings = {{ roots = ["{self.project}"] }}\n{more}', top)

    def run_command(self, host, command):
        """What it prints; it must succeed."""
        answer = host.call("run_command", {"command": command})
        self.assertFalse(answer["result"].get("isError"), f"{command}: {text_of(answer)}")
        return text_of(answer)

    def plainly(self, command):
        """The same without a sandbox, as the plugin prints it."""
        env = {name: value for name, value in environment(self.place.root).items() if name in ("PATH", "HOME", "LANG")}
        done = subprocess.run(["/bin/sh", "-c", command], cwd=self.project, env=env | {"SHELL": "/bin/sh"}, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, check=True)
        return (done.stdout + ("[stderr]\n" + done.stderr if done.stderr else "")) or "done, without output"

    def test_every_program_of_the_list_works_there(self):
        table = (SOURCE / "host/permission/shell/read_only.cpp").read_text()
        listed = set(re.findall(r'Program\{"(\w+)"', table)) | {"echo", "printf", "find"}
        self.assertEqual(set(USES), listed, "a program of the list has no use here")
        with mock.patch.dict(os.environ, {"PATH": SYSTEM}):
            host = self.serve()
        self.needs_landlock(host)
        for name, command in USES.items():
            with self.subTest(name), mock.patch.dict(os.environ, {"PATH": SYSTEM}):
                if name in OF_THE_SHELL or shutil.which(name, path=SYSTEM):
                    self.assertEqual(self.run_command(host, command), self.plainly(command))

    def needs_approval(self, host, *commands):
        for command in commands:
            with self.subTest(command):
                answer = host.call("run_command", {"command": command})
                self.assertTrue(answer["result"].get("isError"), f"{command}: {text_of(answer)}")
                self.assertIn("needs a person's approval and did not run", text_of(answer))

    @staticmethod
    def rules(**behaviors):
        return "".join(f"[[rule]]\ntool = \"run_command\"\ncontent = '{content}'\nbehavior = \"{behavior}\"\n"
                       for behavior, contents in behaviors.items() for content in contents)

    def test_a_variable_hides_no_denied_command(self):
        (self.project / "Makefile").write_text("test deploy:\n\ttouch made-$@\n")
        (self.project / "deploy").touch()
        for mode in ("default", "accept_edits", "bypass"):
            host = self.serve(mode, top=self.rules(allow=["make:*", "echo:*"], deny=["make deploy", "echo deploy"]))
            self.needs_approval(host, "make $X deploy", "make ${X}deploy", 'make "$X"deploy', "make de${X}ploy",
                                "make $@ deploy", "make test; make $X deploy", "make d*", "echo $X deploy",
                                'echo "$X"deploy', "echo ${X}deploy", "echo depl?y")
            self.assertEqual(self.run_command(host, "echo other words"), "other words\n")
            self.assertIn("denied by a rule", text_of(host.call("run_command", {"command": "make deploy"})))
        self.assertEqual([path.name for path in self.project.glob("made*")], [])

    def test_a_variable_hides_no_dangerous_path(self):
        git = self.project / ".git"
        (git / "hooks").mkdir(parents=True)
        for mode in ("default", "accept_edits", "bypass"):
            host = self.serve(mode, top=self.rules(allow=["touch:*", "echo * > *"]))
            self.needs_approval(host, "echo pwn > $X.git/hooks/pre-commit", "touch $X.git/x2", "touch .g${X}it/x4",
                                "touch .git$X/x5", "touch $X.env", 'touch "$X".bashrc', "cp a.txt $X.git/hook2",
                                "cd $X.git && touch x6", "touch ~+/.git/x7")
        self.assertEqual([path.name for path in git.rglob("*")], ["hooks"])
        self.assertFalse((self.project / ".env").exists())

    def test_a_search_reads_no_secret_below_its_folder_unasked(self):
        host = self.serve()
        self.assertIn("a.txt:1:one", self.run_command(host, "grep -rn one ."))
        (self.project / "work/.env").write_text("SECRET=one\n")
        self.needs_approval(host, "grep -rn one .", "grep -rn one", "grep -h . -r work/..", "rg one", "cd work; grep -r one",
                            "grep -rn one *")
        self.assertEqual(self.run_command(host, "grep -n one a.txt work/b.txt"), "a.txt:1:one\nwork/b.txt:1:one\n")
        host = self.serve(top=self.rules(allow=["grep:*"]))
        self.assertIn("SECRET", self.run_command(host, "grep -rn one ."))

    @unittest.skipUnless(shutil.which("make"), "there is no make")
    def test_make_starts_programs(self):
        (self.project / "Makefile").write_text("all:\n\t@echo made by $$0\n\ttouch made\n")
        host = self.serve("bypass")
        self.assertIn("made by", self.run_command(host, "make"))
        self.assertTrue((self.project / "made").exists())

    def test_what_the_shell_itself_does_works_there(self):
        host = self.serve()
        for command, printed in (("cat a.txt | grep one | wc -l", "1\n"), ("ls nowhere 2>/dev/null; echo ended", "ended\n"),
                                 ("ls nowhere 2>/dev/null || echo none", "none\n"),
                                 ("echo a >/dev/null", "done, without output"), ("cat <a.txt", "one\ntwo\n"),
                                 ("cat -n a.txt /dev/null", "     1\tone\n     2\ttwo\n"),
                                 ("cat a.txt >/dev/null 2>&1 && echo read", "read\n"),
                                 ("cd work; ls; pwd -P", f"b.txt\n{self.project.resolve()}/work\n")):
            with self.subTest(command):
                self.assertEqual(self.run_command(host, command), printed)

    def test_a_program_that_only_has_the_name_of_a_listed_one_does_not_run(self):
        folder = self.project / "bin"
        folder.mkdir()
        for name in ("ls", "wc"):
            (folder / name).write_text(f"#!/bin/sh\necho evil\ntouch {self.project}/{name}-ran\n")
            (folder / name).chmod(0o755)
        with mock.patch.dict(os.environ, {"PATH": f"{folder}:{SYSTEM}"}):
            host = self.serve()
        self.needs_landlock(host)
        self.assertEqual(self.run_command(host, "ls work"), "b.txt\n")  # the system's
        self.assertEqual(self.run_command(host, "cat a.txt | wc -l"), "2\n")
        self.assertEqual(sorted(path.name for path in self.project.glob("*-ran")), [])

    def test_a_command_that_changes_something_runs_in_the_other_worker(self):
        host = self.serve(mode="bypass")
        self.run_command(host, "touch made && ls >listed")
        self.assertTrue((self.project / "made").exists())
        self.assertIn("made", (self.project / "listed").read_text())
        self.assertEqual(self.run_command(host, "cat listed | head -n 1"), "a.txt\n")

    def test_the_listing_says_so_and_the_configuration_decides(self):
        for more, split in (("", True), ("split_read_only = false", False), ("split_read_only = true", True)):
            host = self.serve(more=more)
            self.needs_landlock(host)
            told = run_toolpost(self.place, "plugins", "--config", self.place.config).stdout
            self.assertEqual("run in workers of their own" in told, split, told)
            self.assertEqual(self.run_command(host, "cat a.txt"), "one\ntwo\n")
            host.stop()


class Lying(Held):
    """A plugin that is given a command and does something else."""

    def lie(self, host, command, what, target=""):
        answer = host.call("lie", {"command": command, "what": what, "target": str(target)})
        return text_of(answer)

    def host(self, more="sockets = true", **options):
        host = self.serve("liar", more=more, **options)
        self.needs_landlock(host)
        return host

    def test_it_cannot_write_where_its_command_reads(self):
        host = self.host()
        for what in ("write", "make_folder", "remove", "truncate", "truncate_open", "truncate_unopened", "chmod"):
            with self.subTest(what):
                target = self.project / ("new" if what in ("write", "make_folder") else "a.txt")
                self.assertIn(self.lie(host, READS, what, target), ("EACCES", "EPERM"))
        self.assertEqual((self.project / "a.txt").read_text(), "one\ntwo\n")
        self.assertFalse((self.project / "new").exists())
        self.assertEqual(self.lie(host, READS, "read", self.project / "a.txt"), "done")
        self.assertEqual(self.lie(host, READS, "write", "/dev/null"), "done")
        self.assertEqual(self.lie(host, CHANGES, "write", self.project / "new"), "done")

    def test_it_runs_no_program_that_is_not_listed(self):
        host = self.host()
        (self.project / "true").write_text("#!/bin/sh\ntrue\n")
        (self.project / "true").chmod(0o755)
        self.assertEqual(self.lie(host, READS, "run", "/bin/true"), "done")
        for program in ("/usr/bin/test", "/usr/bin/env", "/usr/bin/touch", self.project / "true"):
            self.assertEqual(self.lie(host, READS, "run", program), "EACCES", program)
        self.assertEqual(self.lie(host, CHANGES, "run", "/usr/bin/test"), "ECHILD")  # it ran, and answered no

    def test_it_reaches_no_service_of_this_machine(self):
        host = self.host()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as local, \
                socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tcp:
            local.bind(str(self.project / "service"))
            local.setblocking(False)
            tcp.bind(("127.0.0.1", 0))
            tcp.listen()
            port = tcp.getsockname()[1]
            for what, target in (("tcp", port), ("udp", port), ("unix", self.project / "service"),
                                 ("datagram_pair", self.project / "service"), ("raw_pair", self.project / "service")):
                self.assertEqual(self.lie(host, READS, what, target), "EPERM", what)
            self.assertEqual(self.lie(host, CHANGES, "tcp", port), "done")
            for what in ("unix", "datagram_pair", "raw_pair"):  # nor with the grant of sockets
                self.assertEqual(self.lie(host, CHANGES, what, self.project / "service"), "EPERM", what)
            with self.assertRaises(BlockingIOError):
                local.recv(1)

    def test_it_is_held_in_every_mode(self):
        for mode in ("default", "explore", "dont_ask", "accept_edits", "bypass"):
            host = self.host(mode=mode)
            self.assertIn(self.lie(host, READS, "write", self.project / "new"), ("EACCES", "EPERM"), mode)
            host.stop()
        self.assertFalse((self.project / "new").exists())

    def test_what_the_operator_does_not_split_is_not_held(self):
        host = self.host(more="split_read_only = false")
        self.assertEqual(self.lie(host, READS, "write", self.project / "new"), "done")

    def test_without_landlock_they_run_where_the_others_do(self):
        self.serve("liar").stop()
        host = self._kept(MaskedHost(self.place))
        self.assertIn("no Landlock", host.error_text())
        told = wait_until("it serves", lambda: self.lie(host, READS, "write", self.project / "new"))
        self.assertEqual(told, "done")

    def test_without_landlock_it_can_be_demanded_and_then_the_filter_holds(self):
        self.serve("liar", more="split_read_only = true").stop()
        host = self._kept(MaskedHost(self.place))
        for what in ("write", "remove", "truncate", "truncate_open", "truncate_unopened", "tcp", "datagram_pair"):
            self.assertEqual(self.lie(host, READS, what, self.project / "a.txt"), "EPERM", what)
        self.assertEqual((self.project / "a.txt").read_text(), "one\ntwo\n")


if __name__ == "__main__":
    unittest.main()
