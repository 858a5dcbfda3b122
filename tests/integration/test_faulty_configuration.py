"""What an operator can do while config.toml has a fault, and a host goes on with its earlier configuration."""
import json
import sys
import unittest

from harness import SOURCE, TestCase, run_toolpost, wait_until

MOVE = {"order": "o-1", "item": "bolt-m8", "location": 1, "quantity": 7}
DOUBLE = SOURCE / "tests/integration/upstreams/double.py"
FAULT = '\n[[rule]]\ntool = "nothing_like_this"\nbehavior = "deny"\nbogus = 1\n'
STORE = "home/.local/state/toolpost/toolpost.db"


class FaultyConfiguration(TestCase):
    def setUp(self):
        arguments = json.dumps(["-B", str(DOUBLE), "name=up"])
        self.place = self.workspace("warehouse", config="\n".join([
            "[approval]\nwait_s = 0\nexpire_s = 300",
            "[plugin.warehouse]\nenabled = true",
            f'[[upstream]]\nname = "up"\ncommand = "{sys.executable}"\nargs = {arguments}',
            '[[rule]]\ntool = "get_orders"\nbehavior = "allow"']))
        self.valid = self.place.config.read_text()

    def run_verb(self, *words, exit_code=0):
        end = words.index("--") if "--" in words else len(words)
        done = run_toolpost(self.place, *words[:end], "--config", self.place.config, *words[end:])
        self.assertEqual(done.returncode, exit_code, (words, done))
        return done

    def despite_fault(self, *words, exit_code=0):
        done = self.run_verb(*words, exit_code=exit_code)
        warnings = [line for line in done.stderr.splitlines() if "warning: " in line and "has 1 fault" in line]
        self.assertEqual(len(warnings), 1, done.stderr)
        self.assertIn("toolpost config check", warnings[0])
        self.assertNotIn("C014", done.stderr)
        return done.stdout

    def refused(self, *words):
        done = self.run_verb(*words, exit_code=3)
        self.assertIn('error[C014]: unknown key "bogus" in [[rule]]', done.stderr)
        return done

    def break_file(self, text=FAULT):
        self.place.config.write_text(self.valid + text)

    def test_an_operator_goes_on_with_a_host_that_goes_on(self):
        host = self.http_host(self.place)
        wait_until("the upstream is ready", lambda: [
            one["state"] for one in json.loads(self.run_verb("upstream", "list", "--json").stdout)] == ["ready"])
        key = json.loads(self.run_verb("key", "new", "ann", "--json").stdout)
        host.call("pre_reserve_stock", MOVE)
        self.break_file()
        waiting = json.loads(self.despite_fault("approvals", "--json"))
        self.assertEqual(len(waiting), 1)
        self.assertIn("approved", self.despite_fault("approvals", "approve", waiting[0]["id"]))
        self.assertIn("ann", self.despite_fault("key", "list"))
        self.assertIn("is revoked", self.despite_fault("key", "revoke", key["id"]))
        wait_until("the host knows it", lambda: host.fetch("GET", "/v1/tools", key=key["key"])[0] == 401)
        self.despite_fault("key", "logout", "--all")
        self.assertIn(f":{host.port}/", self.despite_fault("key", "link", "--listen", f"127.0.0.1:{host.port}"))
        self.assertIn("pre_reserve_stock", self.despite_fault("audit"))
        self.assertIn("revoked", self.despite_fault("audit", "--event", "key", "--json"))
        for words in (["calls"], ["sessions"], ["webhooks"], ["totp", "list"], ["audit", "verify"]):
            self.despite_fault(*words)
        self.assertIn("warehouse", self.despite_fault("plugins"))
        self.assertIn("is loaded again", self.despite_fault("plugins", "reload", "warehouse"))
        self.assertIn("up ", self.despite_fault("upstream", "list"))
        self.despite_fault("upstream", "diff", "up")
        self.assertIn("up ", self.despite_fault("upstream", "refresh", "up"))
        self.despite_fault("upstream", "refresh", "nothing", exit_code=4)
        self.despite_fault("upstream", "diff", "nothing", exit_code=4)
        rules = self.run_verb("rules")
        self.assertIn("rules of the file are not listed", rules.stderr)
        self.assertNotIn("get_orders", rules.stdout)

    def test_what_needs_the_whole_file_is_refused(self):
        host = self.http_host(self.place)
        self.break_file()
        for words in (["call", "get_orders"], ["tools"], ["explain", "get_orders"], ["skills"], ["config", "show"],
                      ["upstream", "add", "new", "--", "true"], ["upstream", "remove", "up"],
                      ["upstream", "test", "up"], ["plugins", "--files"], ["serve", "--listen", "127.0.0.1:0"],
                      ["webhooks", "add", "https://x.example/", "--events", "call.finished"], ["key", "new", "ann", "--agent", "a"]):
            self.refused(*words)
        self.assertEqual(self.place.config.read_text(), self.valid + FAULT)
        doctor = self.refused("doctor")
        self.assertIn(f"the host at 127.0.0.1:{host.port} runs with the earlier content of {self.place.config}",
                      doctor.stderr)

    def test_without_a_host_an_order_is_refused_with_the_faults(self):
        self.break_file()
        for words in (["plugins"], ["plugins", "reload", "warehouse"], ["upstream", "list"],
                      ["upstream", "refresh", "up"], ["skills", "pull", "team"]):
            self.refused(*words)
        self.assertNotIn("the host at", self.refused("doctor").stderr)
        self.despite_fault("approvals")

    def test_a_store_that_is_not_certain_is_not_opened(self):
        """Otherwise the command would use the default store, which can belong to another host."""
        for text in (f'[stroe]\nfile = "{self.place.root}/other.db"\n', '[store]\nfil = "x.db"\n',
                     f'[log]\nfile = "{self.place.root}/other.db"\n', "[store\n"):
            self.break_file("\n" + text)
            done = self.run_verb("key", "new", "ann", exit_code=3)
            self.assertRegex(done.stderr, r"error\[C0(14|02)\]")
            self.assertFalse((self.place.root / STORE).exists(), text)


if __name__ == "__main__":
    unittest.main()
