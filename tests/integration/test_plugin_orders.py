"""`toolpost plugins` asks the running host what it serves; `reload` and `release` are orders to it."""
import contextlib
import json
import signal
import sqlite3
import unittest

from harness import TestCase, plugin_file, run_toolpost, text_of, wait_until


class PluginOrders(TestCase):
    def place_with(self, settings):
        place = self.workspace(config='[permission]\nmode = "bypass"')
        place.write_config(place.config.read_text().replace("retire_grace_s = 0.2", f"retire_grace_s = 0.2\n{settings}"))
        place.drop("zoo", plugin_file("zoo/zoo_faults"))
        return place

    def setUp(self):
        self.place = self.place_with("quarantine_crashes = 3\nrollback_window_s = 0\nrestart_pause_s = 0.01\n"
                                     "poison_crashes = 0")

    def plugins(self, *words, exit_code=0):
        done = run_toolpost(self.place, "plugins", *words, "--config", self.place.config, timeout_s=240)
        self.assertEqual(done.returncode, exit_code, done)
        return done

    def listed(self, *words, exit_code=0):
        return {one["name"]: one for one in json.loads(self.plugins("--json", *words, exit_code=exit_code).stdout)}

    def crash(self, host, times):
        for _ in range(times):
            self.assertIn("SIGSEGV", text_of(host.call("fault_segv")))

    def notes(self):
        return [(line["action"], line["plugin"], line["outcome"]) for line in self.place.audit_lines("plugin")]

    def test_without_a_host_the_files_are_loaded_and_orders_refused(self):
        done = self.plugins()
        self.assertIn("this is how the files load now: no host serves with", done.stderr)
        self.assertRegex(done.stdout, r"zoo +active")
        self.assertNotIn("host", self.listed()["zoo"])
        for order in ("reload", "release"):
            refused = self.plugins(order, "zoo", exit_code=1)
            self.assertIn("no host serves with", refused.stderr)
            self.assertIn("toolpost serve", refused.stderr)
        self.assertEqual(self.notes(), [])
        self.assertFalse((self.place.root / "home/.local/state/toolpost/toolpost.db").exists())

    def test_a_host_on_stdio_takes_orders_too(self):
        hosts = [self.stdio_host(self.place) for _ in range(2)]
        for host in hosts:
            host.initialize()
        addresses = [f"stdio:{host.child.pid}" for host in hosts]
        told = lambda: json.loads(self.plugins("--json").stdout)
        wait_until("both are known", lambda: sorted(one.get("host", "") for one in told()) == sorted(addresses))
        done = self.plugins("reload", "zoo").stdout
        for address in addresses:
            self.assertIn(f"zoo is loaded again by the host at {address}", done)
        self.assertEqual([one["generation"] for one in told()], [2, 2])
        self.assertEqual(text_of(hosts[0].call("well")), "well")
        self.assertEqual(hosts[0].close_input(), 0)
        self.assertEqual([one["host"] for one in told()], [addresses[1]])
        self.assertEqual(hosts[1].stop(), 0)
        self.assertNotIn("host", told()[0])
        self.assertIn("no host serves with", self.plugins().stderr)
        self.assertEqual(self.notes(), [("reload", "zoo", "done")] * 2)

    def test_a_quarantine_is_shown_and_lifted(self):
        host = self.http_host(self.place)
        self.assertEqual(self.listed()["zoo"]["state"], "active")
        self.assertIn("is not quarantined", self.plugins("release", "zoo", exit_code=1).stderr)
        self.crash(host, 3)
        told = self.plugins(exit_code=3)
        self.assertRegex(told.stdout, r"zoo +quarantined")
        self.assertIn("crashed 3 times", told.stdout)
        self.assertIn(f"this is what the host at 127.0.0.1:{host.port} ", told.stderr)
        self.assertIn("is quarantined", text_of(host.call("well")))
        self.assertIn("is quarantined", self.plugins("reload", "zoo", exit_code=1).stderr)
        self.assertEqual(self.listed("--files")["zoo"]["state"], "active")  # which no host told
        self.assertIn("zoo is released from quarantine", self.plugins("release", "zoo").stdout)
        self.assertEqual(text_of(host.call("well")), "well")
        self.assertEqual(self.listed()["zoo"]["state"], "active")
        self.crash(host, 2)  # it may crash as often again
        self.assertEqual(text_of(host.call("well")), "well")
        self.assertEqual(self.notes(), [("release", "zoo", "failed"), ("reload", "zoo", "failed"),
                                        ("release", "zoo", "done")])
        line = self.place.audit_lines("plugin")[0]
        self.assertTrue(line["by"].startswith("cli:"), line)
        self.assertIn("is not quarantined", line["reason"])

    def test_a_reload_loads_what_serves_already(self):
        host = self.http_host(self.place)
        before = self.listed()["zoo"]["generation"]
        self.assertIn(f"zoo is loaded again by the host at 127.0.0.1:{host.port}", self.plugins("reload", "zoo").stdout)
        self.assertEqual(self.listed()["zoo"]["generation"], before + 1)
        self.assertEqual(text_of(host.call("well")), "well")
        told = json.loads(self.plugins("reload", "zoo", "--json").stdout)[0]
        self.assertEqual((told["name"], told["state"], told["generation"]), ("zoo", "active", before + 2))
        missing = self.plugins("reload", "zooo", exit_code=4)
        self.assertIn('there is no plugin "zooo"', missing.stderr)
        self.assertIn('did you mean "zoo"?', missing.stderr)
        self.assertEqual(self.notes()[-1], ("reload", "zooo", "failed"))

    def test_a_refused_build_is_told_and_the_good_one_stays(self):
        host = self.http_host(self.place)
        self.place.drop("zoo", plugin_file("hello_crashing"))
        refused = self.plugins("reload", "zoo", exit_code=1)
        self.assertIn("zoo: ", refused.stderr)
        told = self.listed()["zoo"]
        self.assertEqual((told["state"], told["serving"]), ("rejected", True), told)
        self.assertIn(told["error"], refused.stderr)
        self.assertEqual(text_of(host.call("well")), "well")

    def test_a_build_that_was_rolled_back_is_tried_again_on_order(self):
        self.place = self.place_with("rollback_window_s = 600\nrestart_pause_s = 0.01\npoison_crashes = 0")
        host = self.http_host(self.place)
        self.place.drop("zoo", plugin_file("zoo/zoo_faults_again"))
        wait_until("the next build serves", lambda: self.listed()["zoo"]["version"] == "faults_again")
        self.crash(host, 1)
        wait_until("it is rolled back", lambda: self.listed()["zoo"]["version"] == "faults")
        told = self.plugins()
        self.assertRegex(told.stdout, r"zoo +rejected +faults ")
        self.assertIn("was rolled back", told.stdout)
        self.plugins("reload", "zoo")
        self.assertEqual(self.listed()["zoo"]["version"], "faults_again")

    def test_a_host_that_was_killed_is_no_host(self):
        first = self.http_host(self.place)
        second = self.http_host(self.place)
        shown = json.loads(self.plugins("--json").stdout)
        self.assertEqual([one["host"] for one in shown], [f"127.0.0.1:{first.port}", f"127.0.0.1:{second.port}"])
        first.child.send_signal(signal.SIGKILL)
        first.child.wait()
        self.assertEqual(self.listed()["zoo"]["host"], f"127.0.0.1:{second.port}")
        second.stop()
        self.assertIn("no host serves with", self.plugins().stderr)
        self.assertIn("no host serves with", self.plugins("reload", "zoo", exit_code=1).stderr)

    def test_every_host_gets_the_order_and_the_worst_answer_is_the_exit_code(self):
        hosts = [self.http_host(self.place) for _ in range(2)]
        addresses = [f"127.0.0.1:{host.port}" for host in hosts]
        refused = self.plugins("reload", "zooo", exit_code=4).stderr
        for address in addresses:
            self.assertIn(f"the host at {address} ", refused)
        shown = json.loads(self.plugins("release", "zoo", "--json", exit_code=1).stdout)
        self.assertEqual([one["host"] for one in shown], addresses)
        self.assertIn("is not quarantined", shown[0]["error"]["message"])
        self.crash(hosts[1], 3)
        done = self.plugins("release", "zoo")
        self.assertIn(f"zoo is released from quarantine by the host at {addresses[1]} ", done.stdout)
        self.assertIn("is not quarantined", done.stderr)
        self.assertEqual(text_of(hosts[1].call("well")), "well")

    def test_a_host_that_is_not_known_makes_itself_known_again(self):
        host = self.http_host(self.place)
        self.assertEqual(self.listed()["zoo"]["host"], f"127.0.0.1:{host.port}")
        with contextlib.closing(sqlite3.connect(
                self.place.root / "home/.local/state/toolpost/toolpost.db", timeout=30)) as store, store:
            store.execute("DELETE FROM host")
        wait_until("it is known", lambda: self.listed()["zoo"].get("host") == f"127.0.0.1:{host.port}")

    def test_a_disabled_plugin_is_not_loaded_by_an_order(self):
        self.place.write_config(self.place.config.read_text() + "\n[plugin.zoo]\nenabled = false")
        self.http_host(self.place)
        self.assertEqual(self.listed()["zoo"]["state"], "disabled")
        self.assertIn("is disabled", self.plugins("reload", "zoo", exit_code=1).stderr)


if __name__ == "__main__":
    unittest.main()
