"""Side files: NAME.toml next to NAME.so restricts a plugin, at once, and can never allow it more."""
import json
import os
import threading
import unittest

from harness import TestCase, plugin_file, run_toolpost, text_of, wait_until

CONFIG = """
[plugin.hello]
timeout_s = 30
trust = "read_only"
memory_mib = 512
[plugin.hello.tool.echo]
presets = { text = "fixed" }
[plugin.hello.tool.greet]
timeout_s = 20
"""

# A side file, and what the host says of it. Each would allow more than the configuration.
WIDENING = [
    ('\nfs = ["ro:/etc"]', '2:1: error[C023]: fs has paths that the configuration does not grant'),
    ('net = ["https://a.example"]', '1:1: error[C023]: net has entries that the configuration does not grant'),
    ('env = ["HOME"]', '1:1: error[C023]: env has entries'),
    ('secrets = ["TOKEN"]', '1:1: error[C023]: secrets has entries'),
    ('exec = true', '1:1: error[C023]: exec would grant'),
    ('sockets = true', '1:1: error[C023]: sockets would grant'),
    ('history = true', '1:1: error[C023]: history would grant'),
    ('isolation = "inline"', '1:1: error[C023]: isolation would load the plugin into the host'),
    ('memory_mib = 1024', '1:1: error[C023]: memory_mib would raise the limit'),
    ('file_mib = 0', '1:1: error[C023]: file_mib would raise the limit'),
    ('workers = 2', '1:1: error[C023]: workers would raise the limit'),
    ('max_inflight = 65', '1:1: error[C023]: max_inflight would raise the limit'),
    ('timeout_s = 31', '1:1: error[C023]: timeout_s is longer than the timeout of the configuration'),
    ('auto_approve = true', '1:1: error[C023]: auto_approve would skip approvals'),
    ('trust = "full"', '1:1: error[C023]: trust would trust the plugin more'),
    ('trust_read_only = true', '1:1: error[C023]: trust_read_only would trust the plugin more'),
    ('group = "other"', '1:1: error[C023]: group may allow more'),
    ('state = "fresh"', '1:1: error[C023]: state may allow more'),
    ('uid = 1', '1:1: error[C023]: uid may allow more'),
    ('idle_stop_s = 1', '1:1: error[C023]: idle_stop_s may allow more'),
    ('settings = { a = 1 }', '1:1: error[C023]: settings may allow more'),
    ('[tool.greet]\ntimeout_s = 21', '2:1: error[C023]: timeout_s in [tool.greet] is longer'),
    ('[tool.greet]\ntrust = "full"', '2:1: error[C023]: trust in [tool.greet] would trust'),
    ('[tool.greet]\nauto_approve = true', '2:1: error[C023]: auto_approve in [tool.greet] would skip'),
    ('[tool.echo]\npresets = { text = "other" }', '2:1: error[C023]: presets in [tool.echo] would change a preset'),
    ('[tool.greet]\nread_only = true', '2:13: error[C013]: read_only in [tool.greet]: only false'),
    ('[tool.greet]\nidempotent = true', '2:14: error[C013]: idempotent in [tool.greet]: only false'),
    ('[tool.greet]\ndestructive = false', '2:15: error[C013]: destructive in [tool.greet]: only true'),
]
# The same for files that are wrong in another way.
WRONG = [
    ('colour = 1', '1:1: error[C014]: unknown key "colour" in hello.toml'),
    ('[tool.greet]\nenable = false', '2:1: error[C014]: unknown key "enable" in [tool.greet]; did you mean "enabled"?'),
    ('[plugin.hello]\nenabled = false', '1:2: error[C014]: unknown key "plugin"'),
    ('[tool.gret]\nenabled = false', '1:7: error[C019]: [tool.gret]: the plugin has no such tool'),
    ('[tool.greet]\nenabled = "no"', '2:11: error[C011]: enabled in [tool.greet]: expected true or false'),
    ('[tool.greet]\npresets = { nobody = 1 }', '2:1: error[C020]: '),
    ('[tool.greet]\npresets = { name = 7 }', '/name: expected string'),
    ('[tool.greet.extend.properties]\nname = {}', 'extend in [tool.greet] cannot add the argument "name"'),
    ('[tool.greet.extend.properties]\nattachments = {}', 'extend in [tool.greet] cannot add the argument "attachments"'),
    ('[tool.greet.extend]\nrequired = ["nobody"]', '"required" names "nobody", which is no argument'),
    ('[tool.greet.extend]\ntype = "array"', 'extend in [tool.greet] has "type": expected properties, required or $defs'),
    ('[tool.greet.extend.properties.why]\ntype = "strng"', '1:13: error[C020]: tool "greet": its input schema: '),
    ('[tool.greet]\ndestructive = true', 'contradicts the tool, which says that it only reads'),
    ('[tool.greet', 'error[C002]: '),
    ('a = ' + '[' * 100 + ']' * 100, 'error[C002]: tables and lists nest deeper than 32'),
    ('# ' + 'x' * 70000, 'is larger than 64 KiB'),
    ("".join(f"[tool.t{i}]\n" for i in range(1025)), 'sections for 1025 tools, more than the 1024 allowed'),
]


class SideFiles(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", config=CONFIG)
        self.file = self.place.root / "plugins" / "hello.toml"

    def write(self, text, name="hello"):
        """Whole, by rename, as an editor does."""
        beside = self.place.root / "side.new"
        beside.write_text(text + "\n")
        beside.chmod(0o600)
        os.replace(beside, self.place.root / "plugins" / f"{name}.toml")

    def tools(self, host):
        """Those of plugins."""
        listed = {tool["name"]: tool for tool in host.request("tools/list")["result"]["tools"]}
        return {name: tool for name, tool in listed.items() if name != "ask_user"}

    def schema(self, host, tool):
        return self.tools(host).get(tool, {}).get("inputSchema", {})

    def said(self, host, words):
        wait_until(f"the log says {words}", lambda: any(words in line for line in host.errors))

    def test_a_call_that_waits_does_not_run_a_tool_that_is_disabled_meanwhile(self):
        self.place = self.workspace("hello", config='[[rule]]\ntool = "greet"\nbehavior = "ask"\n')
        host = self.http_host(self.place)
        answers = []
        caller = threading.Thread(target=lambda: answers.append(host.call("greet", {"name": "x"})))
        caller.start()
        approvals = lambda *words: run_toolpost(self.place, "approvals", *words, "--config", self.place.config).stdout
        (one,) = wait_until("the call waits", lambda: json.loads(approvals("--json")))
        self.write("[tool.greet]\nenabled = false")
        wait_until("the tool is gone", lambda: "greet" not in self.tools(host))
        self.assertIn("approved", approvals("approve", one["id"]))
        caller.join()
        self.assertTrue(answers[0]["result"]["isError"])
        self.assertIn("its tool was withdrawn", text_of(answers[0]))

    def test_an_edit_applies_without_a_restart_and_no_call_fails(self):
        host = self.http_host(self.place)
        before = self.tools(host)
        self.assertEqual(set(before), {"echo", "greet"})
        stop, wrong = threading.Event(), []

        def call_on():
            while not stop.is_set():
                answer = host.call("echo")
                if "result" not in answer or answer["result"].get("isError") or text_of(answer) != "fixed":
                    wrong.append(answer)
        callers = [threading.Thread(target=call_on) for _ in range(2)]
        for caller in callers:
            caller.start()
        try:
            self.write("[tool.greet]\nenabled = false")
            wait_until("greet is gone", lambda: set(self.tools(host)) == {"echo"})
            self.assertIn("unknown tool", json.dumps(host.call("greet", {"name": "Eve"})))

            self.write('[tool.greet]\npresets = { name = "Ada" }')  # case 36
            wait_until("its argument is fixed", lambda: self.schema(host, "greet").get("properties") == {})
            self.assertEqual(text_of(host.call("greet", {"name": "Eve"})), "Hello, Ada!")

            self.write('[tool.greet.extend]\nrequired = ["why"]\n[tool.greet.extend.properties.why]\ntype = "string"\n'
                       'minLength = 3\ndescription = "Why it is greeted"')
            wait_until("it has an argument more", lambda: "why" in self.schema(host, "greet").get("properties", {}))
            shown = self.schema(host, "greet")
            self.assertEqual(shown["properties"]["why"]["description"], "Why it is greeted")
            self.assertEqual(shown["required"], ["name", "why"])
            for arguments, words in (({"name": "Eve"}, "why"), ({"name": "Eve", "why": "no"}, "/why")):
                answer = host.call("greet", arguments)
                self.assertTrue(answer["result"]["isError"], answer)
                self.assertIn(words, text_of(answer))
            # The tool's own schema has no such argument, so the tool does not get it.
            self.assertEqual(text_of(host.call("greet", {"name": "Eve", "why": "she came"})), "Hello, Eve!")

            self.file.unlink()
            wait_until("all is as before", lambda: self.tools(host) == before)
        finally:
            stop.set()
            for caller in callers:
                caller.join()
        self.assertEqual(wrong, [])

    def test_an_open_tool_gets_the_added_arguments(self):
        self.place.drop("zoo", plugin_file("zoo/zoo_one"))
        self.write('[tool.big]\nread_only = false\n[tool.big.extend.properties.bytes]\ntype = "integer"\nmaximum = 9', "zoo")
        self.place.write_config(self.place.config.read_text() + '[plugin.zoo]\nauto_approve = true\n')
        host = self.http_host(self.place)
        self.assertEqual(len(text_of(host.call("big", {"bytes": 7}))), 7)
        self.assertTrue(host.call("big", {"bytes": 10})["result"]["isError"])

    def test_a_key_that_allows_more_is_refused_with_its_place_and_the_old_build_serves(self):
        self.write('[tool.greet]\npresets = { name = "Ada" }')
        host = self.http_host(self.place)
        before = self.tools(host)
        for text, words in WIDENING + WRONG:
            with self.subTest(text[:60]):
                self.write(text)
                self.said(host, words)
                line = next(line for line in host.errors if words in line)
                self.assertIn("refused: ", line)
                self.assertIn(str(self.file), line)
        self.assertEqual(self.tools(host), before)
        self.assertEqual(text_of(host.call("greet")), "Hello, Ada!")
        told = json.loads(run_toolpost(self.place, "plugins", "--json").stdout)
        hello = next(one for one in told["plugins"] if one["name"] == "hello") if isinstance(told, dict) else told[0]
        self.assertEqual(hello["side_file"]["keys"], ["tool.greet.presets"])
        self.assertIn(str(self.file), hello["error"])
        self.write("")
        wait_until("a good one applies", lambda: self.schema(host, "greet").get("required") == ["name"])

    def test_what_cannot_be_read_is_refused_too(self):
        host = self.http_host(self.place)
        before = self.tools(host)

        def fifo():
            os.mkfifo(self.file, 0o600)

        def link_to_nowhere():
            self.file.symlink_to(self.place.root / "nowhere.toml")

        def writable_by_all():
            self.file.write_text("[tool.greet]\nenabled = true\n")
            self.file.chmod(0o666)

        for make, words in ((fifo, "is not a regular file"), (link_to_nowhere, "cannot examine"),
                            (writable_by_all, "may be written by group or world")):
            with self.subTest(make.__name__):
                make()
                self.said(host, words)
                self.assertEqual(self.tools(host), before)
                self.file.unlink()

    def test_a_plugin_with_a_refused_side_file_does_not_start(self):
        self.write('\n\nexec = true')
        check = run_toolpost(self.place, "config", "check", "--json", "--config", self.place.config)
        self.assertEqual(check.returncode, 3, check)
        (found,) = json.loads(check.stdout)
        self.assertEqual(found["code"], "C023")
        self.assertIn(f"{self.file}:3:1: error[C023]: exec would grant", found["message"])
        doctor = run_toolpost(self.place, "doctor", "--config", self.place.config)
        self.assertIn("hello.toml:3:1", doctor.stdout)
        host = self.http_host(self.place)
        self.assertEqual(self.tools(host), {})
        self.write("enabled = false")
        self.said(host, "is disabled by its side file")
        self.assertEqual(self.tools(host), {})
        self.file.unlink()
        wait_until("it serves", lambda: set(self.tools(host)) == {"echo", "greet"})

    def test_grants_become_narrower(self):
        granted = self.place.root / "granted"
        granted.mkdir()
        base = self.place.config.read_text().replace("memory_mib = 512", f'memory_mib = 512\nfs = ["rw:{granted}"]')
        self.place.write_config(base)
        self.write(f'fs = ["ro:{granted}"]\nmemory_mib = 256\ntimeout_s = 5\nauto_approve = false\n'
                   '[tool.greet]\ntimeout_s = 0.5\nread_only = false')
        told = run_toolpost(self.place, "plugins", "--files", "--json", "--config", self.place.config)
        hello = json.loads(told.stdout)
        hello = (hello["plugins"] if isinstance(hello, dict) else hello)[0]
        self.assertIn(f"ro:{granted}", hello["sandbox"]["grants"])
        self.assertIn("memory_mib 256", hello["sandbox"]["grants"])
        self.assertFalse([one for one in hello["sandbox"]["grants"] if one.startswith("rw:")])
        listed = run_toolpost(self.place, "plugins", "--files", "--config", self.place.config).stdout
        self.assertIn("hello: side file", listed)
        self.assertIn("auto_approve, fs, memory_mib, timeout_s, tool.greet.read_only, tool.greet.timeout_s", listed)
        # A folder inside may be a link to anywhere.
        self.write(f'fs = ["ro:{granted}/inside"]')
        check = run_toolpost(self.place, "config", "check", "--config", self.place.config)
        self.assertIn("fs has paths that the configuration does not grant", check.stdout)

    def test_services_of_the_host_keep_to_it(self):
        base = self.place.config.read_text()
        for isolation in ("worker", "inline"):
            with self.subTest(isolation):
                self.place.write_config(base + f'[plugin.services]\nisolation = "{isolation}"\nnet = ["https://a.example"]\n'
                                        'history = true\nsecrets = ["HOME"]\n')
                self.place.drop("services")
                host = self.http_host(self.place)
                length = str(len(str(self.place.root / "home")))
                self.assertEqual(text_of(host.call("secret_length", {"name": "HOME"})), length)
                self.assertIn("no session", text_of(host.call("history", {"most": 1, "before": 0})))
                self.write("net = []\nhistory = false\nsecrets = []", "services")
                wait_until("it has no secret", lambda: text_of(host.call("secret_length", {"name": "HOME"})) == "nothing")
                self.assertIn("needs history = true", text_of(host.call("history", {"most": 1, "before": 0})))
                self.assertIn("has no `net`", text_of(host.call("http_get", {"url": "https://a.example/"})))
                (self.place.root / "plugins" / "services.toml").unlink()
                self.assertEqual(host.stop(), 0)

    def test_in_a_trusted_folder_it_has_priority(self):
        base = self.place.config.read_text()
        trusting = base.replace("debounce_s", f'trusted_dirs = ["{self.place.root}/plugins"]\ndebounce_s')
        self.place.write_config(trusting)
        self.write('fs = ["ro:/etc"]\nmemory_mib = 1024\n[tool.echo]\npresets = { text = "other" }')
        host = self.http_host(self.place)
        self.assertEqual(text_of(host.call("echo")), "other")
        self.assertEqual(text_of(host.call("greet", {"name": "Eve"})), "Hello, Eve!")
        told = json.loads(run_toolpost(self.place, "plugins", "--json").stdout)
        hello = (told["plugins"] if isinstance(told, dict) else told)[0]
        self.assertIn("ro:/etc", hello["sandbox"]["grants"])
        self.write("colour = 1")
        self.said(host, 'error[C014]: unknown key "colour"')
        self.write('[tool.gret]\nenabled = false')
        self.said(host, 'error[C019]: [tool.gret]: the plugin has no such tool')
        self.assertEqual(text_of(host.call("greet", {"name": "Eve"})), "Hello, Eve!")

    def test_explain_tells_who_disables_a_tool(self):
        self.write('[tool.greet]\nenabled = false')
        done = run_toolpost(self.place, "explain", "greet", "name=Eve", "--config", self.place.config)
        self.assertEqual(done.returncode, 4, done)
        self.assertIn(f'"greet" is disabled: [tool.greet] in {self.place.root}/plugins/hello.toml', done.stderr)
        self.write('memory_mib = 100')
        self.place.write_config(self.place.config.read_text().replace("timeout_s = 20", "enabled = false"))
        done = run_toolpost(self.place, "explain", "greet", "name=Eve", "--config", self.place.config)
        self.assertIn('"greet" is disabled: [plugin.hello.tool.greet] has enabled = false', done.stderr)

    def test_plugin_check_reports_it(self):
        library = self.place.root / "plugins" / "hello.so"
        self.write('timeout_s = 3\n[tool.greet]\nenabled = false')
        told = json.loads(run_toolpost(self.place, "plugin", "check", library, "--json").stdout)
        self.assertEqual(told["side_keys"], ["timeout_s", "tool.greet.enabled"])
        self.assertTrue(told["ok"])
        self.write('settings = { a = 1 }\n[tool.gret]\nenabled = false')
        done = run_toolpost(self.place, "plugin", "check", library)
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("fault[P009]", done.stdout)
        self.assertIn("hello.toml:2:7", done.stdout)
        self.assertIn("warning[W107]: its side file sets settings", done.stdout)


if __name__ == "__main__":
    unittest.main()
