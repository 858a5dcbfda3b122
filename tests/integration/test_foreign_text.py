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

    def test_what_a_plugin_hides_is_visible_to_clients(self):
        host = self.http_host(self.workspace("foreign"))
        told = next(tool for tool in host.request("tools/list", era="modern")["result"]["tools"] if tool["name"] != "ask_user")
        self.assertEqual(told["title"], "Show <U+001B>[31m<U+202E><U+200B>")
        self.assertEqual(told["description"],
                         "Returns its argument as a content block.\n\tNothing else<U+001B>[31m<U+202E><U+200B>")
        properties = told["inputSchema"]["properties"]
        self.assertEqual(properties["block"]["description"], "The <U+202E><U+001B>block")
        self.assertEqual(properties["mode"]["enum"], ["a\u200b"])  # data, which calls must match
        notes = host.request("resources/list", era="modern")["result"]["resources"]
        self.assertIn("Notes<U+202E>", [one.get("description") for one in notes])

    def test_what_a_skill_hides_is_visible_to_clients(self):
        self.place.skill("evil", f"---\nname: evil\ndescription: {EVIL}\nmetadata:\n  by: {EVIL}\n---\nread me\n")
        listed = json.dumps(self.http_host(self.place).request("skills/list", era="modern"), ensure_ascii=False)
        for mark in MARKS:
            self.assertEqual(listed.count(mark), 2, listed)
        for raw in RAW:
            self.assertNotIn(raw, listed)

    def test_a_plugin_with_names_that_are_none_is_refused(self):
        for name, reason in (("foreign_id", '"../../etc" is no id'),
                             ("foreign_group", 'its group must be 1 to 64 of A-Z, a-z, 0-9, _ and -: rename "files admin"'),
                             ("foreign_version", "its version is longer than 128 bytes"),
                             ("foreign_title", "its title is longer than 256 bytes"),
                             ("foreign_argument", "na<U+200B>me"),
                             ("foreign_resource", '"name" has hidden characters')):
            place = self.workspace(name)
            done = run_toolpost(place, "plugins", "--json", "--config", place.config)
            told = json.loads(done.stdout)[0]
            self.assertEqual((told["state"], told["tools"]), ("rejected", []), told)
            self.assertIn(reason, told["error"])

    def test_a_group_of_the_configuration_follows_the_same_rule(self):
        place = self.workspace("hello", config='[plugin.hello]\ngroup = "files admin"')
        done = run_toolpost(place, "config", "check", "--config", place.config)
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("1 to 64 letters", done.stdout + done.stderr)

    def test_no_plugin_has_the_tool_that_reads_skills(self):
        place = self.workspace("foreign_skill")  # and there is no skill
        host = self.http_host(place)
        self.assertEqual([tool["name"] for tool in host.request("tools/list")["result"]["tools"]], ["ask_user"])
        self.assertIn("error", host.call("Skill", {"block": {"type": "text", "text": "mine"}}))
        done = run_toolpost(place, "plugin", "check", str(place.root / "plugins/foreign_skill.so"))
        self.assertEqual(done.returncode, 3)
        self.assertIn("reserved", done.stdout)

    def test_a_content_block_that_mcp_does_not_know_fails_its_call(self):
        place = self.workspace("foreign", config="[limits]\nbody_bytes = 1048576")
        host = self.http_host(place)
        good = host.call("show", {"block": {"type": "text", "text": "x"}})["result"]
        self.assertFalse(good.get("isError", False))
        for era in ("bare", "modern"):
            for block, reason in (({"type": "evil"}, 'has the type "evil", which MCP does not know'),
                                  ({"type": "image", "data": "no base64!", "mimeType": "image/png"}, 'no "data" in base64'),
                                  ({"type": "resource_link", "uri": "a:b"}, 'has no "uri" and "name"')):
                result = host.call("show", {"block": block}, era)["result"]
                self.assertTrue(result["isError"], result)
                self.assertEqual([part["type"] for part in result["content"]], ["text", "text"])
                self.assertIn(reason, result["content"][1]["text"])


if __name__ == "__main__":
    unittest.main()
