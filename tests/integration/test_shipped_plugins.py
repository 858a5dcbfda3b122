"""The shipped plugins that touch things, behind the host's permission: modes, working directories, dangerous paths, rules."""
import concurrent.futures
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import tomllib
import unittest

from harness import SOURCE, TestCase, run_toolpost, text_of, wait_until

SHELL_AND_WAREHOUSE = "[plugin.shell]\nenabled = true\n[plugin.warehouse]\nenabled = true"


class Guarded(TestCase):
    """A project folder that the plugins are granted, and a host in some mode over it."""

    def setUp(self):
        self.project = self.workspace().root / "project"
        self.project.mkdir()

    def granted(self, *plugins, mode="default", grant="rw", more="", permission=""):
        granted = "\n".join(f'[plugin.{name}]\nenabled = true\nexec = {str(name == "shell").lower()}\nfs = ["{grant}:{self.project}"]\n'
                            f'settings = {{ roots = ["{self.project}"] }}' for name in plugins)
        place = self.workspace(*plugins, config=f'[permission]\nmode = "{mode}"\n'
                               f'working_dirs = ["{self.project}/work"]\n{permission}\n[approval]\nask = []\n{granted}\n{more}')
        (self.project / "work").mkdir(exist_ok=True)
        return place

    def serve(self, *plugins, **more):
        self.host = self.stdio_host(self.granted(*plugins, **more))
        self.host.initialize()

    def call(self, tool, **arguments):
        """(whether it ran without a fault, its text)."""
        answer = self.host.call(tool, arguments)
        return not answer["result"].get("isError", False), text_of(answer)

    def assert_ran(self, answer):
        self.assertTrue(answer[0], answer[1])
        return answer[1]

    def assert_asked(self, answer, why=""):
        self.assertFalse(answer[0], answer[1])
        self.assertIn("needs a person's approval and did not run", answer[1])
        self.assertIn(why, answer[1])

    def assert_denied(self, answer, why=""):
        self.assertFalse(answer[0], answer[1])
        self.assertTrue(answer[1].startswith("Denied: "), answer[1])
        self.assertIn(why, answer[1])


class Accepted(TestCase):
    """What the host checks of a plugin before it serves it: names, flags, schemas, settings."""

    TOOLS = {
        "hello": ["echo", "greet"],
        "invoices": ["save_csv"],
        "clock": ["get_current_time"],
        "files": ["edit_file", "list_files", "read_file", "search_files", "write_file"],
        "fetch": ["fetch"],
        "shell": ["run_command"],
        "sqlite": ["pre_execute", "query", "schema"],
        "warehouse": ["get_locations", "get_orders", "get_stock", "pre_move_stock", "pre_reserve_stock"],
    }

    def test_every_shipped_plugin_is_served_and_lists_what_peers_may_call(self):
        host = self.stdio_host(self.workspace(*self.TOOLS, config=SHELL_AND_WAREHOUSE))
        host.initialize()
        listed = sorted(tool["name"] for tool in host.request("tools/list")["result"]["tools"])
        own = sorted(tool for tools in self.TOOLS.values() for tool in tools)
        hosts = {"Skill", "ask_user", "todo_write"}
        self.assertEqual([name for name in listed if name not in hosts], own, host.error_text())

    def test_what_ran_low_is_told_beside_the_move_that_a_person_has_confirmed(self):
        config = "[plugin.warehouse]\nenabled = true\nauto_approve = true"
        host = self.stdio_host(self.workspace("warehouse", config=config))
        host.initialize()
        moved = host.call("pre_move_stock", {"item": "gear-12", "from": 1, "to": 2, "quantity": 9})["result"]
        self.assertEqual(moved["structuredContent"]["movement"], 6)
        after = moved["_meta"]["io.toolpost/post"]
        self.assertEqual([(report["tool"], [level["item"] for level in report["structuredContent"]["low"]])
                          for report in after], [("post_move_stock", ["gear-12"])])
        self.assertIn("error", host.call("_recount", {}))


class Files(Guarded):
    def write(self, path, **more):
        return self.call("write_file", path=str(self.project / path), content="text\n", **more)

    def test_accept_edits_allows_edits_inside_the_working_directories_alone(self):
        self.serve("files", mode="accept_edits")
        self.assert_ran(self.write("work/new/a.txt"))
        self.assertEqual((self.project / "work/new/a.txt").read_text(), "text\n")
        self.assert_asked(self.write("beside.txt"))
        self.assert_asked(self.write("work/.git/config"), "dangerous path .git")
        (self.project / "work/out").symlink_to(self.project)
        self.assert_asked(self.write("work/out/beside.txt"))
        self.assertEqual(sorted(p.name for p in self.project.iterdir()), ["work"])

    def test_reading_runs_unasked_but_for_dangerous_paths(self):
        self.serve("files")
        (self.project / "a.txt").write_text("hello\n")
        (self.project / ".env").write_text("TOKEN=hello\n")
        self.assertIn("     1\thello\n", self.assert_ran(self.call("read_file", path=str(self.project / "a.txt"))))
        self.assert_asked(self.call("read_file", path=str(self.project / ".env")), "dangerous path .env")
        found = self.assert_ran(self.call("search_files", path=str(self.project), pattern="hello"))
        self.assertIn("a.txt", found)
        self.assertNotIn("TOKEN", found)

    def test_a_search_shows_no_line_of_what_a_read_would_be_asked_about(self):
        secrets = [".env", "server.pem", "tls/a.key", "id_ed25519_work", ".cargo/credentials.toml", "payroll/may.txt",
                   "notes/private/a.txt"]
        for name in [*secrets, "plain.txt"]:
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("TOKEN=hello\n")
        for mode in ("default", "bypass"):
            self.serve("files", mode=mode, permission='dangerous_paths = ["Payroll", "notes/private"]')
            for name in secrets:
                self.assert_asked(self.call("read_file", path=str(self.project / name)), "dangerous path")
            for more in ({}, {"path": str(self.project)}):
                found = self.assert_ran(self.call("search_files", pattern="TOKEN", **more))
                self.assertEqual(found.count("TOKEN"), 1, found)
                self.assertIn(f"not looked into: {len(secrets)}", found)
            self.assertNotIn("may.txt", self.assert_ran(self.call("list_files", path=str(self.project), depth=4)))
            self.assert_asked(self.call("search_files", pattern="TOKEN", path=str(self.project / "payroll")), "dangerous path")
            self.host.stop()

    def test_the_plugin_and_the_host_have_one_list_of_dangerous_paths(self):
        host = (SOURCE / "host/permission/path/dangerous_path.cpp").read_text()
        plugin = (SOURCE / "plugins/files/tree.cpp").read_text()
        documented = (SOURCE / "docs/operate/approvals.md").read_text()
        for name in ("kBuiltIn", "kSecretEnds", "kKeyBegins"):
            lists = [set(re.findall(r'"([^"]+)"', re.search(name + r"\[\] = \{(.*?)\};", text, re.DOTALL).group(1)))
                     for text in (host, plugin)]
            self.assertTrue(lists[0])
            self.assertEqual(lists[0], lists[1], name)
            for entry in lists[0]:
                if not entry.startswith(".env.") and not entry.endswith(".backup"):
                    self.assertIn(("`*" if name == "kSecretEnds" else "`") + entry + "`", documented)

    def test_in_bypass_mode_a_dangerous_path_is_still_asked_and_the_outside_denied(self):
        self.serve("files", mode="bypass")
        self.assert_ran(self.write("a.txt"))
        self.assert_asked(self.write(".ssh/authorized_keys"), "dangerous path .ssh")
        self.assert_denied(self.call("write_file", path="/etc/toolpost-test", content=""), "outside the granted folders")
        self.assertFalse((self.project / ".ssh").exists())
        self.assertFalse(pathlib.Path("/etc/toolpost-test").exists())

    def test_a_grant_to_read_is_enough_to_read_and_no_more(self):
        (self.project / "a.txt").write_text("hello\n")
        self.serve("files", mode="bypass", grant="ro")
        self.assertIn("hello", self.assert_ran(self.call("read_file", path=str(self.project / "a.txt"))))
        self.assertIn("a.txt", self.assert_ran(self.call("search_files", pattern="hello")))
        ran, text = self.write("b.txt")
        self.assertFalse(ran, text)
        self.assertIn("cannot be written", text)
        self.assertFalse((self.project / "b.txt").exists())

    def test_a_rule_of_the_suggested_form_allows_the_folder(self):
        self.serve("files")
        answer = self.write("src/a.txt")
        self.assert_asked(answer, f'tool = "write_file", content = \'{self.project}/src/**\'')
        self.host.stop()
        self.serve("files", more=f'[[rule]]\ntool = "write_file"\ncontent = "{self.project}/src/**"\nbehavior = "allow"')
        self.assert_ran(self.write("src/a.txt"))
        self.assert_asked(self.write("other/a.txt"))


class Databases(Guarded):
    def serve_database(self, grant, more=""):
        self.file = self.project / "shop.db"
        with sqlite3.connect(self.file) as database:
            database.execute("CREATE TABLE item(name TEXT)")
            database.execute("INSERT INTO item VALUES ('bolt')")
        database.close()
        place = self.workspace("sqlite", config=f'[approval]\nask = []\n[plugin.sqlite]\nfs = ["{grant}"]\n{more}\n'
                               f'[plugin.sqlite.settings]\ndatabases = {{ shop = "{self.file}" }}\nwritable = ["shop"]')
        self.host = self.stdio_host(place)
        self.host.initialize()

    def rows(self):
        text = self.assert_ran(self.call("query", database="shop", sql="SELECT name FROM item"))
        return [row[0] for row in json.loads(text)["rows"]]

    def test_reading_needs_no_more_than_the_file(self):
        self.serve_database(f"ro:{self.project}/shop.db")
        self.assertEqual(self.rows(), ["bolt"])
        self.assert_asked(self.call("pre_execute", database="shop", sql="DELETE FROM item"), "a person confirms")

    def test_a_confirmed_change_is_made_in_the_granted_folder(self):
        self.serve_database(f"rw:{self.project}", "auto_approve = true")
        self.assert_ran(self.call("pre_execute", database="shop", sql="INSERT INTO item VALUES (?)",
                                  parameters=["nut"]))
        self.assertEqual(self.rows(), ["bolt", "nut"])
        self.assertEqual([p.name for p in self.project.iterdir()], ["shop.db"])


def hostile_repository(folder, command):
    """A repository whose configuration and attributes run `command` on nearly every occasion that git offers."""
    def git(*args):
        subprocess.run(["git", "-C", str(folder), *args], check=True, capture_output=True,
                       env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"})
    git("init", "-q")
    git("config", "user.name", "a")
    git("config", "user.email", "a@example.org")
    (folder / "a.txt").write_text("one\n")
    git("add", "a.txt")
    git("commit", "-qm", "first")
    (folder / "a.txt").write_text("two\n")
    (folder / ".gitattributes").write_text("* filter=evil diff=evil\n")
    hooks = folder / ".git/hooks"
    for hook in ("post-index-change", "reference-transaction"):
        (hooks / hook).write_text(f"#!/bin/sh\n{command}\n")
        (hooks / hook).chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "diff.evil.textconv", "diff.evil.command",
                "filter.evil.clean", "filter.evil.smudge", "gpg.program", "core.sshCommand"):
        git("config", key, command)


class Shell(Guarded):
    def run_command(self, command, **more):
        return self.call("run_command", command=command, **more)

    def test_a_deny_rule_on_one_segment_denies_the_whole_command(self):
        self.serve("shell", mode="bypass",
                   more='[[rule]]\ntool = "run_command"\ncontent = "curl:*"\nbehavior = "deny"')
        self.assertEqual(self.assert_ran(self.run_command("echo a && echo b >made")), "a\n")
        self.assert_denied(self.run_command("touch never && curl -s x | sh"), "denied by a rule")
        self.assertFalse((self.project / "never").exists())
        self.assertEqual((self.project / "made").read_text(), "b\n")

    def test_reading_commands_run_unasked_and_all_others_are_asked(self):
        self.serve("shell")
        (self.project / "a.txt").write_text("hello\n")
        self.assertEqual(self.assert_ran(self.run_command("cat a.txt | wc -l")), "1\n")
        self.assert_asked(self.run_command("touch b.txt"))
        self.assert_asked(self.run_command("cat a.txt; touch b.txt"))
        self.assertFalse((self.project / "b.txt").exists())

    def test_a_link_to_a_secret_is_asked_whatever_it_is_called(self):
        (self.project / ".env").write_text("SECRET=1\n")
        (self.project / ".ssh").mkdir()
        (self.project / ".ssh/config").write_text("Host *\n")
        (self.project / "notes").symlink_to(".env")
        (self.project / "keys").symlink_to(".ssh")
        (self.project / "zero").symlink_to("/dev/zero")
        (self.project / "plain").write_text("plain\n")
        for mode in ("default", "explore", "dont_ask"):
            self.serve("shell", mode=mode)
            for more in ({}, {"cwd": str(self.project)}):
                for command in ("cat notes", "cat n*", "cat note?", "cat [n]otes", "cat [^x]otes", "cat */config",
                                "cat keys/config", "cat keys/*", "head -c 20 zero", "head -c 20 z*",
                                "cd keys; cat config", "cat < notes"):
                    ran, text = self.run_command(command, **more)
                    self.assertFalse(ran, f"{command} {more} in {mode}: {text}")
                self.assertEqual(self.assert_ran(self.run_command("cat pl*", **more)), "plain\n")

    def test_every_segment_needs_an_allow_rule(self):
        self.serve("shell", more='[[rule]]\ntool = "run_command"\ncontent = "touch:*"\nbehavior = "allow"')
        self.assert_ran(self.run_command("touch b.txt && ls"))
        self.assert_asked(self.run_command("touch c.txt && mv b.txt d.txt"))
        self.assertEqual(sorted(p.name for p in self.project.iterdir()), ["b.txt", "work"])

    def test_an_allow_rule_without_a_wildcard_is_one_command(self):
        self.serve("shell", more='[[rule]]\ntool = "run_command"\ncontent = "mkdir made"\nbehavior = "allow"')
        self.assert_asked(self.run_command('sh -c "echo x > evil" "mkdir made"'))
        self.assert_asked(self.run_command("mkdir made/evil"))
        self.assert_ran(self.run_command("mkdir made"))
        self.assertEqual(sorted(p.name for p in self.project.iterdir()), ["made", "work"])

    def test_git_is_asked_where_its_folder_could_name_a_program(self):
        ran = self.project / "ran"
        hostile_repository(self.project, f"echo x > {ran}")
        for mode in ("default", "explore", "dont_ask"):
            self.serve("shell", mode=mode)
            for command in ("git status", "git diff", "git log -p"):
                self.assertFalse(self.run_command(command)[0], command)
        self.assertFalse(ran.exists())

    def test_plain_files_do_not_make_a_folder_a_git_repository(self):
        """A model may write them. git would run the program that `core.fsmonitor` names, also with an allow rule."""
        self.serve("shell", more='[[rule]]\ntool = "run_command"\ncontent = "git status:*"\nbehavior = "allow"')
        ran, fake = self.project / "ran", self.project / "work/fake"
        for folder in ("objects", "refs"):
            (fake / folder).mkdir(parents=True)
        (fake / "HEAD").write_text("ref: refs/heads/main\n")
        (fake / "config").write_text(f'[core]\nbare = false\nworktree = ..\nfsmonitor = "touch {ran}; true"\n')
        for cwd in (fake, fake / "objects"):
            _, text = self.run_command("git status", cwd=str(cwd))
            self.assertIn("cannot use bare repository", text)
        self.assertFalse(ran.exists())

    def test_accept_edits_allows_one_change_a_command(self):
        self.serve("shell", mode="accept_edits")
        work = self.project / "work"
        (work / "s2/g/hooks").mkdir(parents=True)
        (work / "payload").write_text("evil")
        self.assert_asked(self.run_command(f"mv {work}/s2 {work}/.s3 && cp {work}/payload {work}/.s3/g/hooks/x",
                                           cwd=str(work)))
        self.assertTrue((work / "s2").exists())
        self.assert_ran(self.run_command(f"cp {work}/payload {work}/copied && ls {work}", cwd=str(work)))

    def test_accept_edits_takes_only_commands_that_name_their_places(self):
        self.serve("shell", mode="accept_edits")
        work = str(self.project / "work")
        self.assert_ran(self.run_command(f"mkdir {work}/sub", cwd=work))
        self.assertTrue((self.project / "work/sub").is_dir())
        self.assert_ran(self.run_command("mkdir here", cwd=work))
        self.assert_ran(self.run_command(f"mkdir {work}/other"))
        self.assert_asked(self.run_command("mkdir other"))  # in the first granted folder, which is above
        self.assert_asked(self.run_command(f"mkdir {self.project}/beside", cwd=work))
        self.assertEqual(sorted(p.name for p in self.project.iterdir()), ["work"])

    def test_in_bypass_mode_danger_is_still_asked_and_a_foreign_folder_denied(self):
        self.serve("shell", mode="bypass")
        self.assert_asked(self.run_command("rm -rf work"), "safety")
        self.assert_asked(self.run_command("echo x >.git/config"), "dangerous path .git")
        self.assert_denied(self.run_command("touch x", cwd="/etc"), "outside the granted folders")
        self.assertTrue((self.project / "work").is_dir())

    def test_what_changes_while_a_command_waits_for_its_turn_is_judged_again(self):
        for mode, command in (("default", "cat d/k"), ("accept_edits", "touch d/x")):
            work = self.project / mode
            (work / "d").mkdir(parents=True)
            (work / "d/k").write_text("public\n")
            (work / ".ssh").mkdir()
            (work / ".ssh/k").write_text("private\n")
            os.mkfifo(work / "held")
            place = self.granted("shell", mode=mode, more='[[rule]]\ntool = "run_command"\n'
                                 'content = "cat held"\nbehavior = "allow"')
            place.write_config(place.config.read_text().replace(f"{self.project}/work", str(work)))
            host = self.http_host(place)
            run = lambda text: host.call("run_command", {"command": text, "cwd": str(work)})
            self.assertFalse(run(command)["result"].get("isError"))
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                first = pool.submit(run, "cat held")
                with open(work / "held", "w") as held:  # opened: it runs
                    second = pool.submit(run, command)
                    wait_until("it waits", lambda: self.waiting_calls(host) == 1)
                    (work / "d").rename(work / "was")
                    (work / "d").symlink_to(".ssh")
                    held.write("go")
                self.assertFalse(first.result()["result"].get("isError"), first.result())
                answer = second.result()
            self.assertTrue(answer["result"].get("isError"), (command, answer))
            self.assertNotIn("private", text_of(answer))
            self.assertFalse((work / ".ssh/x").exists())

    def test_what_needs_approval_after_its_wait_runs_once_approved(self):
        work = self.project / "work"
        place = self.granted("shell", more='[[rule]]\ntool = "run_command"\ncontent = "cat held"\nbehavior = "allow"')
        place.write_config(place.config.read_text().replace("ask = []", "wait_s = 600"))
        (work / "k").write_text("public\n")
        (work / ".env").write_text("private\n")
        os.mkfifo(work / "held")
        host = self.http_host(place)
        run = lambda text: host.call("run_command", {"command": text, "cwd": str(work)})
        approvals = lambda *words: run_toolpost(place, "approvals", *words, "--config", place.config).stdout
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            first = pool.submit(run, "cat held")
            with open(work / "held", "w") as held:
                second = pool.submit(run, "cat k")
                wait_until("it waits", lambda: self.waiting_calls(host) == 1)
                (work / "k").unlink()
                (work / "k").symlink_to(".env")
                held.write("go")
            self.assertFalse(first.result()["result"].get("isError"))
            pending = wait_until("it asks", lambda: json.loads(approvals("--json")))
            self.assertEqual(text_of(run("echo free")), "free\n")  # nobody waits behind it
            approvals("approve", pending[0]["id"])
            self.assertEqual(text_of(second.result()), "private\n")

    def waiting_calls(self, host):
        _, _, page = host.fetch("GET", "/metrics")
        return next(float(line.split()[1]) for line in page.splitlines() if line.startswith("toolpost_calls_waiting "))

    def test_the_worker_holds_a_command_to_its_grants(self):
        self.serve("shell", mode="bypass")
        outside = self.workspace().root / "outside.txt"
        ran, text = self.run_command(f"echo x >{outside}; echo ended")
        if outside.exists():
            self.skipTest("this kernel has no layer that holds a worker to its folders")
        self.assertIn("ended", text)


class Defaults(TestCase):
    """What config.toml shows for the shipped plugins is in force without any file too."""

    def tools_of(self, place):
        host = self.stdio_host(place)
        host.initialize()
        return {tool["name"] for tool in host.request("tools/list")["result"]["tools"]}

    def test_the_shell_and_the_example_are_off_until_they_are_switched_on(self):
        tools = self.tools_of(self.workspace(*Accepted.TOOLS))
        self.assertIn("save_csv", tools)
        self.assertFalse(tools & {"run_command", "get_stock"}, tools)
        exec_alone = self.workspace("shell", config="[plugin.shell]\nexec = true")
        self.assertNotIn("run_command", self.tools_of(exec_alone))

    def test_each_setting_of_the_shipped_file_is_its_plugins_default(self):
        switched_off = "".join(f"[plugin.{name}]\nenabled = true\n" for name in ("rate_limit", "redact"))
        place = self.workspace(*Accepted.TOOLS, "rate_limit", "redact", config=SHELL_AND_WAREHOUSE + "\n" + switched_off)
        done = run_toolpost(place, "tools", "--config", place.config)
        self.assertEqual(done.returncode, 0, done)
        defaults = {}
        for file in (place.root / "home/.cache/toolpost/manifests").iterdir():
            text = file.read_text()
            manifest = json.JSONDecoder().raw_decode(text[text.index("{"):])[0]
            schema = json.loads(manifest["config_schema"] or "{}")
            defaults[manifest["id"].rpartition(".")[2]] = {
                key: about.get("default") for key, about in schema.get("properties", {}).items()}
        shipped = tomllib.loads((SOURCE / "config.toml").read_text())["plugin"]
        self.assertEqual({name: section.get("settings", {}) for name, section in shipped.items()}, defaults)

    def test_save_csv_works_without_any_configuration_of_it(self):
        place = self.workspace("invoices")
        host = self.stdio_host(place)
        host.initialize()
        folder = place.root / "home/.local/state/toolpost/invoices"
        answer = host.call("save_csv", {"filename": "march", "rows": [{"vendor": "Acme"}]})
        self.assertEqual(text_of(answer), f"CSV saved to {folder}/march.csv (1 rows)", host.error_text())
        self.assertIn("Acme", (folder / "march.csv").read_text())
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)

    def test_what_the_log_advises_for_a_missing_folder_helps(self):
        place = self.workspace("invoices")
        folder = place.root / "data/csv"
        place.write_config(place.config.read_text() + f'[plugin.invoices]\nfs = ["rw:{folder}"]\n'
                           f'settings = {{ folder = "{folder}" }}')

        def save():
            host = self.stdio_host(place)
            host.initialize()
            answer = host.call("save_csv", {"filename": "march", "rows": []})
            self.assertEqual(host.close_input(), 0)
            return answer["result"].get("isError", False), host.error_text()
        failed, log = save()
        if "kernel has no Landlock" in log:
            self.skipTest("nothing holds a worker to its folders")
        self.assertTrue(failed)
        self.assertIn("create it, for a folder with `mkdir -p`, then restart the host", log)
        self.assertIn(str(folder), log)
        subprocess.run(["mkdir", "-p", folder], check=True)
        failed, log = save()
        self.assertFalse(failed, log)


if __name__ == "__main__":
    unittest.main()
