"""A plugin is rebuilt, broken and removed while it serves: no call fails, and a bad build changes nothing."""
import os
import shutil
import threading
import unittest

from harness import LEGACY, PATIENCE_S, TestCase, plugin_file, text_of, wait_until

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


class ReloadOfAWorker(Reload, TestCase):
    isolation = "worker"


class ReloadInline(Reload, TestCase):
    isolation = "inline"


class Batch(TestCase):
    def test_plugins_that_change_together_are_one_change_of_the_list(self):
        place = self.workspace("hello")
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


if __name__ == "__main__":
    unittest.main()
