"""A reload storm: two plugins are replaced in every manner that tools have while 32 connections call them without pause.
No call fails, no call goes back to an older build, the last build serves, and the host keeps nothing.

TOOLPOST_STORM_RELOADS says how many reloads in each isolation, 80 without it; scripts/soak runs thousands.
"""
import os
import sys
import time
import unittest

from harness import TestCase, files_below, wait_until
from storm import Builds, Callers, Holdings, Writer

CONNECTIONS = 32
RELOADS = int(os.environ.get("TOOLPOST_STORM_RELOADS", "80"))
WARM_UP = 24  # reloads after which the host has what it will hold
MOST_KIB = 8192  # more at the end than after the warm-up, however many reloads: what malloc holds on to
SETTLE_S = 20
LOOKS = 10
PLUGINS = ("a", "b")
CONFIG = """
[plugins]
dirs = ["{root}/plugins"]
cache_dir = "{root}/cache"
debounce_s = 0.02
rescan_s = 0.5
rollback_window_s = 0.3
"""


class Storm:
    isolation = None

    def setUp(self):
        self.place = self.workspace()
        sections = [f'[plugin.numbered_{one}]\nisolation = "{self.isolation}"' for one in PLUGINS]
        self.place.write_config(CONFIG.format(root=self.place.root) + "\n".join(sections))
        self.writers = {}
        for seed, one in enumerate(PLUGINS):
            folder = self.place.root / f"builds_{one}"
            folder.mkdir()
            self.place.drop(f"numbered_{one}")
            target = self.place.root / f"plugins/numbered_{one}.so"
            self.writers[f"build_{one}"] = Writer(target, Builds(f"numbered_{one}", folder), seed)
        self.host = self.http_host(self.place)
        self.pid = self.host.child.pid

    def reloads(self):
        return sum(" plugin: serves " in line for line in self.host.errors)

    def storm_until(self, reloads):
        """Replaces both; a third of the time without waiting for the last build to serve."""
        number = 0
        while self.reloads() < reloads and not self.callers.faults:
            number += 1
            for writer in self.writers.values():
                writer.replace()
            if number % 3:
                self.wait_for_last()

    def wait_for_last(self):
        for tool, writer in self.writers.items():
            wait_until(f"every caller is served by build {writer.last} of {tool}; {self.last_words()}",
                       lambda tool=tool, writer=writer: self.callers.all_have(tool, writer.last))

    def last_words(self):
        return "\n".join(self.host.errors[-5:])

    def copies(self):
        return [file for file in files_below(self.place.root / "cache") if file.suffix == ".so"]

    def settled(self):
        """What the host holds once what was replaced is gone and nobody calls: a file that is read for a moment,
        as the audit's is for its table, is not kept."""
        expected = len(PLUGINS) if self.isolation == "worker" else 0
        self.callers.rest()
        try:
            wait_until("what was replaced is gone", lambda: len(self.copies()) == len(PLUGINS)
                       and len(Holdings(self.pid).children) == expected, SETTLE_S)
            wait_until("nothing is opened or closed", self.opens_nothing, SETTLE_S)
        except AssertionError:
            pass  # what is too much is told by the comparison
        holdings = Holdings(self.pid)
        self.callers.go_on()
        return holdings

    def opens_nothing(self):
        """In a second of looks, which is longer than the audit's lines are gathered for; however slowly they are read."""
        looks = []
        for _ in range(LOOKS):
            looks.append(Holdings(self.pid).descriptors)
            time.sleep(1 / LOOKS)
        audits = [count for file, count in looks[0].items() if file.endswith("/audit.jsonl")]
        return audits == [1] and all(look == looks[0] for look in looks)

    def test_no_call_is_lost_and_nothing_is_kept(self):
        began = time.monotonic()
        self.callers = Callers(self.host.port, list(self.writers), CONNECTIONS)
        self.addCleanup(self.callers.stop)
        self.storm_until(WARM_UP)
        self.wait_for_last()
        before = self.settled()
        self.storm_until(WARM_UP + RELOADS)
        self.wait_for_last()
        after = self.settled()
        self.callers.stop()
        took = time.monotonic() - began
        manners = sum((writer.done for writer in self.writers.values()), start=type(self.writers["build_a"].done)())
        print(f"\n{self.isolation}: {self.reloads()} reloads of {sum(manners.values())} replacements in {took:.1f} s, "
              f"{self.callers.calls} calls, {len(self.callers.faults)} failed\n  before: {before}\n  after:  {after}\n"
              f"  {', '.join(f'{name} {count}' for name, count in sorted(manners.items()))}", file=sys.stderr)
        self.assertEqual(self.callers.faults, [], self.host.error_text()[-4000:])
        self.assertTrue(self.host.running())
        for tool, writer in self.writers.items():
            self.assertTrue(all(seen[tool] == writer.last for seen in self.callers.seen))
        self.assertEqual(after.descriptors, before.descriptors)
        self.assertEqual(after.threads, before.threads)
        self.assertEqual(len(after.children), len(before.children))
        self.assertNotIn("Z", after.children)
        self.assertEqual(len(after.libraries), len(PLUGINS) if self.isolation == "inline" else 0, after.libraries)
        self.assertLessEqual(after.resident_kib, before.resident_kib + MOST_KIB)
        self.assertEqual(len(self.copies()), len(PLUGINS), self.copies())
        left = [file for file in files_below(self.place.root / "cache") if file.parent.name.startswith("numbered_")]
        self.assertEqual(len(left), len(PLUGINS), left)


class StormOfWorkers(Storm, TestCase):
    isolation = "worker"


class StormInline(Storm, TestCase):
    isolation = "inline"


if __name__ == "__main__":
    unittest.main()
