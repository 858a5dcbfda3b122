"""No child of the host outlives it: killed by SIGKILL in every state of its workers, it leaves no process behind."""
import concurrent.futures
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest

from harness import (TOOLPOST, HttpHost, Process, TestCase, environment, message, plugin_file, processes_of, state_of,
                     text_of, wait_until)

LONG = "probe_timeout_s = 600\ndrain_timeout_s = 600"


class EarlyHost(HttpHost):
    """`toolpost serve`, of which nobody has waited until it listens: some never do here."""

    def __init__(self, place, hangs):
        Process.__init__(self, [TOOLPOST, "serve", "--config", place.config, "--listen", "127.0.0.1:0"], place.root,
                         environment(place.root) | {"ZOO_HANGS": hangs},
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def wait_for_line(self, words):
        wait_until(words, lambda: any(words in line for line in self.errors))

    def wait_until_it_listens(self):
        self.url = wait_until("the host says where it listens", self._address)
        self.port = int(self.url.split(":")[2].split("/")[0])


class Ends(TestCase):
    def place(self, config="", plugin="zoo/zoo_hangs"):
        place = self.workspace(config=config)
        place.config.write_text(place.config.read_text().replace("retire_grace_s", LONG + "\nretire_grace_s", 1))
        if plugin:
            place.drop("zoo", plugin_file(plugin))
        return place

    def start(self, place, hangs=""):
        host = EarlyHost(place, hangs)
        self.addCleanup(self.end, place, host)
        return host

    def end(self, place, host):
        """Also where the test failed."""
        for pid in processes_of(place):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if host.running():
            host.child.kill()
        host.wait()

    def kill(self, place, host, least=1):
        """SIGKILL, and all that it had is gone, however long a loaded machine takes; the time is told."""
        had = processes_of(place)
        del had[host.child.pid]
        self.assertGreaterEqual(len(had), least, had)
        os.kill(host.child.pid, signal.SIGKILL)
        host.child.wait()
        began = time.monotonic()
        wait_until("nothing of the host's is left", lambda: not processes_of(place))
        print(f"{self.id().rpartition('.')[2]}: {len(had)} gone after {time.monotonic() - began:.3f} s", file=sys.stderr)


class Orphans(Ends):
    """Each state that a worker may be in."""

    def kill_while_it_hangs_in(self, where, stop_first=False):
        place = self.place('[plugin.zoo]\nenv = ["ZOO_HANGS"]')
        host = self.start(place, where)
        if stop_first:
            host.wait_until_it_listens()
            host.child.terminate()
        host.wait_for_line("hangs in " + where)
        self.kill(place, host)

    def test_a_trial_that_hangs_in_a_constructor(self):
        self.kill_while_it_hangs_in("trial_load")

    def test_a_trial_that_hangs_in_create(self):
        self.kill_while_it_hangs_in("trial_create")

    def test_a_worker_that_hangs_in_a_constructor(self):
        self.kill_while_it_hangs_in("load")

    def test_a_worker_that_hangs_in_create(self):
        self.kill_while_it_hangs_in("create")

    def test_a_worker_that_hangs_in_destroy_after_sigterm(self):
        self.kill_while_it_hangs_in("destroy", stop_first=True)

    def test_a_worker_that_waits_for_calls(self):
        place = self.place()
        host = self.start(place)
        host.wait_until_it_listens()
        self.kill(place, host)

    def test_a_worker_that_is_stopped(self):
        place = self.place()
        host = self.start(place)
        host.wait_until_it_listens()
        for pid in processes_of(place):
            if pid != host.child.pid:
                os.kill(pid, signal.SIGSTOP)
                wait_until("it has stopped", lambda pid=pid: state_of(pid) == "T")
        self.kill(place, host)

    def test_a_worker_as_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("only root may start workers of other users")
        place = self.place("[plugin.zoo]\nuid = 12345")
        for folder in (place.root, place.root / "home"):
            folder.chmod(0o755)
        host = self.start(place)
        host.wait_until_it_listens()
        worker = next(pid for pid in processes_of(place) if pid != host.child.pid)
        os.kill(worker, signal.SIGSTOP)  # it reads no socket: the kernel alone can end it
        wait_until("it has stopped", lambda: state_of(worker) == "T")
        self.kill(place, host)


class Programs(Ends):
    """What a worker started, in groups of its own and by parents that are gone."""

    COMMAND = "sleep 1000 & (sleep 1001 & sleep 1002 &); sleep 1003 & (trap '' HUP TERM; sleep 1004) & wait"

    def setUp(self):
        folder = self.workspace().root
        self.at = self.place(f'[permission]\nmode = "bypass"\n[plugin.shell]\nenabled = true\nexec = true\nfs = ["rw:{folder}"]\n'
                             f'settings = {{ roots = ["{folder}"] }}', plugin=None)
        self.at.drop("shell")
        # In a file: a command with subshells would wait for an approval.
        self.script = folder / "sleepers.sh"
        self.script.write_text(self.COMMAND)
        self.host = self.start(self.at)
        self.host.wait_until_it_listens()

    def sleepers(self):
        return {pid: words for pid, words in processes_of(self.at).items() if words.startswith("sleep 100")}

    def workers(self):
        return [pid for pid, words in processes_of(self.at).items() if words.startswith("toolpost-worker")
                and pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "toolpost-worker"]

    def run_command(self):
        def call():
            try:
                self.host.call("run_command", {"command": f"sh {self.script}"})
            except (OSError, http.client.HTTPException):
                pass  # the host was killed
        thread = threading.Thread(target=call)
        thread.start()
        self.addCleanup(thread.join)
        wait_until("all five sleep", lambda: len(self.sleepers()) == 5)

    def test_programs_end_with_the_host(self):
        self.run_command()
        self.kill(self.at, self.host, least=7)

    def test_programs_end_with_their_worker(self):
        self.run_command()
        [worker] = {os.getsid(pid) for pid in self.sleepers()}  # another one is for commands that only read
        self.assertIn(worker, self.workers())
        os.kill(worker, signal.SIGKILL)
        wait_until("its programs have ended", lambda: not self.sleepers())
        self.assertTrue(self.host.running())


class Leavers(Ends):
    """Programs that leave the process group of the command that started them, and whose parents are gone."""

    # Each sleeps in a group of its own. The second one's parent ends, the third one tries to be a daemon.
    LEAVE = """fork or do { setpgrp; exec "sleep", "1000" };
    if (my $child = fork) { waitpid $child, 0 } else { fork and exit; setpgrp; exec "sleep", "1001" }
    fork or do { require POSIX; POSIX::setsid(); setpgrp; exec "sleep", "1002" };
    """

    def setUp(self):
        self.folder = self.workspace().root
        self.at = self.place(f'[permission]\nmode = "bypass"\n[plugin.shell]\nenabled = true\nexec = true\nfs = ["rw:{self.folder}"]\n'
                             f'settings = {{ roots = ["{self.folder}"] }}', plugin=None)
        self.at.drop("shell")
        self.host = self.start(self.at)
        self.host.wait_until_it_listens()

    def sleepers(self):
        return sorted(words for words in processes_of(self.at).values() if words.startswith("sleep 100"))

    def script(self, end, streams=""):
        """A command that starts three that leave, then waits until they sleep, then does what `end` says."""
        (self.folder / "leave.pl").write_text(f"""{self.LEAVE}
        select undef, undef, undef, 0.02 while 3 > grep {{ -e }} map {{ "{self.folder}/go$_" }} 0, 1, 2;
        {end}""")
        for number in range(3):
            (self.folder / f"go{number}").unlink(missing_ok=True)
        return f"perl {self.folder}/leave.pl {streams}"

    def call(self, script, **more):
        """Its answer, which comes to nobody before all three sleep."""
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            answer = pool.submit(self.host.call, "run_command", {"command": script, **more})
            wait_until("all three sleep", lambda: len(self.sleepers()) == 3 or answer.done())
            for number in range(3):
                (self.folder / f"go{number}").touch()
            return answer.result()

    def test_they_end_with_the_command(self):
        for streams, said in (("", "what it left running in the background was ended"), (">/dev/null 2>&1", "done")):
            answer = self.call(self.script("exit 0;", streams))
            self.assertIn(said, text_of(answer))
            self.assertEqual(self.sleepers(), [], answer)

    def test_they_end_at_its_time_limit(self):
        answer = self.call(self.script("sleep 1003;"), timeout_s=3)
        self.assertIn("the command and all it started were ended", text_of(answer))
        self.assertEqual(self.sleepers(), [], answer)

    def test_they_end_when_the_call_is_cancelled(self):
        connection = self.host.connect()
        connection.connect()
        body, headers = message("tools/call", {"name": "run_command", "arguments": {
            "command": self.script("sleep 1003;")}}, "modern")
        connection.request("POST", "/mcp", json.dumps(body), {"Content-Type": "application/json", **headers})
        wait_until("all three sleep", lambda: len(self.sleepers()) == 3)
        connection.close()  # this is a cancel
        wait_until("they have ended", lambda: not self.sleepers())
        self.assertIn("after", text_of(self.host.call("run_command", {"command": "touch a; echo after"})))

    def test_a_command_leaves_no_dead_process_to_its_worker(self):
        self.call(self.script("exit 0;"))
        workers = [pid for pid in processes_of(self.at)
                   if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "toolpost-worker"]
        self.assertTrue(workers)
        for worker in workers:
            lists = pathlib.Path(f"/proc/{worker}/task").glob("*/children")
            self.assertEqual([text for text in (one.read_text() for one in lists) if text], [])


if __name__ == "__main__":
    unittest.main()
