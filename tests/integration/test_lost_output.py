"""Standard streams that are closed or full, and an audit that a command cannot write: nothing is lost unseen."""
import json
import os
import re
import signal
import subprocess
import unittest

from harness import TOOLPOST, TestCase, environment, run_toolpost, wait_until


class LostOutput(TestCase):
    def setUp(self):
        self.place = self.workspace()
        self.place.write_config(self.place.config.read_text() + f'[store]\nfile = "{self.place.root}/toolpost.db"\n')

    def into(self, stdout, *words, **options):
        return subprocess.run([str(TOOLPOST), *words, "--config", str(self.place.config)], env=environment(self.place.root), stdin=subprocess.DEVNULL,
                              stdout=stdout, stderr=subprocess.PIPE, text=True, check=False, **options)

    def json_of(self, *words):
        done = run_toolpost(self.place, *words, "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def test_a_full_disk_is_a_failure_that_names_what_was_made(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for words in (("config", "show"), ("tools",), ("client-config", "cursor"), ("audit", "--json")):
                done = self.into(full, *words)
                self.assertEqual(done.returncode, 1, (words, done))
                self.assertIn("the output could not be written to standard output: No space left on device", done.stderr, words)
            for json_too in ((), ("--json",)):
                done = self.into(full, "key", "new", "anna", *json_too)
                self.assertEqual(done.returncode, 1, done)
                made = re.search(r"the key (\S+) exists, and nobody has its text: run `toolpost key revoke (\S+)`", done.stderr)
                self.assertIn(made.group(1), [one["id"] for one in self.json_of("key", "list")])
            self.assertIn("nobody has its secret", self.into(full, "totp", "enroll", "anna").stderr)
            done = self.into(full, "webhooks", "add", "https://hooks.example/", "--events", "call.finished")
            self.assertIn(f"the webhook {self.json_of('webhooks')[0]['id']} exists, and nobody has its secret", done.stderr)
            done = self.into(full, "key", "revoke", "none")  # its own failure has its own exit code
            self.assertEqual(done.returncode, 4, done)

    def test_a_closed_standard_output_is_one_too(self):
        done = self.into(None, "key", "new", "anna", preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("the output could not be written", done.stderr)

    def test_a_host_with_closed_streams_writes_its_log_into_none_of_its_files(self):
        words = [str(TOOLPOST), "serve", "--config", str(self.place.config), "--listen", "127.0.0.1:0"]
        host = subprocess.Popen(words, env=environment(self.place.root), cwd=self.place.root,
                                preexec_fn=lambda: [os.close(fd) for fd in (0, 1, 2)])  # as a shell does for <&- >&- 2>&-
        try:
            listed = lambda: json.loads(run_toolpost(self.place, "plugins", "--json", "--config", self.place.config).stdout)
            wait_until("it serves", lambda: self.place.audit_lines("start"))
            wait_until("it answers", lambda: not [one for one in listed() if "host" not in one])
        finally:
            host.send_signal(signal.SIGTERM)
            self.assertEqual(host.wait(), 0)
        for line in self.place.audit.read_text().splitlines():
            self.assertTrue(line.startswith("{"), line)
        self.assertEqual(self.json_of("audit", "verify")["verdict"], "ok")

    def test_an_audit_that_cannot_be_written_is_told_on_standard_error_alone(self):
        self.json_of("key", "new", "anna")
        self.place.audit.chmod(0o666)
        done = run_toolpost(self.place, "key", "new", "berta", "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(json.loads(done.stdout)["principal"], "berta")
        self.assertIn("the command is done, but the audit has no line about it: ", done.stderr)
        self.assertEqual([line["principal"] for line in self.place.audit_lines("key")], ["anna"])


if __name__ == "__main__":
    unittest.main()
