"""Names in the configuration that nothing has: `config check`, `doctor` and the start of `serve` report each."""
import base64
import json
import re
import unittest

from harness import SOURCE, TestCase, plugin_file, run_toolpost, text_of, wait_until

MISSPELT = '[plugin.helo]\nenabled = false\n[[rule]]\ntool = "gret"\nbehavior = "deny"\n' \
           '[plugin.hello.tool.eco]\nenabled = false\n[agent.a]\nplugins = ["nope"]\nskills = ["none-such"]\n' \
           '[[agent.a.rule]]\ntool = "echoo"\nbehavior = "deny"\n'
FORBIDDING = ["helo", "gret", "eco", "echoo"]
OTHERS = ["nope", "none-such"]


class UnknownNames(TestCase):
    def setUp(self):
        self.place = self.workspace("hello")
        self.base = self.place.config.read_text()

    def configure(self, text):
        self.place.write_config(self.base + text)

    def run_verb(self, *verb):
        return run_toolpost(self.place, *verb, "--config", self.place.config)

    def test_config_check_reports_all_at_once_with_their_places(self):
        self.configure(MISSPELT)
        done = self.run_verb("config", "check", "--json")
        self.assertEqual(done.returncode, 3, done)
        found = json.loads(done.stdout)
        for severity, names in (("error", FORBIDDING), ("warning", OTHERS)):
            told = [one for one in found if one["severity"] == severity]
            self.assertEqual(len(told), len(names), found)
            for one, name in zip(told, names):
                self.assertIn(f'"{name}"', one["message"])
                self.assertGreater(one["line"], len(self.base.splitlines()) - 1)
                self.assertGreater(one["column"], 0)
        self.assertIn('did you mean "greet"?', self.run_verb("config", "check").stdout)

    def test_config_check_reports_them_with_all_other_errors(self):
        self.configure(MISSPELT + '[call]\ntimeout_s = "soon"\n[sever]\n')
        done = self.run_verb("config", "check", "--json")
        self.assertEqual(done.returncode, 3, done)
        codes = [one["code"] for one in json.loads(done.stdout)]
        self.assertEqual(codes, ["C011", "C014"] + ["C019"] * 6, done.stdout)

    def test_folders_that_are_not_known_are_compared_with_nothing(self):
        self.place.write_config("[plugins]\ndirs = 7\n" + MISSPELT)
        done = self.run_verb("config", "check", "--json")
        self.assertEqual([one["code"] for one in json.loads(done.stdout)], ["C011"], done.stdout)

    def test_a_call_does_not_run_past_a_rule_that_would_forbid_nothing(self):
        self.configure('[[rule]]\ntool = "gret"\nbehavior = "deny"\n')
        done = run_toolpost(self.place, "call", "greet", "name=Ada", "--config", self.place.config)
        self.assertEqual(done.returncode, 3, done)
        self.assertIn('did you mean "greet"?', done.stderr)
        self.assertEqual(self.place.audit_lines(), [])

    def test_doctor_reports_them(self):
        self.configure(MISSPELT)
        done = self.run_verb("doctor", "--json")
        self.assertEqual(done.returncode, 3, done)
        told = [one for one in json.loads(done.stdout) if one["about"] == "names"]
        self.assertEqual([one["grade"] for one in told], ["fault"] * 3 + ["warning"] * 2 + ["fault"], told)
        self.assertIn("config.toml:", told[0]["says"])

    def test_the_host_does_not_start_where_one_would_forbid_nothing(self):
        for text in ('[plugin.helo]\nenabled = false\n', '[[rule]]\ntool = "gret"\nbehavior = "deny"\n',
                     '[plugin.hello.tool.gret]\nenabled = false\n',
                     '[agent.a]\n[[agent.a.rule]]\ntool = "gret"\nbehavior = "deny"\n'):
            self.configure(text)
            for way in (["--stdio"], ["--listen", "127.0.0.1:0"]):
                with self.subTest(text, way=way):
                    done = self.run_verb("serve", *way)
                    self.assertEqual(done.returncode, 3, done)
                    self.assertIn("config.toml:", done.stderr)
                    self.assertIn("did you mean", done.stderr)
                    self.assertNotIn("listening", done.stderr)

    def test_the_host_starts_with_a_warning_where_one_forbids_nothing_anyway(self):
        self.configure('[agent.a]\nplugins = ["nope"]\n[[rule]]\ntool = "gret"\nbehavior = "allow"\n')
        host = self.http_host(self.place)
        self.assertIn('no plugin is named "nope"', host.error_text())
        self.assertIn('no tool is named "gret"', host.error_text())
        self.assertEqual(self.run_verb("config", "check").returncode, 0)

    def test_what_is_installed_later_can_be_named_deliberately(self):
        self.configure('[[rule]]\ntool = "echo_slowly"\nbehavior = "deny"\n[plugin.later]\nenabled = false\n'
                       '[[interceptor]]\nplugin = "later"\ntools = ["echo_sl*"]\n')
        self.assertEqual(self.run_verb("config", "check").returncode, 3)
        text = self.place.config.read_text().replace(
            "[plugins]\n", '[plugins]\nexpected = ["later", "echo_slowly"]\n', 1)
        self.place.write_config(text)
        self.assertEqual(self.run_verb("config", "check").returncode, 0)
        host = self.http_host(self.place)
        self.assertNotIn("C019", host.error_text())

    def test_a_file_that_does_not_load_has_its_name_all_the_same(self):
        (self.place.root / "plugins/broken.so").write_text("no library")
        self.configure('[plugin.broken]\nenabled = false\n[[rule]]\ntool = "wipe_all"\nbehavior = "deny"\n')
        done = self.run_verb("config", "check")
        self.assertEqual(done.returncode, 0, done)  # its tools are not known: a warning
        self.assertIn("broken", done.stdout)
        self.assertIn("wipe_all", done.stdout)

    def test_a_tool_that_goes_while_the_host_runs_does_not_end_it(self):
        self.configure('[[rule]]\ntool = "greet"\nbehavior = "deny"\n')
        host = self.http_host(self.place)
        self.assertNotIn("C019", host.error_text())
        (self.place.root / "plugins/hello.so").unlink()
        wait_until("its rule is reported", lambda: 'no tool is named "greet"' in host.error_text())
        self.assertTrue(host.running())
        self.place.drop("hello")
        wait_until("the plugin is back", lambda: "result" in host.call("echo", {"text": "hi"}))
        self.assertIn("has been denied", text_of(host.call("greet", {"name": "Ada"})))

    def test_a_plugin_that_appears_later_is_compared_then(self):
        (self.place.root / "plugins/hello.so").unlink()
        self.configure('[[rule]]\ntool = "greet"\nbehavior = "allow"\n')
        host = self.http_host(self.place)
        self.assertEqual(host.error_text().count('no tool is named "greet"'), 1)
        self.place.drop("hello")
        wait_until("it serves", lambda: "result" in host.call("greet", {"name": "Ada"}))
        self.assertEqual(host.error_text().count('no tool is named "greet"'), 1)

    def test_stdio_answers_nothing_before_the_names_are_compared(self):
        self.configure('[[rule]]\ntool = "greet"\nbehavior = "deny"\n')
        host = self.stdio_host(self.place)
        host.initialize()
        self.assertNotIn("C019", host.error_text())

    def test_the_shipped_file_names_nothing_that_is_not_there(self):
        for plugin in ("redact", "fetch"):  # what the example of an interceptor names
            self.place.drop(plugin)
        lines = (SOURCE / "config.toml").read_text().splitlines()
        lines = [line[1:] if re.match(r"#[a-z\[]", line) else line for line in lines]
        secret = self.place.root / "hook.secret"  # `config check` reads the secrets of webhooks
        secret.write_text("whsec_" + base64.b64encode(b"s" * 32).decode())
        lines = [re.sub(r"^((old_)?secret = ).*", rf'\1{{ file = "{secret}" }}', line) for line in lines]
        self.place.write_config("\n".join(lines))
        done = run_toolpost(self.place, "config", "check", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        # The shell is off, so nothing can say that it has this tool.
        self.assertEqual(done.stdout.count("C019"), done.stdout.count('no tool is named "run_command"'), done.stdout)


class RefusedAtTheStart(TestCase):
    """What only the start refused, and no check found."""
    FAULTS = [('C017', 'url = "http://x.example"', 'must begin with https://'),
              ('C017', 'url = "https://10.1.2.3/"', 'not public'),
              ('C013', 'events = ["call.finished", "call.finishd"]', 'did you mean "call.finished"?'),
              ('C016', 'secret = { env = "NO_SUCH_VARIABLE" }', 'NO_SUCH_VARIABLE'),
              ('C016', 'secret = { file = "/no/such/file" }', '/no/such/file'),
              ('C017', 'old_secret = { file = "%(root)s/short" }', 'whsec_')]

    def setUp(self):
        self.place = self.workspace("hello")
        self.base = self.place.config.read_text()
        (self.place.root / "short").write_text("whsec_aGk=")
        (self.place.root / "good").write_text("whsec_" + base64.b64encode(b"s" * 32).decode())

    def webhook(self, number, line):
        key = line.split(" ")[0]
        lines = {"id": f'id = "w{number}"', "url": 'url = "https://hooks.example/"',
                 "secret": f'secret = {{ file = "{self.place.root}/good" }}', key: line % {"root": self.place.root}}
        return "[[webhook]]\n" + "".join(one + "\n" for one in lines.values())

    def all_faults(self):
        return self.base + "".join(self.webhook(number, fault[1]) for number, fault in enumerate(self.FAULTS))

    def run_verb(self, *verb):
        return run_toolpost(self.place, *verb, "--config", self.place.config)

    def assert_found(self, found, text):
        lines = text.splitlines()
        for number, (code, line, says) in enumerate(self.FAULTS):
            [one] = [one for one in found if f'"w{number}"' in one["message"]]
            self.assertEqual(one["code"], code, one)
            self.assertIn(says, one["message"] + one["help"])
            self.assertEqual(lines[one["line"] - 1], line % {"root": self.place.root}, one)
            self.assertGreater(one["column"], 0)

    def test_config_check_finds_all_of_them_with_all_other_faults(self):
        text = self.all_faults() + '[[rule]]\ntool = "deplooy"\nbehavior = "deny"\n'
        self.place.write_config(text)
        done = self.run_verb("config", "check", "--json")
        self.assertEqual(done.returncode, 3, done)
        found = json.loads(done.stdout)
        self.assertEqual(len(found), len(self.FAULTS) + 1, found)
        self.assert_found(found, text)
        text += '[call]\ntimeout_s = "soon"\n[[webhook]]\nid = "last"\nurl = 7\nsecret = {}\n'
        self.place.write_config(text)
        found = json.loads(self.run_verb("config", "check", "--json").stdout)
        self.assertEqual(len(found), len(self.FAULTS) + 4, found)  # each of the last three once
        self.assert_found(found, text)

    def test_serve_and_doctor_report_all_of_them(self):
        self.place.write_config(self.all_faults())
        for way in (["serve", "--stdio"], ["serve", "--listen", "127.0.0.1:0"], ["doctor"]):
            with self.subTest(way=way):
                done = self.run_verb(*way)
                self.assertEqual(done.returncode, 3, done)
                for number, (code, _, says) in enumerate(self.FAULTS):
                    self.assertRegex(done.stdout + done.stderr, rf'config\.toml:\d+:\d+: error\[{code}\]: \w+ in \[\[webhook\]\] "w{number}"')
        self.assertIn("plugin hello", done.stdout)  # the faults end no other check

    def test_a_command_that_sends_no_event_needs_no_secret(self):
        self.place.write_config(self.all_faults())
        done = run_toolpost(self.place, "call", "greet", "name=Ada", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)

    def test_faults_of_two_sections_have_a_place(self):
        self.place.write_config('[audit]\nfile = ""\nrequired = true\n[oauth]\nissuer = "https://i.example"\n[store]\nfile = ""\n'
                                + self.webhook(0, 'description = "x"'))
        done = self.run_verb("config", "check", "--json")
        found = [(one["code"], one["line"]) for one in json.loads(done.stdout) if one["severity"] == "error"]
        self.assertEqual(found, [("C016", 5), ("C016", 3), ("C016", 8)], done.stdout)

    def test_an_address_beyond_this_machine_needs_a_key(self):
        self.place.write_config(self.base + '[server]\nlisten = "0.0.0.0:0"\n')
        listen = len(self.base.splitlines()) + 2
        done = self.run_verb("config", "check")
        self.assertEqual(done.returncode, 0, done)  # the key may be made before the start
        self.assertIn(f"config.toml:{listen}:1: warning[C024]: listen in [server]", done.stdout)
        self.assertEqual(self.run_verb("key", "new", "anna").returncode, 0)
        self.assertNotIn("C024", self.run_verb("config", "check").stdout)

    def test_a_reload_refuses_what_the_next_start_would(self):
        self.http_host(self.place)
        before = self.place.config.read_text()
        for _, line, _ in self.FAULTS:
            self.place.write_config(before + self.webhook(0, line))
            done = self.run_verb("config", "reload")
            self.assertEqual(done.returncode, 3, done)
            self.assertRegex(done.stdout + done.stderr, r'config\.toml:\d+:\d+: \w+ in \[\[webhook\]\] "w0"')
        shared = self.place.root / "shared"
        shared.mkdir()
        shared.chmod(0o777)
        self.place.write_config(re.sub(r"(?m)^(\[audit\]\n)file = .*", rf'\1file = "{shared}/audit.jsonl"', before))
        done = self.run_verb("config", "reload")
        self.assertEqual(done.returncode, 3, done)
        self.assertRegex(done.stdout + done.stderr, rf"config\.toml:\d+:1: .*{shared}")
        self.place.write_config(before + self.webhook(0, 'description = "fine"'))
        done = self.run_verb("config", "reload")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("webhook.w0", done.stdout)


class RulesAndSettings(TestCase):
    """Rules with a content that their tool does not take; settings and presets that a plugin does not take."""

    def setUp(self):
        self.place = self.workspace("hello")
        self.base = self.place.config.read_text()

    def configure(self, text):
        self.place.write_config(self.base + text)

    def check(self, exit_code):
        done = run_toolpost(self.place, "config", "check", "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return json.loads(done.stdout)

    def assert_at(self, one, line):
        self.assertEqual(self.place.config.read_text().splitlines()[one["line"] - 1], line)

    def test_a_content_that_nothing_can_match_is_an_error_everywhere(self):
        for behavior in ("deny", "ask"):
            for section in ("[[rule]]\n", "[agent.a]\n[[agent.a.rule]]\n"):
                with self.subTest(behavior, section=section):
                    self.configure(f'[[rule]]\ntool = "echo"\nbehavior = "allow"\n{section}'
                                   f'content = "secret"\ntool = "greet"\nbehavior = "{behavior}"\n')
                    found = self.check(3)
                    self.assertEqual([one["code"] for one in found], ["C020"])
                    self.assert_at(found[0], 'tool = "greet"')
                    self.assertIn(f'content in the {behavior} rule for "greet"', found[0]["message"])
                    doctor = run_toolpost(self.place, "doctor", "--config", self.place.config)
                    self.assertEqual(doctor.returncode, 3, doctor)
                    self.assertIn("this tool defines no form of content", doctor.stdout)
                    for way in (["--stdio"], ["--listen", "127.0.0.1:0"]):
                        start = run_toolpost(self.place, "serve", *way, "--config", self.place.config)
                        self.assertEqual(start.returncode, 3, start)
                        self.assertIn("this tool defines no form of content", start.stderr)
                    call = run_toolpost(self.place, "call", "greet", "name=Ada", "--config", self.place.config)
                    self.assertEqual(call.returncode, 3, call)

    def test_a_pattern_that_fits_no_path_is_an_error(self):
        self.place.drop("hello", plugin_file("files"))
        for pattern, words in (("/etc/", "/etc/**"), ("./secret/*", "without"), ("file:///etc/*", "URL"), ("/etc/**", "")):
            with self.subTest(pattern):
                self.configure(f'[[rule]]\ntool = "read_file"\ncontent = "{pattern}"\nbehavior = "deny"\n')
                found = self.check(3 if words else 0)
                self.assertEqual([one["code"] for one in found], ["C020"] if words else [])
                if words:
                    self.assert_at(found[0], 'tool = "read_file"')
                    self.assertIn("no path can match", found[0]["message"])
                    self.assertIn(words, found[0]["help"])

    def test_what_another_setting_makes_useless_is_a_warning(self):
        self.place.drop("redact")
        self.configure('[plugin.hello]\nauto_approve = true\n[[rule]]\ntool = "greet"\nbehavior = "ask"\n'
                       '[plugin.redact]\nenabled = false\n[[interceptor]]\nplugin = "redact"\ntools = ["gret"]\n')
        found = self.check(0)
        self.assertEqual([(one["code"], one["severity"]) for one in found],
                         [("C021", "warning"), ("C021", "warning"), ("C019", "warning")])
        self.assert_at(found[0], 'tool = "greet"')
        self.assertIn("auto_approve of [plugin.hello] is true", found[0]["message"])
        self.assert_at(found[1], 'plugin = "redact"')
        self.assertIn("is disabled", found[1]["message"])
        self.assertIn('did you mean "greet"?', found[2]["help"])

    def test_an_interceptor_must_be_installed_also_if_it_is_a_shipped_plugin(self):
        self.configure('[[interceptor]]\nplugin = "redact"\ntools = ["gr*", "S*"]\n'
                       '[[interceptor]]\nplugin = "rate_limit"\n[[interceptor]]\nplugin = "rate_limit"\ntools = ["e*"]\n'
                       '[plugin.redact]\nenabled = true\n')
        missing = 'no installed plugin is named "{}"'.format
        found = self.check(0)
        self.assertEqual([one["code"] for one in found], ["C019", "C019", "C019", "C019", "C021"], found)
        for one, words in zip(found, (missing("redact"), 'no tool matches "S*"', missing("rate_limit"),
                                      missing("rate_limit"), "intercepts the same calls, for example those of")):
            self.assertIn(words, one["message"])
        self.assertIn(missing("redact"), run_toolpost(self.place, "doctor", "--config", self.place.config).stdout)
        for plugin in ("redact", "rate_limit"):
            self.place.drop(plugin)
        host = self.http_host(self.place)
        self.assertIn('"rate_limit" is disabled', host.error_text())
        wait_until("redact says that it has nothing to do", lambda: "the setting `patterns` is empty" in host.error_text())
        self.assertNotIn("no installed plugin", host.error_text())
        for plugin in ("redact", "rate_limit"):
            (self.place.root / f"plugins/{plugin}.so").unlink()
            wait_until("it is reported", lambda: missing(plugin) in host.error_text())
        self.assertNotIn("resolved", host.error_text())

    def test_what_a_plugin_asks_for_and_may_not_use_is_a_warning(self):
        self.place.drop("shell")
        self.place.drop("files")
        inside, outside = self.place.root / "inside", self.place.root / "outside"
        for folder in (inside, outside):
            folder.mkdir()
            (folder / "a.txt").write_text("hello")
        self.configure(f'[permission]\nmode = "bypass"\n[plugin.shell]\nenabled = true\nfs = ["rw:{inside}"]\n'
                       f'settings = {{ roots = ["{inside}"] }}\n'
                       f'[plugin.files]\nfs = ["ro:{inside}"]\n[plugin.files.settings]\nroots = ["{inside}", "{outside}"]\n')
        found = self.check(0)
        self.assertEqual([(one["code"], one["severity"]) for one in found], [("C022", "warning")] * 2)
        self.assert_at(found[0], "[plugin.shell]")
        self.assertIn("set exec = true in [plugin.shell]", found[0]["help"])
        self.assert_at(found[1], f'roots = ["{inside}", "{outside}"]')
        self.assertIn(f"cannot open {outside}, because fs in [plugin.files] does not grant it", found[1]["message"])
        told = run_toolpost(self.place, "doctor", "--config", self.place.config).stdout
        host = self.http_host(self.place)
        for words in ('plugin "shell" asks for exec, and may not run programs', f"cannot open {outside}"):
            self.assertIn(words, told)
            self.assertIn(words, host.error_text())
        self.assertIn("sets exec = true in [plugin.shell]", text_of(host.call("run_command", {"command": "touch x"})))
        self.assertIn("hello", text_of(host.call("read_file", {"path": str(inside / "a.txt")})))
        said = text_of(host.call("read_file", {"path": str(outside / "a.txt")}))
        self.assertIn(f'grants the folder {outside} in [plugin.files], by fs = ["ro:{outside}"]', said)
        self.configure(f'[plugin.shell]\nenabled = true\nexec = true\nfs = ["rw:{inside}"]\nsettings = {{ roots = ["{inside}"] }}\n'
                       f'[plugin.files]\nisolation = "inline"\n[plugin.files.settings]\nroots = ["{outside}"]\n')
        self.assertEqual(self.check(0), [])

    def test_in_an_allow_rule_it_is_a_warning(self):
        self.configure('[[rule]]\ntool = "greet"\ncontent = "secret"\nbehavior = "allow"\n')
        self.assertEqual([(one["code"], one["severity"]) for one in self.check(0)], [("C020", "warning")])
        self.assertIn("so the rule allows nothing", self.http_host(self.place).error_text())

    def test_a_form_of_content_that_goes_and_comes_back_with_reloads(self):
        self.place.drop("hello", plugin_file("hello_commanded"))
        self.configure('[[rule]]\ntool = "echo"\ncontent = "secret:*"\nbehavior = "deny"\n')
        self.assertEqual(self.check(0), [])
        host = self.http_host(self.place)

        def is_denied(text):
            answer = host.call("echo", {"text": text})
            return bool(answer["result"].get("isError")) and "denied by a rule" in text_of(answer)
        self.assertTrue(is_denied("secret one"))
        self.assertFalse(is_denied("ls"))
        fault = "this tool defines no form of content, so the rule applies to every call of it"
        self.place.drop("hello")
        wait_until("the log says so", lambda: fault in host.error_text())
        wait_until("the whole tool is denied", lambda: is_denied("ls"))
        self.place.drop("hello", plugin_file("hello_commanded"))
        wait_until("the log says that it is resolved", lambda: "resolved: " in host.error_text())
        wait_until("the content counts again", lambda: not is_denied("ls"))
        self.assertTrue(is_denied("secret one"))

    def test_config_check_finds_settings_that_only_the_plugin_itself_can_check(self):
        self.place.drop("redact")
        for isolation in ("worker", "inline"):
            self.configure(f'[[interceptor]]\nplugin = "redact"\n[plugin.redact]\nenabled = true\nisolation = "{isolation}"\n'
                           "[plugin.redact.settings]\npatterns = ['sk-[A-Z']\n")
            found = self.check(3)
            self.assertEqual([(one["code"], one["severity"]) for one in found], [("C020", "error")])
            self.assert_at(found[0], "[plugin.redact.settings]")
            self.assertIn('pattern "sk-[A-Z" is no regular expression', found[0]["message"])
        self.configure(self.place.config.read_text().removeprefix(self.base).replace("sk-[A-Z", "sk-[A-Z]"))
        self.assertEqual(self.check(0), [])

    def test_config_check_finds_settings_and_presets_with_their_lines(self):
        self.configure('[plugin.hello.settings]\ncolour = "red"\n')
        found = self.check(3)
        self.assertEqual([one["code"] for one in found], ["C020"])
        self.assert_at(found[0], "[plugin.hello.settings]")
        self.assertIn("correct [plugin.hello.settings]", found[0]["message"])
        self.configure('[plugin.hello]\nisolation = "worker"\n[plugin.hello.tool.greet]\n'
                       'timeout_s = 3\npresets = { name = 7 }\n')
        found = self.check(3)
        self.assertEqual([one["code"] for one in found], ["C020"])
        self.assert_at(found[0], "presets = { name = 7 }")
        self.assertIn("/name: expected string", found[0]["message"])
        for isolation in ("worker", "inline"):
            self.configure(f'[plugin.hello]\nisolation = "{isolation}"\n[plugin.hello.tool.greet]\n'
                           '[plugin.hello.tool.greet.presets]\nname = ["Ada"]\n')
            self.assert_at(self.check(3)[0], 'name = ["Ada"]')
        self.configure('[plugin.hello.settings]\n[plugin.hello.tool.greet]\npresets = { name = "Ada" }\n')
        self.assertEqual(self.check(0), [])


if __name__ == "__main__":
    unittest.main()
