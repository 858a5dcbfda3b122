"""State that other users control is refused, by `serve` and by every verb that reads it: who may write it makes the keys."""
import json
import os
import pathlib
import subprocess
import unittest

from harness import TOOLPOST, TestCase, environment, run_toolpost

NOBODY = 65534


class PrivateState(TestCase):
    def setUp(self):
        self.place = self.workspace()
        self.state = self.place.root / "state"
        self.store = self.state / "toolpost.db"
        self.place.write_config(f'[store]\nfile = "{self.store}"\n[audit]\nfile = "{self.state}/audit.jsonl"')
        self.run_verb("key", "new", "boss", "--scope", "admin")

    def run_verb(self, *words, code=0):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, code, (words, done))
        return done

    def serve(self, *words):
        """What `serve` says as it refuses; one that starts fails the test."""
        child = subprocess.Popen([TOOLPOST, "serve", *words, "--config", self.place.config], text=True,
                                 env=environment(self.place.root), stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = []
        for line in child.stderr:
            lines.append(line)
            if "listening on" in line or "serving" in line:
                child.kill()
        child.stdin.close()
        child.stdout.close()
        child.stderr.close()
        code = child.wait()
        self.assertGreater(code, 0, f"it started: {lines}")
        self.assertEqual(len([line for line in lines if " error app: " in line]), 1, lines)
        return lines[-1]

    def doctor(self, about, grade, code=3):
        """What `doctor` says of one thing, which it finds as `grade`."""
        found = {one["about"]: one for one in json.loads(self.run_verb("doctor", "--json", code=code).stdout)}
        self.assertEqual(found[about]["grade"], grade, found[about])
        return found[about]["says"]

    def refused_alike(self, about, *parts):
        """By `serve` and by `doctor`, with the same words."""
        served, found = self.serve("--listen", "127.0.0.1:0"), self.doctor(about, "fault")
        for part in parts:
            self.assertIn(part, found)
        self.assertIn(found, served)

    def refused(self, *parts):
        for part in parts:
            self.assertIn(part, self.doctor("store", "fault"))
        texts = [self.serve("--listen", "127.0.0.1:0"), self.serve("--stdio")]
        for words in (("key", "list"), ("approvals",), ("totp", "list"), ("sessions",), ("rules",)):
            done = run_toolpost(self.place, *words, "--config", self.place.config)
            self.assertNotEqual(done.returncode, 0, (words, done))
            texts.append(done.stderr)
        for text in texts:
            for part in parts:
                self.assertIn(part, text)

    def test_a_new_state_is_private(self):
        self.assertEqual(self.state.stat().st_mode & 0o777, 0o700)
        for file in self.state.iterdir():
            self.assertEqual(file.stat().st_mode & 0o777, 0o600, file)

    def test_a_folder_that_others_may_write(self):
        self.state.chmod(0o777)
        self.refused("(mode 0777)", f"chmod go-w {self.state}")
        self.state.chmod(0o770)
        self.refused("(mode 0770)")
        self.state.chmod(0o700)
        self.run_verb("key", "list")

    def test_a_parent_that_others_may_write(self):
        above = self.place.root / "shared"
        above.mkdir()
        self.state.rename(above / "state")
        self.state.symlink_to("shared/state")  # a link of one's own is followed
        self.run_verb("key", "list")
        above.chmod(0o777)
        self.refused(f"chmod go-w {above}")
        above.chmod(0o1777)
        self.run_verb("key", "list")

    def test_a_database_that_others_may_read_or_that_is_a_link(self):
        self.store.chmod(0o644)
        self.refused("may read", f"chmod 600 {self.store}")
        self.store.chmod(0o600)
        self.store.rename(self.state / "real.db")
        self.store.symlink_to("real.db")
        self.refused("symbolic link")

    @unittest.skipIf(os.geteuid() != 0, "gives files away")
    def test_what_belongs_to_another_user(self):
        os.chown(self.store, NOBODY, NOBODY)
        self.refused(f"belongs to user {NOBODY}")
        os.chown(self.store, 0, 0)
        os.chown(self.state, NOBODY, NOBODY)
        self.refused(f"{self.state} belongs to user {NOBODY}")

    def test_the_log_of_the_database(self):
        log = pathlib.Path(f"{self.store}-wal")
        log.symlink_to("/etc/hostname")
        self.refused_alike("store", "symbolic link")
        log.unlink()
        log.write_text("")
        log.chmod(0o666)
        self.assertIn("chmod 600", self.run_verb("key", "list", code=5).stderr)

    def test_the_audit(self):
        audit = self.state / "audit.jsonl"
        audit.chmod(0o622)
        self.refused_alike("audit", "may write to", f"chmod 600 {audit}")
        audit.chmod(0o640)  # others may read it, where the operator lets them
        self.run_verb("tools")
        self.assertIn("may read", self.doctor("audit", "warning", code=0))
        mark = pathlib.Path(f"{audit}.chain")
        mark.chmod(0o666)
        self.refused_alike("audit", f"chmod 600 {mark}")
        mark.chmod(0o600)
        audit.unlink()
        audit.symlink_to("elsewhere.jsonl")
        self.assertIn("symbolic link", self.serve("--stdio"))
        self.refused_alike("audit", "symbolic link")

    def test_a_folder_that_others_may_write_before_there_is_a_database(self):
        for file in self.state.iterdir():
            file.unlink()
        self.state.chmod(0o777)
        self.refused_alike("store", "(mode 0777)", f"chmod go-w {self.state}")
        self.assertEqual(list(self.state.iterdir()), [])

    def test_a_configuration_that_everybody_may_write(self):
        self.doctor("configuration", "ok", code=0)
        self.place.config.chmod(0o666)
        self.refused_alike("configuration", f"chmod o-w {self.place.config}")
        self.assertIn("chmod o-w", self.serve("--stdio"))
        self.place.config.chmod(0o664)  # a group may maintain it
        self.doctor("configuration", "ok", code=0)

    @unittest.skipIf(os.geteuid() != 0, "gives files away")
    def test_a_configuration_of_another_user(self):
        os.chown(self.place.config, NOBODY, NOBODY)
        self.refused_alike("configuration", f"belongs to user {NOBODY}")

    def test_the_folder_of_a_socket(self):
        folder = self.place.root / "run"
        folder.mkdir()
        text = self.place.config.read_text()
        self.place.write_config(f'[server]\nlisten = "unix:{folder}/toolpost.sock"\n{text}')
        self.doctor("reach", "ok", code=0)
        folder.chmod(0o777)
        found = self.doctor("reach", "fault")
        self.assertIn(f"may write to the folder {folder}", found)
        self.assertIn(found, self.serve())
        folder.chmod(0o700)
        (folder / "toolpost.sock").write_text("")
        self.assertIn("not a socket", self.doctor("reach", "fault"))


if __name__ == "__main__":
    unittest.main()
