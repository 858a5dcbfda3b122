"""A plugin speaks in favour of its own calls: what the operator believes of it decides, in every mode and isolation."""
import json
import unittest

from harness import TestCase, plugin_file, run_toolpost, text_of

TOOLS = ("claims", "checks", "allows", "matches", "plain")
READS = {"claims", "checks"}
# What runs unasked, by what the operator believes; explore allows of that only what reads.
UNASKED = {"unset": READS | {"allows", "matches"}, "full": READS | {"allows", "matches"}, "reads": READS, "none": set()}
TRUST = {"unset": "", "full": 'trust = "full"', "reads": 'trust = "read_only"', "none": 'trust = "none"'}
NARROW = 'content = "narrow"\nbehavior = "allow"'


class Trust(TestCase):
    def host(self, plugins=None, isolation="worker", split=False, extra=""):
        """One build under several names, each with a section of its own; the host renames tools that clash."""
        plugins = plugins or TRUST
        self.place = self.workspace()
        self.out = self.place.root / "out"
        self.out.mkdir()
        sections = []
        for name, lines in plugins.items():
            sections += [f"[plugin.{name}]", f'isolation = "{isolation}"', lines]
            if isolation == "worker":
                sections += [f'fs = ["rw:{self.out}"]', f"split_read_only = {str(split).lower()}"]
        for mode in ("explore", "dont_ask"):
            sections += [f'[agent.{mode}]\nmode = "{mode}"\nneeds_key = false']
        for name in ("matches", *(f"{name}_matches" for name in plugins)):
            sections += [f'[[rule]]\ntool = "{name}"\n{NARROW}']
        config = self.place.config.read_text().replace("[plugins]", '[plugins]\non_conflict = "namespace"')
        self.place.write_config("\n".join([
            config, f'[approval]\nask = []\n[store]\nfile = "{self.place.root}/store.db"', *sections, extra]))
        for name in plugins:
            self.place.drop(name, plugin_file("selfish"))
        host = self.http_host(self.place)
        self.names = {(row["provider"], row["name"].removeprefix(row["provider"] + "_")): row["name"]
                      for row in host.fetch("GET", "/v1/tools")[2]["tools"] if row["name"] != "ask_user"}
        self.assertEqual(len(self.names), len(TOOLS) * len(plugins))
        return host

    def ran(self, host, plugin, tool, agent=""):
        """Whether the call was let through; it may have failed to write."""
        for old in self.out.iterdir():
            old.unlink()
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"name": self.names[plugin, tool], "arguments": {"file": str(self.out / "file")}}}
        answer = host.fetch("POST", f"/{agent}/mcp" if agent else "/mcp", request)[2]
        if answer["result"].get("isError"):
            self.assertRegex(text_of(answer), "approval|Denied", answer)
        ran = not answer["result"].get("isError")
        self.wrote = (self.out / "file").exists()
        self.assertLessEqual(self.wrote, ran, "it ran before it was allowed")
        return ran

    def unasked(self, host, plugin, agent=""):
        return {tool for tool in TOOLS if self.ran(host, plugin, tool, agent)}

    def verb(self, *words):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def told(self, host):
        """{plugin: {tool: (reads only, allows itself)}} as every listing has it; they must agree."""
        rows = {row["name"]: row for row in json.loads(self.verb("tools", "--json"))}
        standing = {name: row["standing"] for name, row in rows.items()}
        hints = {tool["name"]: tool["annotations"]["readOnlyHint"]
                 for tool in host.request("tools/list")["result"]["tools"]}
        self.assertEqual(hints, {name: one["reads_only"] == "always" for name, one in standing.items()})
        rest = host.fetch("GET", "/v1/tools")[2]["tools"]
        self.assertEqual({tool["name"]: tool["standing"] for tool in rest}, standing)
        for name in ("checks", "allows"):
            explained = json.loads(self.verb("explain", self.names["reads", name], f"file={self.out}/x", "--json"))
            self.assertEqual(explained["standing"], standing[self.names["reads", name]])
        return {plugin: {tool: (standing[self.names[plugin, tool]]["reads_only"],
                                standing[self.names[plugin, tool]]["allows_itself"]) for tool in TOOLS}
                for plugin, _ in self.names}

    def each_mode(self, isolation):
        host = self.host(isolation=isolation)
        for plugin, unasked in UNASKED.items():
            for mode in ("", "explore", "dont_ask"):
                with self.subTest(plugin=plugin, mode=mode):
                    self.assertEqual(self.unasked(host, plugin, mode), unasked & READS if mode == "explore" else unasked)

    def test_what_is_not_believed_is_asked_in_each_mode_of_a_worker(self):
        self.each_mode("worker")

    def test_what_is_not_believed_is_asked_in_each_mode_inline(self):
        self.each_mode("inline")

    def test_the_old_name_and_the_word_of_one_tool(self):
        host = self.host(
            {"old": "trust_read_only = false", "but": 'trust = "none"', "strict": ""},
            extra='[plugin.but.tool.allows]\ntrust = "full"\n[plugin.strict.tool.checks]\nread_only = false\n'
                  '[plugin.strict.tool.claims]\nread_only = false\n[plugin.strict.tool.allows]\ntrust = "read_only"\n'
                  "[plugin.strict.tool.matches]\nauto_approve = false")
        self.assertEqual(self.unasked(host, "old"), set())
        self.assertEqual(self.unasked(host, "but"), {"allows"})
        self.assertEqual(self.unasked(host, "strict"), set())

    def test_every_listing_tells_what_the_engine_does(self):
        host = self.host()
        told = self.told(host)
        full = {"claims": ("always", "never"), "checks": ("by_check", "never"), "allows": ("never", "by_check"),
                "matches": ("never", "never"), "plain": ("never", "never")}
        self.assertEqual(told["unset"], full)
        self.assertEqual(told["full"], full)
        self.assertEqual(told["reads"], full | {"allows": ("never", "never")})
        self.assertEqual(set(told["none"].values()), {("never", "never")})
        explained = self.verb("explain", self.names["reads", "allows"], f"file={self.out}/x")
        self.assertIn('which is not believed: trust = "read_only"', explained)
        explained = self.verb("explain", self.names["none", "checks"], f"file={self.out}/x")
        self.assertIn('not believed: trust = "none"', explained)
        checked = run_toolpost(self.place, "plugin", "check", plugin_file("selfish")).stdout
        for tool, warned in (("claims", False), ("checks", False), ("allows", True), ("plain", True)):
            self.assertEqual(f'warning[W101]: tool "{tool}"' in checked, warned, checked)
        self.assertIn("reads only: by_check", checked)

    def test_calls_that_run_as_reading_cannot_write_where_reading_has_workers_of_its_own(self):
        host = self.host(split=True)
        for plugin, unasked in UNASKED.items():
            for tool in unasked:
                with self.subTest(plugin=plugin, tool=tool):
                    self.assertTrue(self.ran(host, plugin, tool))
                    self.assertEqual(self.wrote, tool not in READS)
        self.assertEqual(self.unasked(host, "none"), set())

    def test_resources_and_prompts_run_where_nothing_can_be_written(self):
        for split, wrote, ran in ((True, False, "EPERM"), (False, True, "done")):
            with self.subTest(split=split):
                place = self.workspace()
                file = place.root / "out"
                file.mkdir()
                place.write_config(f'{place.config.read_text()}\n[plugin.escape]\nfs = ["rw:{file}"]\nexec = true\n'
                                   f"split_read_only = {str(split).lower()}")
                place.drop("escape", plugin_file("escape"))
                host = self.http_host(place)
                prompt = host.request("prompts/get", {"name": "attempt", "arguments": {
                    "what": "write", "target": str(file / "new")}})["result"]["messages"][0]["content"]["text"]
                self.assertEqual((prompt == "done", (file / "new").exists()), (wrote, wrote), prompt)
                read = host.request("resources/read", {"uri": "escape://run"})
                self.assertEqual(read["result"]["contents"][0]["text"], ran)

    def test_a_rule_that_denies_does_not_depend_on_a_plugin_that_is_not_believed(self):
        rules = "\n".join(f'[[rule]]\ntool = "{tool}"\n{what}' for tool in ("matches", "full_matches", "reads_matches")
                          for what in ('content = "anything else"\nbehavior = "deny"', 'behavior = "allow"'))
        host = self.host({name: TRUST[name] for name in ("full", "reads")}, extra=rules)
        self.assertTrue(self.ran(host, "full", "matches"))  # its own word that the rule does not fit
        self.assertFalse(self.ran(host, "reads", "matches"))

    def test_a_file_that_is_named_like_the_host_is_refused(self):
        self.place = self.workspace("hello")
        for name in ("builtin", "Builtin", "host", "toolpost"):
            self.place.drop(name, plugin_file("selfish"))
        host = self.http_host(self.place)
        (self.place.root / "stolen").unlink(missing_ok=True)
        for tool in TOOLS:
            answer = host.call(tool, {"file": str(self.place.root / "stolen")})
            self.assertIn("unknown tool", json.dumps(answer))
        self.assertFalse((self.place.root / "stolen").exists())
        self.assertIn("Hello", text_of(host.call("greet", {"name": "you"})))
        doctor = run_toolpost(self.place, "doctor", "--config", self.place.config)
        self.assertNotEqual(doctor.returncode, 0)
        for name in ("builtin", "Builtin", "host", "toolpost"):
            self.assertRegex(doctor.stdout, rf"fault +plugin {name}: .*mean the host itself")
        checked = run_toolpost(self.place, "plugin", "check", self.place.root / "plugins/builtin.so")
        self.assertIn("fault[P006]", checked.stdout)
        self.place.write_config(self.place.config.read_text() + "[plugin.builtin]\nenabled = true")
        checked = run_toolpost(self.place, "config", "check", "--config", self.place.config)
        self.assertNotEqual(checked.returncode, 0)
        self.assertIn("[plugin.builtin]: expected", checked.stdout)

    def test_two_words_for_trust_that_disagree_are_refused(self):
        self.place = self.workspace(config='[plugin.selfish]\ntrust = "full"\ntrust_read_only = false')
        checked = run_toolpost(self.place, "config", "check", "--config", self.place.config)
        self.assertNotEqual(checked.returncode, 0)
        self.assertIn("trust_read_only says something else", checked.stdout)


if __name__ == "__main__":
    unittest.main()
