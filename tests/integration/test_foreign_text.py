"""What clients, plugins and models wrote, as the command line prints it: nothing hidden, nothing that steers a terminal."""
import json
import unittest

from harness import TestCase, run_toolpost, wait_until

# Bidirectional override, zero-width space, C1 CSI, tag character, ANSI escape.
EVIL = "a\u202eb\u200bc\u009b31md\U000e0041e"
RAW = ["\u202e", "\u200b", "\u009b", "\U000e0041", "\x1b"]
MARKS = ["<U+202E>", "<U+200B>", "<U+009B>", "<U+E0041>"]


class ForeignText(TestCase):
    def setUp(self):
        self.place = self.workspace("warehouse", config="[approval]\nwait_s = 0\n[plugin.warehouse]\nenabled = true")

    def printed(self, *words):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        for raw in RAW:
            self.assertNotIn(raw, done.stdout, words)
            self.assertNotIn(raw, done.stderr, words)
        return done

    def marked(self, text, words):
        for mark in MARKS:
            self.assertIn(mark, text, words)

    def test_every_verb_marks_it(self):
        host = self.http_host(self.place)
        arguments = {"order": EVIL, "item": "A-1", "location": 1, "quantity": 1}
        host.call("pre_reserve_stock", arguments)
        host.call(EVIL)
        listed = wait_until("it is asked", lambda: json.loads(self.printed("approvals", "--json").stdout))
        one = listed[0]["id"]
        self.assertEqual(listed[0]["arguments"]["order"], EVIL)  # escaped, and still the same text
        self.marked(self.printed("approvals", "show", one).stdout, "show")
        self.assertIn("<U+202E>", self.printed("approvals").stdout)
        self.assertEqual(json.loads(self.printed("approvals", "show", one, "--json").stdout)["id"], one)
        self.marked(self.printed("audit").stdout, "audit")
        told = json.loads(self.printed("audit", "--json").stdout)
        self.assertIn(EVIL, [line.get("tool") for line in told])
        for words in (("call", EVIL), ("explain", EVIL), ("approvals", "show", EVIL), ("rules", "remove", EVIL),
                      ("sessions", "end", EVIL)):
            self.marked(self.printed(*words).stderr, words)
        self.marked(self.printed("approvals", "reject", one, "--note", EVIL).stdout, "reject")
        self.marked(self.printed("approvals", "show", one).stdout, "show")

    def test_a_library_adds_no_lines_of_its_own(self):
        self.place.drop("hello")
        file = self.place.root / "plugins/hello.so"
        built = file.read_bytes()
        self.assertEqual(built.count(b"\x000.1.0\x00"), 1)
        file.write_bytes(built.replace(b"\x000.1.0\x00", b"\x001\nok:\x00"))
        for words in (("plugin", "check", str(file)), ("plugins", "--config", self.place.config)):
            done = run_toolpost(self.place, *words)
            lines = done.stdout.splitlines()
            self.assertTrue(any("1 ok:" in line for line in lines), done)
            self.assertEqual([line for line in lines[:-1] if line.startswith("ok:")], [], done)

    def test_a_key_a_skill_and_a_configuration_are_marked_too(self):
        self.printed("key", "new", EVIL)
        self.printed("key", "list")
        self.place.skill("evil", f"---\nname: evil\ndescription: {EVIL}\n---\nread me\n")
        self.printed("skills")
        self.printed("skill", "check", str(self.place.root / "skills" / "evil"))
        self.place.write_config(f'[store]\nfile = "{self.place.root}/{EVIL}.db"'.replace("\u009b", "\\u009b"))
        shown = self.printed("config", "show").stdout
        self.assertIn("\\u202E", shown)
        self.place.write_config(f'[{EVIL.replace(chr(0x9b), "")}]\nx = 1')
        self.printed("config", "check")


if __name__ == "__main__":
    unittest.main()
