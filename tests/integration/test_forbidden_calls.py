"""A worker that its sandbox ends: the answer and the log name the system call, and where it was made."""
import re
import unittest

from harness import TestCase, plugin_file, text_of, wait_until


class ForbiddenCalls(TestCase):
    def test_the_answer_and_the_log_name_the_call_the_function_and_the_line(self):
        self.found = 0
        place = self.workspace("escape", config='[permission]\nmode = "bypass"')
        place.write_config(place.config.read_text().replace(
            "[plugins]", "[plugins]\nquarantine_crashes = 0\nrestart_pause_s = 0\npoison_crashes = 0"))
        host = self.stdio_host(place)
        host.initialize()
        for what, call in (("ptrace", "ptrace"), ("mount", "mount"), ("io_uring", "io_uring_setup"),
                           ("ptrace_with_a_handler", "ptrace")):
            with self.subTest(what):
                said = text_of(host.call("attempt", {"what": what, "target": "/"}))
                if "at offset" in said:  # a busy machine found the place only after the answer
                    self.found += 1
                    wait_until("the place is found", lambda: host.error_text().count("where the worker crashed") >= self.found)
                    said = text_of(host.call("attempt", {"what": what, "target": "/"}))
                self.assertRegex(said, rf"signal 31.*its sandbox forbids the system call {call}, in .* at attempts\.cpp:\d+")
        wait_until("the log", lambda: "its sandbox forbids the system call io_uring_setup" in host.error_text())
        self.assertEqual(text_of(host.call("attempt", {"what": "thread", "target": ""})), "done")

    def test_a_crash_in_a_known_place_is_named_in_the_answer(self):
        """However long it took to find function and line: they are kept for the next answer."""
        place = self.workspace(config='[permission]\nmode = "bypass"')
        place.drop("zoo", plugin_file("zoo/zoo_one"))
        place.write_config(place.config.read_text().replace(
            "[plugins]", "[plugins]\nquarantine_crashes = 0\nrestart_pause_s = 0\npoison_crashes = 0\nrollback_window_s = 0"))
        host = self.stdio_host(place)
        host.initialize()
        named = r"signal 6.* in .* at specimen\.c:\d+"
        first = text_of(host.call("crash", {}))
        self.assertIn("signal 6", first)
        if not re.search(named, first):
            wait_until("the place is found", lambda: "where the worker crashed" in host.error_text())
        self.assertRegex(text_of(host.call("crash", {})), named)


if __name__ == "__main__":
    unittest.main()
