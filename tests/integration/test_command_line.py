"""The verbs of `toolpost`: what they print, as text and as JSON, and how they exit."""
import json
import resource
import shlex
import sqlite3
import subprocess
import unittest

from harness import SOURCE, TOOLPOST, TestCase, run_toolpost

SKILL = "---\nname: filing\ndescription: How things are filed.\n---\nFile them.\n"


class CommandLine(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", "overlap", config="[approval]\nwait_s = 0")
        self.place.skill("filing", SKILL)

    def run_verb(self, *arguments, exit_code=0):
        done = run_toolpost(self.place, *arguments)
        self.assertEqual(done.returncode, exit_code, done)
        return done

    def with_config(self, *arguments, exit_code=0):
        return self.run_verb(*arguments, "--config", self.place.config, exit_code=exit_code)

    def json_of(self, *arguments):
        return json.loads(self.with_config(*arguments, "--json").stdout)

    def test_version(self):
        told = json.loads(self.run_verb("version", "--json").stdout)
        self.assertRegex(told["version"], r"^\d+\.\d+\.\d+$")
        words = f"toolpost {told['version']}"
        asked = subprocess.run(["git", "-C", SOURCE, "rev-parse", "--verify", "--show-prefix", "HEAD"], capture_output=True, check=False)
        if asked.returncode == 0 and asked.stdout.startswith(b"\n"):  # without a repository of their own, sources have no commit
            self.assertRegex(told["commit"], r"^[0-9a-f]{12,}(-dirty)?$")
            words += f" ({told['commit']})"
        self.assertEqual((self.run_verb("version").stdout, self.run_verb("--version").stdout), (words + "\n",) * 2)

    def test_help_is_no_error_and_a_wrong_verb_is(self):
        self.assertIn("serve", self.run_verb("--help").stdout)
        self.run_verb("sharpen", exit_code=2)
        self.run_verb(exit_code=2)
        self.run_verb("tools", "--colour", "red", exit_code=2)

    def test_tools(self):
        self.assertIn("greet", self.with_config("tools").stdout)
        listed = self.json_of("tools")
        tools = listed["tools"] if isinstance(listed, dict) else listed
        names = {tool["name"] for tool in tools}
        self.assertLessEqual({"echo", "greet", "pre_confirmed", "Skill"}, names)
        self.assertFalse({"_internal", "post_confirmed", "priv_secret"} & names)

    def test_tools_says_what_the_running_host_does_not_serve(self):
        (self.place.root / "empty").mkdir()
        host = self.http_host(self.place, "--plugins", self.place.root / "empty")
        said = self.with_config("tools").stderr
        self.assertIn(f"The host at 127.0.0.1:{host.port} does not serve these tools of plugins: ", said)
        self.assertRegex(said, r"tools of plugins: .*\becho, .*\bgreet\b")
        self.assertNotIn("does not serve", self.with_config("tools", "--plugins", self.place.root / "plugins").stderr)
        host.stop()
        self.http_host(self.place)
        self.assertNotIn("does not serve", self.with_config("tools").stderr)

    def test_tools_of_a_class_hidden_ones_included(self):
        for name, tool in (("internal", "_internal"), ("pre", "pre_confirmed"), ("post", "post_confirmed"),
                           ("private", "priv_secret"), ("standard", "echo")):
            with self.subTest(name):
                out = self.with_config("tools", "--class", name).stdout
                self.assertIn(tool, out)
                for other in {"_internal", "pre_confirmed", "post_confirmed", "priv_secret", "echo"} - {tool}:
                    self.assertNotIn(other, out.split())

    def test_doctor_finds_what_is_wrong(self):
        database = self.place.root / "home/.local/state/toolpost/toolpost.db"
        found = {one["about"]: one for one in self.json_of("doctor")}
        self.assertEqual({one["grade"] for one in found.values()}, {"ok"}, found)
        self.assertEqual(found["plugin hello"]["says"], "its file loads, with 2 tools")
        self.assertFalse(database.exists() or self.place.audit.exists())  # it looked, and made nothing
        self.with_config("key", "new", "anna")
        self.assertIn("1 key that may call", self.with_config("doctor").stdout)
        database.chmod(0o644)
        self.assertRegex(self.with_config("doctor", exit_code=3).stdout, r"fault +store: .*chmod 600")
        database.chmod(0o600)
        size = database.stat().st_size
        with open(database, "r+b") as file:
            file.seek(size // 2)
            file.write(b"\x55" * 4096)
        self.assertRegex(self.with_config("doctor", exit_code=3).stdout, r"fault +store: the database is damaged")
        database.unlink()
        (self.place.root / "plugins/broken.so").write_bytes(b"not a library")
        (self.place.root / "plugins/broken.so").chmod(0o755)
        done = self.with_config("doctor", "--json", exit_code=3)
        self.assertEqual([one["about"] for one in json.loads(done.stdout) if one["grade"] == "fault"], ["plugin broken"])
        self.place.write_config(self.place.config.read_text() + '\n[server]\nlisten = "0.0.0.0:8808"')
        self.assertRegex(self.with_config("doctor", exit_code=3).stdout, r"fault +reach: 0\.0\.0\.0:8808")

    def test_doctor_migrates_no_database(self):
        database = self.place.root / "home/.local/state/toolpost/toolpost.db"
        database.parent.mkdir(parents=True, mode=0o700)
        connection = sqlite3.connect(database)  # as the first version made it
        connection.execute("CREATE TABLE kv (plugin TEXT NOT NULL, session TEXT NOT NULL, key BLOB NOT NULL, "
                           "value BLOB NOT NULL, version INTEGER NOT NULL, written INTEGER NOT NULL, "
                           "PRIMARY KEY (plugin, session, key)) STRICT, WITHOUT ROWID")
        connection.commit()
        connection.close()
        database.chmod(0o600)
        before = database.read_bytes()
        said = self.with_config("doctor").stdout
        self.assertRegex(said, r"warning +store: its database has version 0: this toolpost migrates it to version \d+")
        self.assertEqual(database.read_bytes(), before)
        self.with_config("key", "list")  # opens it
        self.assertNotIn("migrates", self.with_config("doctor").stdout)

    def test_doctor_names_rules_for_shell_commands_that_mean_another_thing_than_before(self):
        self.place.drop("shell")
        rules = "".join(f'\n[[rule]]\ntool = "run_command"\ncontent = "{content}"\nbehavior = "{behavior}"'
                        for content, behavior in (("git status", "allow"), ("git status:*", "allow"), ("timeout 60:*", "allow"), ("make:*", "allow"),
                                                  ("curl", "deny")))
        self.place.write_config(self.place.config.read_text() + "\n[plugin.shell]\nenabled = true\nexec = true" + rules)
        warned = [(one["about"], one["says"]) for one in self.json_of("doctor") if one["about"].startswith("rule")]
        self.assertEqual([about.split(" (")[0] for about, _ in warned],
                         ["rule run_command(git status:*)", "rule run_command(timeout 60:*)", "rule run_command(make:*)"])
        for _, says in warned:
            self.assertIn("allows every program", says)

    def test_a_call_may_bring_files_values_and_entries(self):
        report = self.place.root / "report.txt"
        report.write_text("of the year")
        for isolation in ("worker", "inline"):
            with self.subTest(isolation):
                place = self.workspace("services", isolation=isolation)

                def call(*words, exit_code=0):
                    done = run_toolpost(place, "call", *words, "--config", place.config)
                    self.assertEqual(done.returncode, exit_code, done)
                    return done.stdout + done.stderr

                given = ("--attach", f"{report};text/plain", "--attach", report)
                self.assertEqual(call("attached_list", *given), "file_1 report.txt text/plain 11|"
                                 "file_2 report.txt application/octet-stream 11|\n")
                self.assertEqual(call("attached_read", *given), "of the yearof the year\n")
                self.assertEqual(call("attached_list"), "\n")
                told = call("whose", "name=", "--value", "shop=north", "--entry", 'org.example.cart/1={"loaves": 3}')
                self.assertTrue(told.endswith('|north|{"loaves":3} of 3\n'), told)
                self.assertIn("No such file", call("attached_list", "--attach", report.parent / "none", exit_code=2))
                self.assertIn("not a file", call("attached_list", "--attach", report.parent, exit_code=2))
                self.assertIn("--entry cart/1", call("whose", "name=", "--entry", "cart/1={", exit_code=2))
                self.assertIn("NAME=TEXT", call("whose", "name=", "--value", "shop", exit_code=2))

    def test_plugins_and_why_one_was_refused(self):
        done = self.with_config("plugins")
        shown = done.stdout
        self.assertIn("this is how the files load now: no host serves with", done.stderr)
        self.assertRegex(shown, r"hello: sandbox: limits \(.*no_new_privs.*seccomp")
        self.assertIn("hello: grants: memory_mib 1024", shown)
        hello = next(one for one in json.loads(self.with_config("plugins", "--json").stdout) if one["name"] == "hello")
        self.assertTrue(hello["sandbox"]["reads_only"])
        self.assertIn("seccomp", [layer["layer"] for layer in hello["sandbox"]["layers"] if layer["active"]])
        (self.place.root / "plugins/broken.so").write_bytes(b"not a library")
        for format in ((), ("--json",)):
            out = self.with_config("plugins", *format, exit_code=3).stdout
            self.assertIn("hello", out)
            self.assertIn("broken.so", out)
            self.assertIn("too short for a library", out)

    def test_skills_and_the_prompt(self):
        self.assertIn("filing", self.with_config("skills").stdout)
        self.assertIn("filing", json.dumps(self.json_of("skills")))
        self.assertIn("How things are filed.", self.with_config("skills", "--prompt").stdout)

    def test_call_takes_an_object_or_members(self):
        self.assertIn("Hello, Ada!", self.with_config("call", "greet", '{"name": "Ada"}').stdout)
        self.assertIn("Hello, Ada!", self.with_config("call", "greet", "name=Ada").stdout)
        result = json.loads(self.with_config("call", "greet", "name=Ada", "--json").stdout)
        self.assertEqual(result["content"], [{"type": "text", "text": "Hello, Ada!"}])

    def test_call_exits_by_how_it_ended(self):
        unknown = self.with_config("call", "no_such_tool", exit_code=4).stderr
        self.assertIn('unknown tool "no_such_tool": `toolpost tools` lists the tools', unknown)
        self.with_config("call", "fails", exit_code=1)
        self.with_config("call", "greet", "{not json", exit_code=2)
        wrong = self.with_config("call", "greet", "{}", exit_code=1)
        self.assertIn("name", wrong.stdout + wrong.stderr)
        self.with_config("call", "pre_confirmed", "text=x", exit_code=5)

    def test_explain_names_what_decides(self):
        self.assertIn("allow", self.with_config("explain", "greet", "name=Ada").stdout.lower())
        self.assertIn("ask", self.with_config("explain", "pre_confirmed", "text=x").stdout.lower())
        self.assertIn("allow", json.dumps(self.json_of("explain", "greet", "name=Ada")).lower())
        with self.place.config.open("a") as config:
            config.write('[[rule]]\ntool = "greet"\nbehavior = "deny"\n')
        out = self.with_config("explain", "greet", "name=Ada").stdout
        self.assertIn("deny", out.lower())
        self.assertIn("config.toml:", out)

    def test_explain_says_who_can_call_a_tool_of_a_class_and_what_it_needs(self):
        self.place = self.workspace("warehouse", config="[plugin.warehouse]\nenabled = true")
        code = self.with_config("explain", "priv_approve_order", "order=o-1").stdout
        self.assertIn("needs a one-time code of its principal", code)
        self.assertIn("The code is also the approval.", code)
        self.assertNotIn("would be allowed by", code)  # no rule replaces a code
        self.assertEqual(self.json_of("explain", "priv_approve_order", "order=o-1")["suggestions"], [])
        after = self.json_of("explain", "post_move_stock")
        self.assertEqual(after["decision"], "allow")
        self.assertIn("No client can call it", after["gate"])
        self.assertIn("after a call of one of these succeeded: pre_move_stock.", after["gate"])
        self.assertIn("No client can call it", self.with_config("explain", "_recount").stdout)
        self.assertNotIn("gate", self.json_of("explain", "get_orders"))
        with self.place.config.open("a") as config:
            config.write('[[rule]]\ntool = "post_move_stock"\nbehavior = "deny"\n'
                         '[[rule]]\ntool = "priv_approve_order"\nbehavior = "ask"\n')
        after = self.json_of("explain", "post_move_stock")
        self.assertEqual(after["decision"], "deny")
        self.assertIn("It does not run, because of the deny rule.", after["gate"])
        self.assertIn("also needs a reviewer's approval", self.with_config("explain", "priv_approve_order", "order=o-1").stdout)

    def test_config_check_and_show(self):
        self.assertIn("ok", self.with_config("config", "check").stdout)
        shown = self.with_config("config", "show").stdout
        self.assertIn("[plugins]", shown)
        again = self.place.root / "again.toml"
        again.write_text(shown)
        self.assertEqual(self.run_verb("config", "show", "--config", again).stdout, shown)
        self.place.write_config("[call]\ntimout_s = 1\n")
        done = self.with_config("config", "check", "--json", exit_code=3)
        fault = json.loads(done.stdout)[0]
        self.assertEqual((fault["line"], fault["column"]), (2, 1))
        self.assertIn("timeout_s", fault["message"] + fault["help"])

    def test_every_verb_with_json_answers_errors_in_json(self):
        verbs = [("call", "greet"), ("tools",), ("plugins",), ("plugins", "reload", "hello"),
                 ("plugins", "release", "hello"), ("skills",), ("explain", "greet"), ("doctor",), ("audit",),
                 ("audit", "verify"), ("approvals",), ("approvals", "list"), ("approvals", "show", "none"), ("rules", "list"), ("sessions", "list"), ("plugins", "list"),
                 ("approvals", "approve", "none"), ("approvals", "answer", "none", "text"), ("rules",), ("sessions", "show", "none"), ("sessions",),
                 ("upstream", "list"), ("upstream", "test", "none"), ("upstream", "diff", "none"), ("upstream", "accept", "none", "--digest", "0"),
                 ("calls",), ("calls", "list"), ("calls", "show", "none"), ("upstream", "refresh", "none"), ("upstream", "restart", "none"),
                 ("upstream", "add", "none", "--url", "https://a.example/"), ("upstream", "remove", "none"),
                 ("config", "reload"),
                 ("upstream", "login", "none"), ("upstream", "logout", "none"),
                 ("key", "new", "anna"), ("key", "list"), ("key", "rotate", "none"), ("key", "logins"),
                 ("totp", "enroll", "anna"), ("totp", "list"), ("webhooks",), ("webhooks", "list"), ("webhooks", "dead", "none"),
                 ("webhooks", "add", "https://hooks.example/", "--events", "call.finished"),
                 ("skills", "pull", "none"), ("skills", "diff", "none"), ("skills", "accept", "none", "--digest", "0")]
        page = (SOURCE / "docs/reference/cli.md").read_text()
        known = {text.partition("\n")[0] for text in page.split("## toolpost ")[1:] if " --json " in text}
        without_store = {"config check", "plugin check", "skill check", "version"}
        self.assertEqual({" ".join(words[:2 if words[0] in ("audit", "approvals", "calls", "config", "key", "plugins", "rules", "sessions", "skills", "totp", "upstream", "webhooks") else 1]) for words in verbs},
                         known - without_store)
        self.place.write_config("[store]\nkv_byts = 1\n")  # every verb needs this section
        for words in verbs:
            done = self.with_config(*words, "--json", exit_code=3)
            error = json.loads(done.stdout)["error"]
            self.assertEqual((error["kind"], error["diagnostics"][0]["line"]), ("configuration", 2), words)
            self.assertIn("kv_bytes", done.stderr, words)
            self.assertEqual(self.with_config(*words, exit_code=3).stdout, "", words)

    def test_an_error_in_json_has_the_words_and_the_code_of_the_text(self):
        for words, code, kind in ((("call", "no_such_tool"), 4, "not_found"), (("call", "greet", "{not json"), 2, "invalid_argument"),
                                  (("explain", "no_such_tool"), 4, "not_found"), (("tools", "--agent", "nobody"), 4, "not_found"),
                                  (("approvals", "show", "none"), 4, "not_found"), (("key", "rotate", "none"), 4, "not_found"),
                                  (("plugins", "reload", "hello"), 1, "unavailable"),
                                  (("key", "new", "local"), 2, "invalid_argument"), (("explain", "greet", "{}"), 1, "invalid_argument")):
            done = self.with_config(*words, "--json", exit_code=code)
            error = json.loads(done.stdout)["error"]
            self.assertEqual(error["kind"], kind, words)
            self.assertEqual(done.stderr.splitlines()[-1], "toolpost: " + " ".join(error["message"].split("\n")), words)

    def test_client_config_is_what_each_client_reads(self):
        for client, key in (("vscode", "servers"), ("cursor", "mcpServers")):
            entry = json.loads(self.with_config("client-config", client).stdout)[key]["toolpost"]
            self.assertEqual(entry["command"], str(TOOLPOST.resolve()))
            self.assertEqual(entry["args"], ["serve", "--stdio", "--config", str(self.place.config)])
        out = self.with_config("client-config", "claude").stdout
        self.assertIn("claude mcp add", out)
        url = "http://127.0.0.1:8808/mcp"
        entry = json.loads(self.run_verb("client-config", "vscode", "--http", url).stdout)["servers"]["toolpost"]
        self.assertEqual((entry["type"], entry["url"]), ("http", url))
        self.run_verb("client-config", "emacs", exit_code=2)

    def test_a_command_that_a_user_pastes_into_a_shell_has_quotes(self):
        file = self.place.root / "My Files/it's.toml"
        file.parent.mkdir()
        file.write_text(self.place.config.read_text())
        out = self.run_verb("client-config", "claude", "--config", file).stdout
        command = next(line for line in out.splitlines() if line.startswith("claude mcp add"))
        self.assertEqual(shlex.split(command)[-2:], ["--config", str(file)])

    def test_the_limits_of_webhooks_are_those_of_the_file(self):
        text = self.place.config.read_text()
        for most in (1, 20):
            self.place.write_config(text + f"[limits]\nwebhooks_per_principal = {most}\n")
            add = lambda code: self.with_config("webhooks", "add", "https://hooks.example/", "--events", "call.finished", exit_code=code)
            for _ in range(most - len(self.json_of("webhooks"))):
                add(0)
            self.assertIn("limits.webhooks_per_principal is reached", add(1).stderr)

    def test_a_plugin_that_could_not_be_written_leaves_no_folder(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        for words in (("plugin", "new", "mine"), ("skill", "new", "mine")):
            command = [str(TOOLPOST), *words, "--in", str(self.place.root / words[0])]
            done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit, restore_signals=False)
            self.assertEqual(done.returncode, 1, done)
            self.run_verb(*words, "--in", self.place.root / words[0])

    def test_config_check_does_not_judge_skills_of_git_repositories(self):
        text = self.place.config.read_text() + '[[group]]\nname = "papers"\ndescription = "Papers"\nskills = ["of-git"]\n'
        self.place.write_config(text)
        self.assertIn("C019", self.with_config("config", "check").stdout)
        self.place.write_config(text + '[[skill_repository]]\nname = "team"\ngit = "https://git.example/skills"\n')
        self.assertNotIn("C019", self.with_config("config", "check").stdout)

    def test_client_config_takes_its_agent_along(self):
        with open(self.place.config, "a", encoding="utf-8") as file:
            file.write("\n[agent.warehouse_bot]\n")
        host = "https://tools.example:8808"
        for given in (host, host + "/", host + "/mcp", host + "/mcp/", host + "/warehouse_bot/mcp"):
            for client, key in (("vscode", "servers"), ("cursor", "mcpServers")):
                out = self.with_config("client-config", client, "--http", given, "--agent", "warehouse_bot").stdout
                self.assertEqual(json.loads(out)[key]["toolpost"]["url"], host + "/warehouse_bot/mcp", given)
            out = self.with_config("client-config", "claude", "--http", given, "--agent", "warehouse_bot").stdout
            self.assertEqual(out.count(host + "/warehouse_bot/mcp"), 2, out)
        self.assertIn(f"{host}/mcp\n", self.with_config("client-config", "claude", "--http", host).stdout)
        entry = json.loads(self.with_config("client-config", "cursor", "--agent", "warehouse_bot").stdout)
        self.assertEqual(entry["mcpServers"]["toolpost"]["args"][-2:], ["--agent", "warehouse_bot"])
        for words in ((), ("--http", host)):
            done = self.with_config("client-config", "vscode", "--agent", "warehouse_bo", *words, exit_code=4)
            self.assertIn('did you mean "warehouse_bot"?', done.stderr)
            self.assertEqual(done.stdout, "")
        self.with_config("client-config", "vscode", "--http", "tools.example", exit_code=2)

    def test_a_folder_that_is_named_twice_is_read_once(self):
        """An install in the home has one folder for the shipped skills and for the user's own."""
        text = self.place.config.read_text().replace(f'dirs = ["{self.place.root}/skills"]',
                                                     f'dirs = ["{self.place.root}/skills", "{self.place.root}/./skills/"]')
        self.place.write_config(text)
        out = self.with_config("skills").stdout
        self.assertIn("filing", out)
        self.assertNotIn("shadowed", out)

    def test_doctor_makes_no_database_where_there_is_an_upstream(self):
        self.place.write_config(self.place.config.read_text() + '\n[[upstream]]\nname = "gone"\ncommand = "/none/such"')
        self.with_config("doctor")
        self.assertFalse((self.place.root / "home/.local/state/toolpost/toolpost.db").exists())

    def test_doctor_warns_where_no_folder_of_plugins_exists(self):
        text = self.place.config.read_text().replace(f"{self.place.root}/plugins", f"{self.place.root}/plugin")
        self.place.write_config(text)
        said = self.with_config("doctor").stdout
        self.assertIn("no folder of plugins.dirs exists, so there are no plugins", said)
        self.assertIn(f"{self.place.root}/plugin", said)
        self.assertNotIn("no folder of skills.dirs", said)
        self.place.write_config(text.replace(f"{self.place.root}/skills", f"{self.place.root}/skill"))
        self.assertIn(f"no folder of skills.dirs exists, so there are no skills: {self.place.root}/skill",
                      self.with_config("doctor").stdout)

    def test_codes_of_a_name_without_a_key_are_enrolled_with_a_warning(self):
        self.with_config("key", "new", "anna")
        self.assertNotIn("warning", self.with_config("totp", "enroll", "anna").stderr)
        done = self.with_config("totp", "enroll", "annna", "--json")
        self.assertIn('warning: no key belongs to "annna"', done.stderr)
        self.assertEqual(json.loads(done.stdout)["principal"], "annna")

    def test_client_config_has_a_place_for_the_key(self):
        with open(self.place.config, "a", encoding="utf-8") as file:
            file.write("\n[agent.bot]\n[agent.open_bot]\nneeds_key = false\n")
        http = ("--http", "http://127.0.0.1:8808")
        for words in (("--agent", "bot"), ("--key",)):
            cursor = self.with_config("client-config", "cursor", *http, *words)
            self.assertEqual(json.loads(cursor.stdout)["mcpServers"]["toolpost"]["headers"],
                             {"Authorization": "Bearer ${env:TOOLPOST_KEY}"})
            self.assertIn("Set the environment variable TOOLPOST_KEY", cursor.stderr)
            vscode = json.loads(self.with_config("client-config", "vscode", *http, *words).stdout)
            self.assertEqual(vscode["servers"]["toolpost"]["headers"], {"Authorization": "Bearer ${input:toolpost-key}"})
            self.assertEqual([(one["id"], one["password"]) for one in vscode["inputs"]], [("toolpost-key", True)])
            claude = self.with_config("client-config", "claude", *http, *words)
            self.assertIn("--header 'Authorization: Bearer ${TOOLPOST_KEY}'\n", claude.stdout)
            self.assertIn('"headers": { "Authorization": "Bearer ${TOOLPOST_KEY}" }', claude.stdout)
        self.assertIn("toolpost key new NAME --agent bot", self.with_config(
            "client-config", "claude", *http, "--agent", "bot").stderr)
        for words in ((*http, "--agent", "open_bot"), http, ("--agent", "bot")):
            for client in ("claude", "vscode", "cursor"):
                out = self.with_config("client-config", client, *words)
                self.assertNotIn("Authorization", out.stdout)
                self.assertEqual(out.stderr, "")

    def test_a_verb_that_takes_an_agent_refuses_one_that_is_not_there(self):
        with open(self.place.config, "a", encoding="utf-8") as file:
            file.write("\n[agent.warehouse_bot]\n")
        for verb in (("tools",), ("skills",), ("call", "greet"), ("explain", "greet"), ("serve", "--stdio"),
                     ("client-config", "claude"), ("key", "new", "anna")):
            with self.subTest(verb=verb):
                done = self.with_config(*verb, "--agent", "warehouse_bo", exit_code=4)
                self.assertIn('did you mean "warehouse_bot"?', done.stderr)
                self.with_config(*verb, "--agent", "", exit_code=2)

    def test_serve_says_where_and_refuses_a_taken_port(self):
        host = self.http_host(self.place)
        done = run_toolpost(self.place, "serve", "--config", self.place.config, "--listen", f"127.0.0.1:{host.port}")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(str(host.port), done.stderr)

    def test_serve_refuses_to_listen_for_the_world(self):
        done = run_toolpost(self.place, "serve", "--config", self.place.config, "--listen", "0.0.0.0:0")
        self.assertNotEqual(done.returncode, 0)

    def test_standard_output_of_stdio_is_protocol_alone(self):
        host = self.stdio_host(self.place)  # each line of its output is parsed as JSON
        host.initialize()
        self.assertIn("greet", json.dumps(host.request("tools/list")))
        self.assertEqual(host.close_input(), 0)


if __name__ == "__main__":
    unittest.main()
