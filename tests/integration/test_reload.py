"""A plugin is rebuilt, broken and removed while it serves: no call fails, and a bad build changes nothing."""
import json
import os
import shutil
import threading
import unittest

from harness import LEGACY, PATIENCE_S, TestCase, plugin_file, run_toolpost, text_of, wait_until

CONNECTIONS = 32


class Callers:
    """Connections that call `greet` without pause until they are stopped; each keeps its answers."""

    def __init__(self, host):
        self.host = host
        self.stopping = threading.Event()
        self.answers = [[] for _ in range(CONNECTIONS)]
        self.faults = []
        self.threads = [threading.Thread(target=self._run, args=(n,), daemon=True) for n in range(CONNECTIONS)]
        for thread in self.threads:
            thread.start()

    def _run(self, number):
        connection = self.host.connect()
        try:
            while not self.stopping.is_set():
                answer = self.host.call("greet", {"name": f"caller {number}"}, connection=connection)
                if "result" not in answer or answer["result"].get("isError"):
                    self.faults.append(answer)
                else:
                    self.answers[number].append(text_of(answer))
        except Exception as fault:  # a lost connection is a failed call
            self.faults.append(repr(fault))
        finally:
            connection.close()

    def each_has(self, text):
        return all(any(text in answer for answer in answers) for answers in self.answers)

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(PATIENCE_S)


class Reload:
    """The cases, run once in each mode of isolation."""

    isolation = None

    def setUp(self):
        self.place = self.workspace("hello", isolation=self.isolation)
        self.host = self.http_host(self.place)
        self.assertEqual(self.greeting(), "Hello, world!")

    def greeting(self):
        return text_of(self.host.call("greet", {"name": "world"}))

    def refuse(self, source, reason):
        """Drops a bad build: the old one serves, and the log says why."""
        seen = len(self.host.errors)
        self.place.drop("hello", source)
        wait_until(f"the log tells of {reason!r}:\n{self.host.error_text()}",
                   lambda: any(reason in line.lower() for line in self.host.errors[seen:]))
        self.assertTrue(self.host.running())
        self.assertEqual(self.greeting(), "Hello, world!")

    def test_every_call_is_answered_while_a_new_build_takes_over(self):
        callers = Callers(self.host)
        wait_until("every caller was served by the old build", lambda: callers.each_has("Hello, "))
        self.place.drop("hello", plugin_file("hello_next"))
        wait_until("every caller is served by the new build", lambda: callers.each_has("Good day, "))
        callers.stop()
        self.assertEqual(callers.faults, [])
        for answers in callers.answers:
            turned = [answer.startswith("Good day, ") for answer in answers]
            self.assertEqual(turned, sorted(turned), "a call went back to the old build")
        self.assertEqual(self.greeting(), "Good day, world!")

    def test_many_swaps_under_load_lose_no_call(self):
        callers = Callers(self.host)
        for swap in range(6):
            new, text = ("hello_next", "Good day, ") if swap % 2 == 0 else ("hello", "Hello, ")
            self.place.drop("hello", plugin_file(new))
            wait_until(f"swap {swap} serves", lambda: text in self.greeting())
        callers.stop()
        self.assertEqual(callers.faults, [])

    def test_a_half_written_library_is_refused(self):
        whole = plugin_file("hello_next").read_bytes()
        half = self.place.root / "half.so"
        half.write_bytes(whole[: len(whole) // 2])
        self.refuse(half, "hello")

    def test_a_library_of_another_abi_is_refused(self):
        self.refuse(plugin_file("abi_major_2"), "abi")

    def test_a_library_that_crashes_while_it_is_loaded_is_refused(self):
        self.refuse(plugin_file("hello_crashing"), "hello")

    def test_a_good_build_after_a_bad_one_serves(self):
        self.refuse(plugin_file("hello_crashing"), "hello")
        self.place.drop("hello", plugin_file("hello_next"))
        wait_until("the good build serves", lambda: self.greeting() == "Good day, world!")

    def test_a_plugin_that_appears_is_served_and_one_removed_is_retired(self):
        def names():
            return {tool["name"] for tool in self.host.request("tools/list")["result"]["tools"]}
        self.place.drop("overlap")
        wait_until("the new plugin is listed", lambda: "free_probe" in names())
        (self.place.root / "plugins/overlap.so").unlink()
        wait_until("the removed plugin is gone", lambda: "free_probe" not in names())
        gone = self.host.call("free_probe", {"ms": 0})
        self.assertEqual(gone["error"]["code"], -32602)
        self.assertEqual(self.greeting(), "Hello, world!")


class TakenNames(TestCase):
    def test_a_new_build_takes_no_tool_from_a_plugin_that_serves_it(self):
        place = self.workspace("hello")
        place.drop("aaa", plugin_file("overlap"))  # earlier in the alphabet, so its place is the first
        host = self.http_host(place)
        place.drop("aaa", plugin_file("hello_next"))
        wait_until("its new build is told so", lambda: 'already taken by "plugin:hello" plugin=aaa tool=greet' in host.error_text())
        self.assertEqual(text_of(host.call("greet", {"name": "Ada"})), "Hello, Ada!")
        (place.root / "plugins/hello.so").unlink()
        wait_until("the name is free", lambda: text_of(host.call("greet", {"name": "Ada"})) == "Good day, Ada!")


class ReloadOfAWorker(Reload, TestCase):
    isolation = "worker"


class ReloadInline(Reload, TestCase):
    isolation = "inline"


class Batch(TestCase):
    def test_plugins_that_change_together_are_one_change_of_the_list(self):
        place = self.workspace("hello")
        place.write_config(place.config.read_text().replace("debounce_s = 0.05", "debounce_s = 1"))
        host = self.stdio_host(place)
        host.initialize(LEGACY)
        for name in ("clock", "overlap"):
            shutil.copyfile(plugin_file(name), place.root / f"{name}.new")
        for name in ("clock", "overlap"):
            os.replace(place.root / f"{name}.new", place.root / f"plugins/{name}.so")
        changes = 0
        seen = set()

        def come():
            nonlocal changes
            host.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
            while (answer := host.receive()).get("id") != "list":
                changes += answer["method"] == "notifications/tools/list_changed"
            names = {tool["name"] for tool in answer["result"]["tools"]}
            seen.add(frozenset(names & {"get_current_time", "free_probe"}))
            return len(seen) > 1

        wait_until("both are listed", come)
        come()
        self.assertEqual(changes, 1)
        self.assertEqual(seen, {frozenset(), frozenset({"get_current_time", "free_probe"})})


class Quarantine(TestCase):
    def setUp(self):
        self.place = self.workspace(config='[permission]\nmode = "bypass"')
        self.place.write_config(self.place.config.read_text().replace(
            "retire_grace_s = 0.2", "retire_grace_s = 0.2\nquarantine_crashes = 3\nrollback_window_s = 0\n"
                                    "restart_pause_s = 0.01\npoison_crashes = 0"))
        words = ("key", "new", "boss", "--scope", "admin", "--scope", "call", "--json", "--config", self.place.config)
        self.key = json.loads(run_toolpost(self.place, *words).stdout)["key"]
        self.place.drop("zoo", plugin_file("zoo/zoo_faults"))
        self.host = self.http_host(self.place)

    def plugin(self):
        status, _, answer = self.host.fetch("GET", "/v1/plugins", key=self.key)
        self.assertEqual(status, 200, answer)
        return answer["plugins"][0]

    def shows(self, **wanted):
        wait_until(f"it shows {wanted}", lambda: wanted.items() <= self.plugin().items())

    def test_a_quarantined_build_that_is_installed_again_replaces_nothing(self):
        for _ in range(3):
            self.assertIn("SIGSEGV", text_of(self.host.call("fault_segv")))
        self.shows(state="quarantined", serving=False)
        self.assertIn("is quarantined", text_of(self.host.call("well")))
        self.assertIn('toolpost_plugin_serving{plugin="zoo"} 0', self.host.fetch("GET", "/metrics", key=self.key)[2])
        self.place.drop("zoo", plugin_file("zoo/zoo_faults_again"))
        self.shows(state="active", serving=True, version="faults_again")
        self.place.drop("zoo", plugin_file("zoo/zoo_faults"))
        self.shows(state="rejected", serving=True, version="faults_again")
        self.assertIn("is quarantined, for it crashed 3 times", self.plugin()["error"])
        self.assertEqual(text_of(self.host.call("well")), "well")
        wait_until("it logs so", lambda: "refused: is quarantined" in self.host.error_text())


if __name__ == "__main__":
    unittest.main()
