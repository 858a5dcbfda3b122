"""The page in a real browser against the real host: people answer calls, and other sites may not.

Needs `scripts/bootstrap --tests`. TP_PAGE_DIR: the page's files from there in place of those in the binary.
Pictures of every view are left in page-screenshots/ of the build.
"""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import unittest

from git_repository import Repository, section
from harness import (BUILD, NPM, PATIENCE_S, SOURCE, TestCase, Workspace, environment, message, run_toolpost, text_of,
                     wait_until)
from one_time_codes import first_code_of

NODE = NPM / "node_modules/.bin/node"
FOLDER = SOURCE / "tests/integration/page"
FILES = SOURCE / "host/admin/page"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell")
WAIT_S = 300  # until a browser that starts on a busy machine has answered
PAGE = ["--page-dir", os.environ["TP_PAGE_DIR"]] if "TP_PAGE_DIR" in os.environ else []

SKILL = """---
name: {name}
description: {description}
---
# Read me
"""


# A rule of which no call makes use (the tool has no form of content); its text is hostile.
HOSTILE_RULE = """[[rule]]
tool = "kv_get"
content = "<img src=/stolen onerror=alert(1)>"
behavior = "allow"
"""


def upstream(name, *words):
    """A server of which every definition waits for a decision; `gone` has no program, and a sandbox."""
    program = "/nonexistent/server" if name == "gone" else sys.executable
    arguments = json.dumps(["-B", str(SOURCE / "tests/integration/upstreams/double.py"), *words])
    sandbox = '[upstream.sandbox]\nfs = ["ro:/srv"]\n' if name == "gone" else ""
    return f'[[upstream]]\nname = "{name}"\ncommand = "{program}"\nargs = {arguments}\npin = "review"\nlazy = false\n' + sandbox


def page_files():
    return sorted(file for file in FILES.rglob("*") if file.is_file())


def without_edition(index):
    return re.sub(rb'(="/page/)[0-9a-f]{16}/', rb"\1", index)


class PageCase(TestCase):
    def setUp(self):
        self.assertTrue(NODE.exists(), "no Node here: run scripts/bootstrap --tests")

    def run_node(self, script, *words, act=None):
        """A script of page/ to its end. What it says, line by line, `act` answers."""
        home = pathlib.Path(self.workspace().root)
        child = subprocess.Popen([str(NODE), "--no-warnings", str(FOLDER / script), *words], cwd=home, text=True,
                                 env=environment(home) | {"CHROMIUM": CHROMIUM},
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = []
        try:
            for line in child.stdout:
                lines.append(line.strip())
                if act and lines[-1] != "held":
                    child.stdin.write(f"{act(lines[-1])}\n")
                    child.stdin.flush()
            _, errors = child.communicate(timeout=60)
        finally:
            if child.poll() is None:
                child.kill()
                child.communicate()
        self.assertEqual((child.returncode, lines[-1:]), (0, ["held"]), f"{lines}\n{errors}")


class Modules(PageCase):
    def test_hold_without_a_browser(self):
        self.run_node("modules.mjs", str(FILES))


class Page(PageCase):
    """Each scenario has its own contexts, that is cookies, storage and cache, in one browser: to start a browser takes
    longer than most scenarios."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not NODE.exists() or not shutil.which(CHROMIUM):
            raise AssertionError("no Node or no Chromium here: run scripts/bootstrap --tests")
        place = Workspace()
        cls.addClassCleanup(place.close)
        child = subprocess.Popen([str(NODE), "--no-warnings", str(FOLDER / "browser_server.mjs"), str(NPM)], cwd=place.root,
                                 text=True, env=environment(place.root) | {"CHROMIUM": CHROMIUM},
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        cls.addClassCleanup(cls.end_browser, child)
        cls.browser = child.stdout.readline().strip()
        if not cls.browser:
            raise AssertionError("the browser did not start")

    @staticmethod
    def end_browser(child):
        try:
            child.communicate(timeout=60)  # the end of its input ends it
        finally:
            if child.poll() is None:
                child.kill()
                child.communicate()

    def serve(self, *more, expire_s=3600, wait_s=WAIT_S):
        self.prepare(*more, expire_s=expire_s, wait_s=wait_s)
        self.start()

    def prepare(self, *more, expire_s=3600, wait_s=WAIT_S):
        """`more` are sections of the configuration."""
        self.place = self.workspace("warehouse", "hello", config="\n".join([
            f"[approval]\nwait_s = {wait_s}\nexpire_s = {expire_s}\nreject_sticky_s = 0",
            "[plugin.warehouse]\nenabled = true", *more]))
        self.place.skill("hostile", SKILL.format(name="hostile", description="'<img src=/stolen onerror=alert(6)>'"))

    def start(self):
        self.host = self.http_host(self.place, *PAGE)
        self.base = self.host.url.removesuffix("/mcp")

    def call_for_browser(self, tool, arguments, **options):
        """A call that somebody in a browser ends: it is awaited as long as the host waits for them."""
        with contextlib.closing(self.host.connect(WAIT_S + PATIENCE_S)) as connection:
            return self.host.call(tool, arguments, connection=connection, **options)

    def link(self):
        return self.key_verb("link", "--listen", f"127.0.0.1:{self.host.port}")

    def key_verb(self, *words):
        return self.verb("key", *words)

    def verb(self, *words):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip()

    def scenario(self, name, act=None, **more):
        options = {"url": self.base, "links": [self.link(), self.link()], "npm": str(NPM), "browser": self.browser,
                   "shots": str(BUILD / "page-screenshots"), **more}
        self.run_node("scenarios.mjs", json.dumps(options), name, act=act)

    def audited(self, tool):
        return [(line["rule"], line["outcome"]) for line in self.place.audit_lines() if line["tool"] == tool]

    def test_the_files_come_whole_and_with_the_policy(self):
        self.serve()
        types = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
        for file in page_files():
            path = "/" if file.name == "index.html" else f"/page/{file.relative_to(FILES)}"
            connection = self.host.connect()
            connection.request("GET", path)
            answer = connection.getresponse()
            self.assertEqual((answer.status, without_edition(answer.read())), (200, file.read_bytes()), path)
            self.assertTrue(answer.headers["Content-Type"].startswith(types[file.suffix]), path)
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            policy = answer.headers["Content-Security-Policy"].split("; ")
            for rule in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'",
                         "form-action 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"):
                self.assertIn(rule, policy, path)
            connection.close()

    @unittest.skipIf(PAGE, "files from a folder may change")
    def test_a_browser_asks_for_each_file_once(self):
        self.serve()
        _, headers, index = self.host.fetch("GET", "/")
        self.assertEqual(headers["Cache-Control"], "no-cache")
        named = re.findall(r'(?:src|href)="(/page/[0-9a-f]{16}/([^"]+))"', index)
        self.assertEqual(sorted(name for _, name in named),
                         [str(file.relative_to(FILES)) for file in page_files() if file.name != "index.html"])
        for path, name in named:
            status, headers, text = self.host.fetch("GET", path)
            self.assertEqual((status, text), (200, (FILES / name).read_text(encoding="utf-8")), path)
            self.assertIn("immutable", headers["Cache-Control"])
        other = re.sub("/[0-9a-f]{16}/", f"/{0:016x}/", named[0][0])
        self.assertEqual(self.host.fetch("GET", other)[0], 404)

    def test_a_folder_in_place_of_the_built_in_files_serves_what_is_in_it_and_no_more(self):
        self.prepare()
        folder = pathlib.Path(self.place.root) / "page"
        (folder / "view").mkdir(parents=True)
        (folder / ".hidden").mkdir()
        for name in ("index.html", "view/one.js", "view/.secret", ".hidden/one.js"):
            (folder / name).write_text(name)
        (folder.parent / "outside.js").write_text("outside")
        host = self.http_host(self.place, "--page-dir", str(folder))
        for path, text in (("/", "index.html"), ("/page/view/one.js", "view/one.js")):
            self.assertEqual(host.fetch("GET", path)[::2], (200, text), path)
        for name in ("view", "view/", "/view/one.js", "view//one.js", "view/.secret", ".hidden/one.js", "none.js",
                     "../outside.js", "view/../../outside.js", "view/./one.js", "%2e%2e/outside.js",
                     f"/{folder.parent}/outside.js"):
            self.assertIn(host.fetch("GET", "/page/" + name)[0], (400, 404), name)

    def test_a_link_logs_in_once(self):
        self.serve()
        self.scenario("link_logs_in_once")

    def test_a_login_that_ends_elsewhere_is_told(self):
        self.serve()
        self.scenario("login_that_ends_elsewhere_is_told")

    def test_a_key_logs_in(self):
        self.prepare()
        key = self.key_verb("new", "alice", "--scope", "call", "--scope", "approve")
        self.start()
        self.scenario("key_logs_in", key=key)

    def test_a_key_may_only_do_what_it_may(self):
        self.prepare()
        key = self.key_verb("new", "bob", "--scope", "call")
        self.start()
        self.scenario("key_may_only_do_what_it_may", key=key)

    def test_an_external_call_is_answered(self):
        self.prepare()
        key = self.key_verb("new", "carl", "--scope", "call", "--scope", "context")
        self.start()
        self.scenario("external_call_is_answered", key=key)

    def test_a_call_of_a_client_is_approved_and_reaches_it_as_edited(self):
        self.serve()
        self.scenario("edited_call_of_a_client_reaches_it")
        self.assertEqual(self.audited("pre_createTransfer"), [("person", "ok")])

    def test_a_reviewer_sees_only_what_it_may(self):
        self.prepare(HOSTILE_RULE)
        self.place.drop("services")  # which has the tool of that rule
        key = self.key_verb("new", "rita", "--scope", "approve")
        self.start()
        self.scenario("reviewer_sees_only_what_it_may", key=key)

    def test_every_call_that_waits_is_shown(self):
        waiting = 1001
        self.prepare("[limits]\napprovals_per_principal = 2000", expire_s=3600, wait_s=0)
        self.start()
        connection = self.host.connect()
        for number in range(waiting):
            body, headers = message("tools/call", {"name": "pre_reserve_stock", "arguments": {
                "order": f"order-{number}", "item": "bolt-m8", "location": 1, "quantity": 7}}, "bare")
            status, _, text = self.host.post(body, headers, connection)
            self.assertEqual(status, 200, text)
            self.assertIn("waits for a person", text)
        connection.close()
        self.scenario("shows_every_call_that_waits", waiting=waiting)

    def test_a_yes_is_to_what_was_shown(self):
        self.serve()
        self.scenario("yes_is_to_what_was_shown")
        self.assertEqual(self.audited("pre_reserve_stock"), [("person", "ok")])

    def test_a_call_that_waits_is_approved_and_runs_once(self):
        self.serve()
        self.scenario("approves")
        self.assertEqual(self.audited("pre_reserve_stock"), [("person", "ok")])

    def test_a_question_is_answered_for_a_caller_that_gave_up(self):
        self.serve(wait_s=0.1)
        self.scenario("answers_a_question")

    def test_a_call_that_went_away_finds_its_yes(self):
        self.serve(wait_s=0.2)
        self.scenario("approves_for_a_caller_that_went_away")
        self.assertEqual(self.audited("pre_reserve_stock"),
                         [("pre_gate", "pending"), ("person", "ok"), ("pre_gate", "pending")])

    def test_a_no_is_read_by_the_caller(self):
        self.serve()
        self.scenario("rejects_with_a_note")

    def test_a_code_is_given_with_the_yes(self):
        self.prepare()
        key = self.key_verb("new", "anna")
        enrolment = json.loads(self.verb("totp", "enroll", "anna", "--json"))
        self.verb("totp", "confirm", "anna", first_code_of(enrolment["secret"]))
        self.start()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            call = pool.submit(self.call_for_browser, "priv_approve_order", {"order": "none"},
                               headers={"Authorization": f"Bearer {key}"})
            self.scenario("gives_a_code", code=enrolment["recovery"][1])
            self.assertIn("order none", text_of(call.result()))  # it ran, and there is no such order
        self.assertEqual(self.audited("priv_approve_order"), [("totp", "tool_error")])

    def test_one_question_has_an_address_of_its_own(self):
        self.prepare()
        anna, reviewer = self.key_verb("new", "anna"), self.key_verb("new", "anna", "--scope", "approve")
        enrolment = json.loads(self.verb("totp", "enroll", "anna", "--json"))
        self.verb("totp", "confirm", "anna", first_code_of(enrolment["secret"]))
        self.start()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            calls = [pool.submit(self.call_for_browser, "priv_approve_order", {"order": order},
                                 headers={"Authorization": f"Bearer {anna}"}) for order in ("none", "other")]
            waiting = wait_until("both wait", lambda: len(self.waiting()) == 2 and self.waiting())
            one, other = sorted(waiting, key=lambda record: record["arguments"]["order"])
            self.scenario("one_question_has_an_address", code=enrolment["recovery"][1], key=reviewer,
                          question=f"{self.base}/#/approvals/{one['id']}")
            self.assertIn("order none", text_of(calls[0].result()))
            self.verb("approvals", "reject", other["id"])
            self.assertIn("A person denied", text_of(calls[1].result()))

    def waiting(self):
        return json.loads(self.verb("approvals", "--json"))

    def test_always_is_said_with_the_yes(self):
        self.prepare()
        self.place.drop("services")
        self.start()
        probe = {"key": "k", "value": "v"}
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            call = pool.submit(self.call_for_browser, "kv_set", probe)
            self.scenario("says_always")
            self.assertFalse(call.result()["result"].get("isError"))
        self.assertFalse(self.host.call("kv_set", probe)["result"].get("isError"))
        self.assertRegex(self.audited("kv_set")[-1][0], "^rule rule_")
        rule = json.loads(self.verb("rules", "--json"))["rules"][0]
        self.assertEqual((rule["principal"], rule["rule"]["scope"]), ("local", "principal"))

    def test_edited_arguments_are_compared_and_run(self):
        self.serve()
        self.scenario("edits")
        self.assertEqual(self.audited("pre_reserve_stock"), [("person", "ok")])

    def test_one_of_two_reviewers_wins(self):
        self.serve()
        self.scenario("one_of_two_reviewers_wins")
        self.assertEqual(self.audited("pre_reserve_stock"), [("person", "ok")])

    def test_others_see_the_answer(self):
        self.serve()
        self.scenario("others_see_the_answer")

    def test_numbers_are_shown_and_run_exactly(self):
        self.prepare()
        self.place.drop("services")  # which has a tool that takes any arguments
        self.start()
        self.scenario("shows_and_runs_numbers_exactly")

    def test_hostile_text_stays_text(self):
        self.prepare()
        self.place.drop("services")  # which has a tool that takes any arguments
        self.start()
        self.scenario("hostile_text_stays_text")

    def test_the_context_of_a_call_is_shown(self):
        self.prepare()
        key = self.key_verb("new", "backend", "--scope", "call", "--scope", "context")
        self.start()
        self.scenario("shows_the_context_of_a_call", key=key)
        self.assertEqual(self.audited("pre_reserve_stock"), [("person", "ok")])

    def test_no_other_site_frames_it(self):
        self.serve()
        self.scenario("no_other_site_frames_it")

    def test_no_other_site_answers(self):
        self.serve()
        self.scenario("no_other_site_answers")
        self.assertEqual(self.audited("pre_reserve_stock"), [("person", "ok")])

    def test_another_port_has_the_cookie_and_nothing_else(self):
        self.serve()
        self.scenario("another_port_has_the_cookie_and_nothing_else")
        self.assertEqual(self.audited("pre_reserve_stock"), [("person", "ok")])

    def test_logins_are_listed_and_ended(self):
        self.serve()
        self.scenario("logins_are_listed_and_ended")
        ended = [line["login"] for line in self.place.audit_lines("logout")]
        self.assertRegex(ended[0], "^[0-9a-f]{12}$")
        self.assertEqual(ended[1:], ["all"])
        self.assertEqual(json.loads(self.key_verb("logins", "--json")), [])

    def test_hosts_on_two_ports_do_not_log_each_other_out(self):
        self.serve()
        first, host = self.place, self.host
        self.serve()
        other = self.link()
        self.place, self.host, self.base = first, host, host.url.removesuffix("/mcp")
        self.scenario("hosts_on_two_ports_do_not_log_each_other_out", otherLink=other)

    def test_a_link_changes_no_login(self):
        self.prepare()
        key = self.key_verb("new", "rita", "--scope", "call", "--scope", "approve")
        self.start()
        self.scenario("link_changes_no_login", key=key)

    def test_every_view_is_accessible(self):
        self.prepare(HOSTILE_RULE, upstream("files"), upstream("gone"))
        self.place.drop("services")  # which has the tool of that rule
        self.start()
        self.scenario("every_view_is_accessible")

    def test_the_keyboard_alone_answers(self):
        self.serve()
        self.scenario("answers_by_keyboard_alone")

    def test_cards_keep_their_place(self):
        self.serve(wait_s=0.1)
        self.scenario("cards_keep_their_place")

    def test_long_arguments_are_read_once(self):
        self.prepare(wait_s=0.1)
        self.place.drop("services")  # which has a tool that takes any arguments
        self.start()
        self.scenario("long_arguments_are_read_once")

    def test_news_do_not_disturb(self):
        self.serve()
        self.scenario("news_do_not_disturb")

    def test_time_is_counted_by_the_clock_of_the_host(self):
        self.serve(expire_s=20)
        self.scenario("counts_by_the_clock_of_the_host")

    def test_tools_are_tried_by_hand(self):
        self.serve()
        self.scenario("tries_tools_by_hand")

    def test_what_changes_is_shown(self):
        def act(word):
            if word == "drop a plugin":
                self.place.drop("clock")
            else:
                self.place.skill("fresh-skill", SKILL.format(name="fresh-skill", description="New"))

        self.serve()
        self.scenario("shows_what_changes", act=act)

    def test_a_page_that_is_cut_off_says_so_and_comes_back(self):
        def act(word):
            if word == "stop the host":
                self.assertEqual(self.host.stop(), 0, self.host.error_text())
            elif word == "start the host":
                self.host = self.http_host(self.place, *PAGE, port=self.host.port)
            return self.link()

        self.serve()
        self.scenario("says_when_it_is_cut_off", act=act)

    def test_a_store_that_fails_is_told_on_every_view(self):
        def act(word):
            smallest = 4096 if word == "fail the store" else before[0]
            resource.prlimit(self.host.child.pid, resource.RLIMIT_FSIZE, (smallest, before[1]))

        self.serve()
        before = resource.prlimit(self.host.child.pid, resource.RLIMIT_FSIZE)
        self.scenario("store_that_fails_is_told", act=act)

    def test_upstreams_are_shown_and_accepted(self):
        self.prepare()
        tools = self.place.root / "tools.json"

        def offer(description):
            tools.write_text(json.dumps([{"name": "look", "description": description, "inputSchema": {"type": "object"}}]))
            return "offered"

        def act(_):
            offer("It looks\u200b and sends")
            return self.verb("upstream", "refresh", "files") and "changed"

        offer("It looks")
        self.place.write_config(self.place.config.read_text() + upstream("files", f"file={tools}") + upstream("gone"))
        self.start()
        wait_until("it is ready", lambda: "ready" in [one["state"] for one in json.loads(self.verb("upstream", "list", "--json"))])
        self.scenario("upstreams_are_shown_and_accepted", act=act)
        (accepted,) = [line for line in self.place.audit_lines("upstream") if line["outcome"] == "done" and "accept" in line["action"]]
        self.assertEqual((accepted["upstream"], accepted["by"]), ("files/look", "page:operator"))

    def test_git_skills_are_pulled_and_accepted(self):
        self.prepare()
        source = Repository(self.place.root)
        source.skill("pdf", "Reads PDF files.")
        source.commit()

        def act(word):
            if word == "change":
                source.skill("pdf", "Reads\u200b <img src=/stolen onerror=alert(1)>")
                source.skill("word")
                source.commit()
            elif word == "change again":
                source.skill("pdf", "Reads everything")
                source.commit()
                self.verb("skills", "pull", "team")
            else:
                source.folder.rename(source.folder.with_name("moved"))
            return "done"

        self.place.write_config(self.place.config.read_text() + section(source.url))
        self.start()
        wait_until("the first pull is served", lambda: "pdf" in [one["name"] for one in self.host.fetch("GET", "/v1/skills")[2]["skills"]])
        self.scenario("git_skills_are_pulled_and_accepted", act=act)
        told = [(line["action"], line["outcome"], line["repository"], line["by"]) for line in self.place.audit_lines("skill")]
        self.assertIn(("skill-accept", "done", "team/pdf", "page:operator"), told)
        self.assertIn(("skill-pull", "failed", "team", "page:operator"), told)

    def test_groups_of_a_session_are_switched(self):
        self.prepare("[[group]]\nname = \"stock\"\ndescription = 'Storage room <img src=/stolen onerror=alert(1)>'\n"
                     'plugins = ["warehouse"]',
                     '[[group]]\nname = "talk"\ndescription = "Greetings."\nactive = true\ntools = ["greet"]')
        self.start()
        self.scenario("groups_of_a_session_are_switched")

    def test_the_rest_interface_is_read(self):
        self.prepare()
        self.start()
        self.scenario("rest_interface_is_read")

    def test_rules_come_and_go(self):
        self.prepare(HOSTILE_RULE)
        self.place.drop("services")
        self.start()
        self.scenario("rules_come_and_go")
        removed = self.place.audit_lines("rule")
        self.assertEqual([(line["by"], line["outcome"]) for line in removed], [("page:operator", "removed")])

    def test_rules_are_seen_by_reviewers_and_removed_by_operators(self):
        self.prepare(HOSTILE_RULE)
        self.place.drop("services")
        key = self.key_verb("new", "rita", "--scope", "call", "--scope", "approve")
        self.start()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            call = pool.submit(self.host.call, "kv_set", {"key": "k", "value": "v"})
            waiting = wait_until("it waits", lambda: json.loads(self.verb("approvals", "--json")))
            self.verb("approvals", "approve", waiting[0]["id"], "--always")
            call.result()
        self.scenario("rules_are_seen_by_reviewers_and_removed_by_operators", key=key)

    def test_the_audit_is_searched(self):
        self.prepare()
        self.key_verb("new", "rita")
        self.start()
        self.assertEqual(self.host.fetch("POST", "/v1/login", {"key": "tpk_none"})[0], 401)
        for _ in range(230):
            self.host.call("get_orders")
        self.host.call("<img src=/stolen onerror=alert(1)>")
        self.scenario("audit_is_searched")

    def test_calls_are_seen_and_ended(self):
        self.prepare("[call]\ntimeout_s = 600")
        self.place.drop("overlap")
        key = self.key_verb("new", "op", "--scope", "admin")
        self.start()
        self.scenario("calls_are_seen_and_ended", key=key)
        ended = [(line["tool"], line["by"]) for line in self.place.audit_lines("cancel")]
        self.assertEqual(ended, [("slow", "page:operator"), ("pre_reserve_stock", "page:operator"), ("slow", "page:operator")])

    def test_codes_are_enrolled_renewed_and_removed(self):
        def act(word):
            self.assertEqual(word, "lock rita")
            enrolment = json.loads(self.verb("totp", "enroll", "rita", "--json"))
            self.verb("totp", "confirm", "rita", first_code_of(enrolment["secret"]))
            for _ in range(5):
                self.host.call("priv_approve_order", {"order": "none"},
                               headers={"Authorization": f"Bearer {key}", "X-Toolpost-TOTP": "000000"})

        self.prepare()
        key = self.key_verb("new", "rita")
        self.start()
        self.scenario("codes_are_enrolled_renewed_and_removed", act=act)
        noted = [(line["principal"], line["outcome"]) for line in self.place.audit_lines("totp")
                 if line["by"] == "page:operator"]
        self.assertEqual(noted, [("operator", "enrolled"), ("operator", "denied"), ("operator", "enrolled"),
                                 ("operator", "denied"), ("operator", "confirmed"), ("operator", "renewed"),
                                 ("rita", "unlocked"), ("rita", "removed"), ("operator", "denied"),
                                 ("operator", "removed")])

    def test_codes_are_for_who_may_approve(self):
        self.prepare()
        key = self.key_verb("new", "bob", "--scope", "call")
        self.start()
        self.scenario("codes_are_for_who_may_approve", key=key)


if __name__ == "__main__":
    unittest.main()
