"""Who may call, approve and see: keys, logins to the page, and what a host refuses without them."""
import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import os
import re
import socket
import sqlite3
import subprocess
import time
import unittest

from harness import (PROBLEM_JSON, TOOLPOST, TestCase, environment, message, plugin_file, problem, run_toolpost,
                     store_of, stores, text_of, wait_until)

MOVE = {"order": "o-1", "item": "bolt-m8", "location": 1, "quantity": 7}
LINK = re.compile(r"http://127\.0\.0\.1:\d+/#login=([A-Za-z0-9_-]{43})$")


class Keys(TestCase):
    def host(self, config="", plugins=("warehouse",), arguments=()):
        self.place = self.workspace(*plugins, config="\n".join([
            "[approval]\nwait_s = 30", "[plugin.warehouse]\nenabled = true", config]))
        self.key("somebody")  # where nobody has a key, none is looked at
        return self.http_host(self.place, *arguments)

    def key(self, principal, *scopes, more=()):
        words = [word for scope in scopes for word in ("--scope", scope)]
        return json.loads(self.key_verb("new", principal, *words, *more, "--json"))

    def key_verb(self, *words, exit_code=0):
        done = run_toolpost(self.place, "key", *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout if exit_code == 0 else done.stderr

    def fetch(self, host, method, path, body=None, key=None, **headers):
        """(status, headers, body as JSON or text)"""
        connection = host.connect()
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if key:
            fields["Authorization"] = f"Bearer {key}"
        if body is not None:
            fields.setdefault("Content-Type", "application/json")
        data = json.dumps(body) if isinstance(body, dict) else body
        connection.request(method, path, data, fields)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        is_json = answer.headers.get("Content-Type") in ("application/json", PROBLEM_JSON) and text
        return answer.status, answer.headers, json.loads(text) if is_json else text

    def status(self, *arguments, **options):
        return self.fetch(*arguments, **options)[0]

    def test_what_is_shown_and_not_valid_is_refused_next_to_what_is(self):
        self.host().stop()
        ada, bert, gone = self.key("ada"), self.key("bert", "call", "approve"), self.key("ada")
        self.key_verb("revoke", gone["id"])
        host = self.http_host(self.place)  # knows all of them: no poll counts as a guess
        both = lambda key, other: self.fetch(host, "GET", "/v1/tools", key=key, X_Agent_API_Key=other)
        for other in ("nonsense", "", gone["key"], bert["key"]):
            status, headers, answer = both(ada["key"], other)
            self.assertEqual((status, answer["type"]), (401, problem("unauthorized")), other)
            self.assertTrue(headers["WWW-Authenticate"].startswith("Bearer "))
            if other:
                self.assertEqual(both(other, ada["key"])[0], 401, other)
        self.assertIn("two different", both(ada["key"], bert["key"])[2]["detail"])
        self.assertEqual(both(ada["key"], ada["key"])[0], 200)
        self.assertEqual(self.status(host, "GET", "/v1/tools", X_Agent_API_Key=ada["key"]), 200)
        self.assertEqual(self.status(host, "GET", "/v1/tools", Authorization="Basic YTpi", X_Agent_API_Key=ada["key"]), 401)
        body, _ = message("tools/list", None, "bare")
        mcp = lambda other: host.post(body, {"Authorization": f"Bearer {ada['key']}", "X-Agent-API-Key": other})[0]
        self.assertEqual([mcp("nonsense"), mcp(bert["key"]), mcp(ada["key"])], [401, 401, 200])

    def test_a_login_and_a_key_are_two_credentials_and_a_cookie_alone_is_none(self):
        host = self.host()
        boss = self.key("boss", "call", "approve")
        self.known(host, boss)
        shown, _ = self.login(host, key=boss["key"])
        self.assertEqual(self.status(host, "GET", "/v1/tools", **shown), 200)
        self.assertEqual(self.status(host, "GET", "/v1/tools", key=boss["key"], **shown), 401)
        cookie = {name: value for name, value in shown.items() if name == "Cookie"}
        self.assertTrue(cookie)
        self.assertEqual(self.status(host, "GET", "/v1/tools", key=boss["key"], **cookie), 200)

    def test_unknown_paths_of_the_interface_are_told_in_its_form(self):
        host = self.host()
        for path in ("/v1/nosuch", "/api/v1/nosuch", "/v1", "/v1/", "/api/v1", "/v1/approvals/a/b"):
            for method in ("GET", "POST"):
                status, _, answer = self.fetch(host, method, path)
                self.assertEqual((status, answer["type"]), (404, problem("not-found")), (method, path, answer))
        self.assertEqual(self.fetch(host, "GET", "/v1/nosuch", key="nonsense")[2]["type"], problem("unauthorized"))
        self.assertIn("jsonrpc", self.fetch(host, "GET", "/nosuch")[2])

    def test_the_scope_admin_includes_the_metrics(self):
        host = self.host(config='[auth]\nanonymous = "nobody"')
        keys = {scope: self.key(scope, scope)["key"] for scope in ("admin", "call", "approve")}
        self.told(host, {"key": keys["approve"]}, "/v1/approvals", (200,))
        self.assertEqual([self.status(host, "GET", "/metrics", key=keys[scope]) for scope in ("admin", "approve")], [200, 403])
        self.assertEqual(self.status(host, "GET", "/metrics"), 401)
        self.assertEqual(self.status(host, "POST", "/mcp", body={}, key=keys["admin"]), 403)

    def login(self, host, **shown):
        status, headers, answer = self.fetch(host, "POST", "/v1/login", shown)
        self.assertEqual(status, 200, answer)
        cookie = headers["Set-Cookie"]
        for part in (f"__Host-toolpost-{host.port}=", "Path=/", "Secure", "HttpOnly", "SameSite=Strict"):
            self.assertIn(part, cookie)
        return {"Cookie": cookie.split(";")[0], "X_Toolpost_Login": answer.pop("secret")}, answer

    def known(self, host, key):
        """The running host has heard of a key; asked slowly, for who guesses is slowed."""
        self.told(host, key, "/v1/tools", (200, 403))

    def told(self, host, key, path, statuses):
        def asked():
            if self.status(host, "GET", path, key=key["key"]) in statuses:
                return True
            time.sleep(0.25)
            return False
        wait_until(f"{path} gives one of {statuses}", asked)

    def test_a_key_is_a_principal_of_its_own_until_it_is_revoked(self):
        host = self.host()
        key = self.key("anna")
        self.known(host, key)
        answer = host.call("get_orders", headers={"Authorization": f"Bearer {key['key']}"})
        self.assertIn("orders", text_of(answer))
        host.call("get_orders")
        host.call("get_orders", headers={"X-Agent-API-Key": key["key"]})
        self.assertEqual([line["principal"] for line in self.place.audit_lines()], ["anna", "local", "anna"])
        shown = run_toolpost(self.place, "key", "list", "--config", self.place.config).stdout
        self.assertIn(key["id"], shown)
        self.assertNotIn(key["key"], shown)
        done = run_toolpost(self.place, "key", "revoke", key["id"], "--config", self.place.config)
        self.assertIn("is revoked", done.stdout)
        self.told(host, key, "/v1/tools", (401,))
        status, headers, _ = host.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                                       {"Authorization": f"Bearer {key['key']}"})
        self.assertEqual(status, 401)
        self.assertIn("invalid_token", headers["www-authenticate"])
        self.assertEqual(run_toolpost(self.place, "key", "revoke", "nope", "--config", self.place.config).returncode, 4)
        self.assertEqual(run_toolpost(self.place, "key", "new", "local", "--config", self.place.config).returncode, 2)

    def test_a_key_that_is_given_in_place_of_its_id_is_not_printed(self):
        self.host()
        made = self.key("ada")
        for text in (made["key"], made["key"][:-9], "tpk_" + "x" * 60):
            for words in (("revoke", text), ("rotate", text), ("logout", text), ("new", text)):
                said = self.key_verb(*words, exit_code=2)
                secret = text[len("tpk_" + made["id"] + "_"):]
                self.assertNotIn(secret, said, words)
                self.assertIn("not its id", said, words)
                self.assertIn("toolpost key list", said, words)
        self.assertIn(made["id"], self.key_verb("revoke", made["key"], exit_code=2))
        self.assertEqual([one["state"] for one in json.loads(self.key_verb("list", "--json")) if one["id"] == made["id"]],
                         ["valid"])
        self.assertNotIn(made["key"], self.place.audit.read_text())
        self.assertIn("is revoked", self.key_verb("revoke", made["id"]))

    def test_where_nobody_has_a_key_none_is_looked_at(self):
        self.place = self.workspace("hello")
        host = self.http_host(self.place)
        answer = host.call("echo", {"text": "hi"}, headers={"X-Agent-API-Key": "bak_YOUR_KEY"})
        self.assertEqual(text_of(answer), "hi")
        self.assertEqual(self.place.audit_lines()[0]["principal"], "local")
        self.assertEqual(self.status(host, "GET", "/v1/approvals", key="bak_YOUR_KEY"), 401)

    def test_the_client_of_the_only_key_is_nobody_once_that_is_revoked(self):
        self.place = self.workspace("hello", config="[agent.coder]\nplugins = []")
        only = self.key("bot", more=("--agent", "coder"))
        host = self.http_host(self.place)
        self.assertEqual(self.status(host, "GET", "/v1/tools", key=only["key"]), 200)
        self.key_verb("revoke", only["id"])
        wait_until("the key is refused", lambda: self.status(host, "GET", "/v1/tools", key=only["key"]) == 401)
        self.assert_nobody(host, only["key"])
        self.assertEqual(host.stop(), 0)
        self.assert_nobody(self.http_host(self.place), only["key"])
        self.assertNotIn("local", {line.get("principal") for line in self.place.audit_lines()})

    def test_a_deleted_database_makes_no_guests_of_old_keys(self):
        self.place = self.workspace("hello")
        only = self.key("bot")
        for file in (self.place.root / "home/.local/state/toolpost").glob("toolpost.db*"):
            file.unlink()
        host = self.http_host(self.place)
        for shown in (only["key"], only["key"][:-1], only["key"] + " "):
            self.assert_nobody(host, shown)
        self.assertEqual(host.call("echo", {"text": "hi"}, headers={"Authorization": only["key"]})["http_status"], 401)
        self.assertEqual(self.place.audit_lines(), [])
        self.assertEqual(text_of(host.call("echo", {"text": "hi"})), "hi", "who shows nothing is served as before")

    def test_without_a_store_old_keys_are_no_guests_either(self):
        self.place = self.workspace("hello")
        only = self.key("bot")
        self.place.write_config(self.place.config.read_text() + '[store]\nfile = ""\n')
        self.assert_nobody(self.http_host(self.place), only["key"])

    def assert_nobody(self, host, key):
        """By neither header, at no door, may it call."""
        for headers in ({"Authorization": f"Bearer {key}"}, {"X-Agent-API-Key": key}):
            answer = host.post(*message("tools/call", {"name": "echo", "arguments": {"text": "hi"}}, "bare", headers=headers))
            self.assertIn(answer[0], (401, 429), answer)

    def test_only_who_may_approve_can_and_only_what_was_shown(self):
        host = self.host()
        caller, reviewer = self.key("agent"), self.key("rita", "approve")
        self.known(host, caller)
        self.known(host, reviewer)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            call = pool.submit(host.call, "pre_reserve_stock", MOVE,
                               headers={"Authorization": f"Bearer {caller['key']}"})
            listed = lambda **who: self.fetch(host, "GET", "/v1/approvals?state=pending&limit=5", **who)
            one = wait_until("it is asked", lambda: listed(key=reviewer["key"])[2]["approvals"])[0]
            self.assertEqual((one["principal"], one["tool"]), ("agent", "pre_reserve_stock"))
            self.assertEqual(json.loads(one["arguments_text"]), MOVE)
            self.assertEqual(one["digest"], hashlib.sha256(one["arguments_text"].encode()).hexdigest())
            path = f"/v1/approvals/{one['id']}"
            good = {"decision": "approve", "digest": one["digest"]}
            # A model-side peer, keyed or not, over either name of the path.
            self.assertEqual(self.status(host, "POST", path, good), 401)
            self.assertEqual(self.status(host, "POST", path, good, key=caller["key"]), 403)
            self.assertEqual(self.status(host, "POST", "/api" + path, good, key=caller["key"]), 403)
            self.assertEqual(listed()[0], 401)
            # Who may approve may not call.
            self.assertEqual(host.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                                       {"Authorization": f"Bearer {reviewer['key']}"})[0], 403)
            for bad, status in [({"decision": "approve"}, 422), ({"decision": "maybe"}, 422), ({}, 422),
                                ({"decision": "approve", "digest": "0" * 64}, 409),
                                (good | {"arguments": [1]}, 422), (good | {"extra": "1"}, 422), ("{", 422)]:
                self.assertEqual(self.status(host, "POST", path, bad, key=reviewer["key"]), status, bad)
            self.assertEqual(self.status(host, "POST", path, good, key=reviewer["key"], Content_Type="text/plain"), 415)
            self.assertEqual(self.status(host, "POST", "/v1/approvals/ap_none", good, key=reviewer["key"]), 404)
            self.assertEqual(self.status(host, "GET", "/v1/approvals?state=old", key=reviewer["key"]), 422)
            self.assertEqual(self.status(host, "GET", "/v1/approvals?limit=1x", key=reviewer["key"]), 422)
            self.assertEqual(self.status(host, "DELETE", path, key=reviewer["key"]), 405)
            self.assertEqual(len(listed(key=reviewer["key"])[2]["approvals"]), 1)
            status, _, record = self.fetch(host, "POST", "/api" + path, good | {"note": "fine"}, key=reviewer["key"])
            self.assertEqual((status, record["decided_by"], record["note"]), (200, "rest:rita", "fine"), record)
            self.assertFalse(call.result()["result"].get("isError"), call.result())
        status, _, answer = self.fetch(host, "POST", path, good, key=reviewer["key"])
        self.assertEqual((status, answer["approval"]["state"]), (409, "used"), answer)

    def test_the_first_start_gives_its_operator_a_way_to_the_page_once(self):
        host = self.host()
        link = wait_until("the link is told", lambda: next(filter(None, map(LINK.search, host.errors)), None)).group(1)
        self.assertEqual(self.status(host, "GET", "/v1/login"), 401)
        who, answer = self.login(host, link=link)
        self.assertEqual((answer["principal"], answer["scopes"]), ("operator", ["call", "approve", "admin"]))
        self.assertEqual(self.status(host, "POST", "/v1/login", {"link": link}), 401)
        self.assertEqual(self.fetch(host, "GET", "/v1/login", **who)[2], answer)
        self.assertEqual(self.fetch(host, "GET", "/v1/plugins", **who)[2]["plugins"][0]["name"], "warehouse")
        # A login outlives the host; another site has no use of the cookie; it ends when its holder says so.
        host.stop()
        host = self.http_host(self.place, port=host.port)
        self.assertEqual(self.status(host, "GET", "/v1/approvals", **who), 200)
        self.assertEqual(self.status(host, "GET", "/v1/approvals", Sec_Fetch_Site="same-site", **who), 403)
        self.assertEqual(self.status(host, "DELETE", "/v1/login", Cookie=who["Cookie"]), 401)
        self.assertEqual(self.status(host, "DELETE", "/v1/login", **who), 204)
        self.assertEqual(self.status(host, "GET", "/v1/approvals", **who), 401)
        # Once there is a key for it, no start gives another way in; `key link` does.
        boss = self.key("boss", "admin", "approve")
        host.stop()
        host = self.http_host(self.place)
        self.assertEqual(self.login(host, key=boss["key"])[1]["scopes"], ["approve", "admin"])
        self.assertFalse([line for line in host.errors if "#login=" in line])
        printed = run_toolpost(self.place, "key", "link", "--listen", f"127.0.0.1:{host.port}", "--config",
                               self.place.config).stdout.strip()
        self.login(host, link=LINK.match(printed).group(1))

    def test_the_cookie_of_a_login_alone_opens_nothing(self):
        host = self.host()
        boss = self.key("boss", "call", "approve", "admin")
        self.known(host, boss)
        who, _ = self.login(host, key=boss["key"])
        cookie = {"Cookie": who["Cookie"]}
        listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            call = pool.submit(host.call, "pre_reserve_stock", MOVE)
            one = wait_until("it is asked", lambda: self.fetch(host, "GET", "/v1/approvals", **who)[2]["approvals"])[0]
            good = {"decision": "approve", "digest": one["digest"]}
            asked = [("GET", path, None) for path in (
                "/v1/login", "/v1/approvals", f"/v1/approvals/{one['id']}", "/v1/audit", "/v1/calls", "/v1/events",
                "/v1/plugins", "/v1/rules", "/v1/skills", "/v1/store", "/v1/tools", "/v1/totp", "/v1/totp/principals",
                "/metrics", "/mcp")]
            asked += [("POST", f"/v1/approvals/{one['id']}", good), ("POST", "/v1/totp", None), ("POST", "/mcp", listing),
                      ("DELETE", "/v1/login", None), ("POST", "/api/v1/totp", None)]
            # A server on another port has the cookie, and may send any other header with it.
            guesses = [{}, {"X_Toolpost_Login": ""}, {"X_Toolpost_CSRF": "x"}, {"Origin": f"http://127.0.0.1:{host.port}"},
                       {"Sec_Fetch_Site": "same-origin"}, {"X_Toolpost_Login": who["Cookie"].split("=", 1)[1]}]
            for guess in guesses:
                for method, path, body in asked:
                    status, headers, answer = self.fetch(host, method, path, body, **cookie, **guess)
                    self.assertIn(status, (401, 429), (method, path, guess))
                    self.assertNotIn("Set-Cookie", headers)
                    self.assertNotIn(who["X_Toolpost_Login"], json.dumps(answer))
            record = self.fetch(host, "GET", f"/v1/approvals/{one['id']}", **who)[2]
            self.assertEqual(record["state"], "pending")
            self.assertNotIn("secret", self.fetch(host, "GET", "/v1/login", **who)[2])
            self.assertEqual(self.status(host, "POST", f"/v1/approvals/{one['id']}", good, **who), 200)
            self.assertFalse(call.result()["result"].get("isError"))

    def test_no_login_outlives_the_key_that_made_it(self):
        """Logins are made while another process revokes their key: none is left, and none is made later."""
        host = self.host()
        for _ in range(3):
            key = self.key("boss", "call", "approve", "admin")
            self.known(host, key)

            def log_in_until_refused(key=key):
                made = []
                while True:
                    status, headers, answer = self.fetch(host, "POST", "/v1/login", {"key": key["key"]})
                    if status != 200:
                        self.assertIn(status, (401, 429), answer)
                        return made
                    made.append({"Cookie": headers["Set-Cookie"].split(";")[0], "X_Toolpost_Login": answer["secret"]})

            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                making = [pool.submit(log_in_until_refused) for _ in range(2)]
                self.key_verb("revoke", key["id"])
                made = [login for one in making for login in one.result()]
            self.assertEqual(json.loads(self.key_verb("logins", "--json")), [])
            self.told(host, key, "/v1/tools", (401, 429))
            for login in made:
                self.assertIn(self.status(host, "GET", "/v1/login", **login), (401, 429))

    def slow_call(self, host, who):
        headers = {name.replace("_", "-"): value for name, value in who.items()}
        return self.pool.submit(host.call, "slow", {"ms": 600_000}, headers=headers)

    def running(self, host, key):
        return [one["tool"] for one in self.fetch(host, "GET", "/v1/calls", key=key["key"])[2]["calls"]]

    def test_what_a_login_began_ends_with_it(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.addCleanup(self.pool.shutdown)
        host = self.host('[permission]\nmode = "bypass"\n[call]\ntimeout_s = 900', plugins=())
        self.place.drop("zoo", plugin_file("zoo/zoo_one"))
        wait_until("it serves", lambda: "slow" in str(host.request("tools/list")))
        boss, anna = self.key("boss", "admin"), self.key("anna", "call")
        for key in (boss, anna):
            self.known(host, key)
        endings = {
            "logged out": lambda who, key: self.status(host, "DELETE", "/v1/login", **who),
            "by an operator": lambda who, key: self.key_verb("logout", "--principal", "anna"),
            "its key was revoked": lambda who, key: self.key_verb("revoke", key["id"]),
        }
        for words, end in endings.items():
            with self.subTest(ending=words):
                second = self.key("anna", "call")  # which allows calls of hers all the same
                self.known(host, second)
                who, _ = self.login(host, key=second["key"])
                call = self.slow_call(host, who)
                by_key = self.slow_call(host, {"Authorization": f"Bearer {anna['key']}"})
                wait_until("both run", lambda: self.running(host, boss) == ["slow"] * 2)
                end(who, second)
                self.assertIn("is not valid any more, so the host ended it", text_of(call.result(30)))
                self.assertEqual(self.running(host, boss), ["slow"])
                self.assertFalse(by_key.done())
                [rest] = self.fetch(host, "GET", "/v1/calls", key=boss["key"])[2]["calls"]
                self.assertEqual(self.status(host, "DELETE", f"/v1/calls/{rest['id']}", key=boss["key"]), 204)
                by_key.result(30)
        self.assertEqual(sorted(line["outcome"] for line in self.place.audit_lines()),
                         ["ended_by_credential"] * 3 + ["ended_by_operator"] * 3)

    def test_a_key_has_sixteen_logins_and_the_oldest_makes_room(self):
        host = self.host()
        boss, rita = self.key("boss", "admin"), self.key("rita", "approve")
        for key in (boss, rita):
            self.known(host, key)
        logins = [self.login(host, key=boss["key"])[0] for _ in range(18)]
        self.assertEqual([self.status(host, "GET", "/v1/login", **one) for one in logins], [401] * 2 + [200] * 16)
        self.login(host, key=rita["key"])  # which takes none of another's
        self.assertEqual(len(json.loads(self.key_verb("logins", "--json"))), 17)

    def test_logins_are_listed_and_ended(self):
        host = self.host()
        boss, rita = self.key("boss", "admin", "approve", "call"), self.key("rita", "approve", "call")
        caller = self.key("rita")  # what a model of hers has
        for key in (boss, rita, caller):
            self.known(host, key)
        of_boss = self.login(host, key=boss["key"])[0]
        first, second = (self.login(host, key=rita["key"])[0] for _ in range(2))

        def seen(**who):
            status, _, answer = self.fetch(host, "GET", "/v1/logins", **who)
            self.assertEqual(status, 200, answer)
            return [(one["principal"], one["this"]) for one in answer["logins"]]
        self.assertEqual(sorted(seen(**of_boss)), [("boss", True), ("rita", False), ("rita", False)])
        self.assertEqual(sorted(seen(**first)), [("rita", False), ("rita", True)])
        self.assertEqual(seen(key=rita["key"]), [("rita", False), ("rita", False)])
        self.assertEqual(seen(key=caller["key"]), [])
        self.assertEqual(self.status(host, "GET", "/v1/logins"), 401)
        for method, path, status in [("POST", "/v1/logins", 405), ("GET", "/v1/logins/x", 405),
                                     ("DELETE", "/v1/logins/x", 404), ("DELETE", "/v1/logins/", 404)]:
            self.assertEqual(self.status(host, method, path, **first), status, (method, path))
        listed = self.fetch(host, "GET", "/v1/logins", **of_boss)[2]["logins"]
        text = json.dumps(listed)
        for who in (of_boss, first):
            self.assertNotIn(who["X_Toolpost_Login"], text)
            self.assertNotIn(who["Cookie"].split("=", 1)[1], text)
        ids = {one["principal"]: one["id"] for one in listed}
        # Nobody ends another's, nor one that may more; a model's key ends none of its person's.
        self.assertEqual(self.status(host, "DELETE", f"/v1/logins/{ids['boss']}", **first), 404)
        self.assertEqual(self.status(host, "DELETE", f"/v1/logins/{ids['rita']}", key=caller["key"]), 404)
        self.assertEqual(self.fetch(host, "DELETE", "/v1/logins", key=caller["key"])[2], {"ended": 0, "left": 2})
        self.assertEqual(self.status(host, "DELETE", f"/v1/logins/{ids['rita']}", **of_boss), 204)
        self.assertEqual(sorted(self.status(host, "GET", "/v1/login", **one) for one in (first, second)), [200, 401])
        # Everywhere.
        first = self.login(host, key=rita["key"])[0]
        self.assertEqual(self.fetch(host, "DELETE", "/v1/logins", **first)[2], {"ended": 2, "left": 0})
        self.assertEqual([self.status(host, "GET", "/v1/login", **one) for one in (first, second, of_boss)],
                         [401, 401, 200])
        # From the command line, which a running host hears of.
        self.assertIn("names them", self.key_verb("logout", "none", exit_code=4))
        self.key_verb("logout", exit_code=2)
        self.key_verb("logout", ids["boss"], "--all", exit_code=2)
        self.assertIn(ids["boss"], self.key_verb("logins"))
        self.assertIn("is logged out", self.key_verb("logout", ids["boss"]))
        wait_until("the host hears of it", lambda: self.status(host, "GET", "/v1/logins", **of_boss) in (401, 429))
        self.login(host, key=rita["key"])
        self.assertEqual(self.key_verb("logout", "--principal", "boss"), "0 logins have ended\n")
        self.assertEqual(self.key_verb("logout", "--all"), "1 login has ended\n")
        self.assertEqual(self.key_verb("logins"), "Nobody is logged in to the page.\n")

    def test_a_key_expires_is_rotated_and_was_last_used(self):
        host = self.host()
        key = self.key("anna", more=("--expires", "90d"))
        self.known(host, key)
        for wrong in ("0d", "3651d", "d", "90", "90 d", "-1d", "9999999999999999999d", "1y"):
            self.assertIn("length of time", self.key_verb("new", "x", f"--expires={wrong}", exit_code=2))
        made = json.loads(self.key_verb("rotate", key["id"], "--overlap", "2h", "--json"))
        self.known(host, made)
        self.known(host, key)  # both are valid
        self.assertEqual((made["principal"], made["scopes"]), ("anna", "call"))
        self.assertIn("was rotated before", self.key_verb("rotate", key["id"], exit_code=2))
        self.key_verb("rotate", "none", exit_code=4)
        host.stop()  # the last uses are stored once a minute, and then
        listed = {one["id"]: one for one in json.loads(self.key_verb("list", "--json"))}
        old, new = listed[key["id"]], listed[made["id"]]
        self.assertEqual((old["state"], old["successor"], new["state"]), ("rotated", made["id"], "valid"))
        self.assertEqual(old["expires"], made["old_expires"])
        self.assertLess(old["expires"], new["expires"])
        self.assertLessEqual(old["created"], old["last_used"])
        unused = next(one for one in listed.values() if one["principal"] == "somebody")
        self.assertNotIn("last_used", unused)
        self.assertIn("rotated", self.key_verb("list"))
        lines = [(line["outcome"], line.get("successor")) for line in self.place.audit_lines("key")]
        self.assertIn(("rotated", made["id"]), lines)
        # One whose time is over is refused: as if the clock had gone on.
        database = sqlite3.connect(store_of(self.place))
        database.execute("UPDATE api_key SET expires = 1 WHERE id = ?", (key["id"],))
        database.commit()
        database.close()
        host = self.http_host(self.place)
        self.assertEqual(self.status(host, "GET", "/v1/tools", key=key["key"]), 401)
        self.assertEqual(self.status(host, "POST", "/v1/login", {"key": key["key"]}), 401)
        self.assertEqual(self.status(host, "GET", "/v1/tools", key=made["key"]), 200)
        self.assertIn("expired", self.key_verb("list"))

    def test_the_audit_of_a_principal_has_how_its_keys_and_logins_ended(self):
        host = self.host()
        revoked, expired = self.key("victim", "approve"), self.key("victim", "call")
        for key in (revoked, expired):
            self.known(host, key)
        self.login(host, key=revoked["key"])
        [login] = json.loads(self.key_verb("logins", "--json"))
        self.key_verb("logout", login["id"])
        self.key_verb("revoke", revoked["id"])
        with contextlib.closing(sqlite3.connect(store_of(self.place))) as database:
            database.execute("UPDATE api_key SET expires = 1 WHERE id = ?", (expired["id"],))
            database.commit()

        def lines(event):
            done = run_toolpost(self.place, "audit", "--principal", "victim", "--event", event, "--json",
                                "--config", self.place.config)
            self.assertEqual(done.returncode, 0, done)
            found = json.loads(done.stdout)
            return found["lines"] if isinstance(found, dict) else found
        ended = lambda: {one["id"]: one["outcome"] for one in lines("key") if one["outcome"] != "made"}
        wait_until("the host has noted the expiry", lambda: len(ended()) == 2)
        self.assertEqual(ended(), {revoked["id"]: "revoked", expired["id"]: "expired"})
        self.assertIn(login["id"], [one.get("login") for one in lines("logout")])
        host.stop()
        again = self.http_host(self.place)  # which knows it as expired from the start
        self.assertEqual(self.status(again, "GET", "/v1/tools", key=expired["key"]), 401)
        self.assertEqual(len(ended()), 2)

    def test_a_rotated_key_that_ends_before_the_overlap_is_printed_with_its_own_end(self):
        self.place = self.workspace()
        key = self.key("anna", more=("--expires", "1h"))
        made = json.loads(self.key_verb("rotate", key["id"], "--overlap", "1d", "--json"))
        listed = {one["id"]: one for one in json.loads(self.key_verb("list", "--json"))}
        self.assertEqual(made["old_expires"], key["expires"])
        self.assertEqual(listed[key["id"]]["expires"], key["expires"])

    def test_the_principal_of_links_has_no_key(self):
        self.place = self.workspace()
        for reserved in ("operator", "local", "Operator", "Local", "LOCAL", "host", "oauth"):
            self.assertIn(f'"{reserved}"', self.key_verb("new", reserved, exit_code=2))
        self.assertEqual(json.loads(self.key_verb("list", "--json")), [])

    def links(self, listen, resource="", words=(), code=0):
        """What `key link` prints: the page of the link, and standard error."""
        self.place.write_config(f'[server]\nlisten = "{listen}"\n[oauth]\nresource = "{resource}"\n'
                                f'[store]\nfile = "{self.place.root}/state/toolpost.db"')
        done = run_toolpost(self.place, "key", "link", *words, "--config", self.place.config)
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(bool(done.stdout), code == 0, done)
        return done.stdout.partition("/#login=")[0], done.stderr

    def test_a_link_leads_to_where_browsers_find_the_page(self):
        self.place = self.workspace()
        self.assertEqual(self.links("127.0.0.1:8808"), ("http://127.0.0.1:8808", ""))
        for all_interfaces, own in (("0.0.0.0:8808", "127.0.0.1:8808"), ("[::]:8808", "[::1]:8808")):
            page, said = self.links(all_interfaces)
            self.assertEqual(page, f"http://{own}")
            self.assertIn(f"{all_interfaces} means all interfaces", said)
        outer = "https://tools.example/mcp"
        for listen in ("0.0.0.0:8808", "127.0.0.1:0", "unix:/run/toolpost.sock"):
            self.assertEqual(self.links(listen, outer), ("https://tools.example", ""))
            named = self.links(listen, outer, ("--listen", "10.0.0.1:80"))
            self.assertEqual(named, ("http://10.0.0.1:80", ""))
        self.assertIn("--listen", self.links("unix:/run/toolpost.sock", code=2)[1])
        self.assertIn("any free port", self.links("127.0.0.1:0", code=2)[1])

    def test_what_is_no_address_is_refused_before_anything_is_made(self):
        self.place = self.workspace()
        for wrong in ("foo", "evil.com@", "evil.com@:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:-1",
                      "127.1:80", "0:80", "[::1:80", "[::g]:80", ":80", "a b:80", "unix:relative", "unix:"):
            for verb in (("key", "link"), ("serve",), ("dev", str(self.place.root))):
                done = run_toolpost(self.place, *verb, "--config", self.place.config, f"--listen={wrong}")
                self.assertEqual((done.returncode, done.stdout), (2, ""), done)
                self.assertIn("is not an address", done.stderr)
            self.place.write_config(f'[server]\nlisten = "{wrong}"')
            self.assertEqual(run_toolpost(self.place, "serve", "--config", self.place.config).returncode, 3, wrong)
        self.assertEqual(stores(self.place), [])

    def test_a_host_header_with_a_port_that_cannot_be_is_refused(self):
        host = self.host()
        for name, status in ((f"127.0.0.1:{host.port}", 401), ("localhost:65535", 401), ("127.0.0.1:99999", 403),
                             ("127.0.0.1:65536", 403), ("127.0.0.1:000080", 403)):
            self.assertEqual(self.status(host, "GET", "/v1/login", Host=name), status, name)

    def test_the_page_is_for_everybody_and_tells_nothing(self):
        host = self.host()
        status, headers, text = self.fetch(host, "GET", "/")
        self.assertEqual(status, 200)
        for header, part in {"Content-Security-Policy": "frame-ancestors 'none'", "X-Frame-Options": "DENY",
                             "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}.items():
            self.assertIn(part, headers[header])
        self.assertNotIn("unsafe", headers["Content-Security-Policy"])
        self.assertNotIn("warehouse", text)
        self.assertEqual(self.status(host, "GET", "/", If_None_Match=headers["ETag"]), 304)
        for path in re.findall(r'(?:src|href)="(/page/[^"]+)"', text):
            status, file_headers, _ = self.fetch(host, "GET", path)
            self.assertEqual(status, 200, path)
            self.assertIn("nosniff", file_headers["X-Content-Type-Options"])
        for path in ("/page/", "/page/none.js", "/page/../config.toml", "/page/%2e%2e/config.toml"):
            self.assertIn(self.status(host, "GET", path), (400, 404), path)
        self.assertEqual(self.status(host, "POST", "/", {}), 405)

    def test_the_audit_tells_who_came_in_and_who_decided(self):
        host = self.host("[[rule]]\ntool = \"get_stock\"\nbehavior = \"deny\"")
        boss = self.key("boss", "call", "approve", "admin")
        self.known(host, boss)
        self.login(host, key=boss["key"])
        self.status(host, "POST", "/v1/login", {"key": "tpk_guess"})
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            call = pool.submit(host.call, "pre_reserve_stock", MOVE)
            one = wait_until("it is asked", lambda: self.fetch(host, "GET", "/v1/approvals", key=boss["key"])[2]
                             ["approvals"])[0]
            self.status(host, "POST", f"/v1/approvals/{one['id']}", {"decision": "approve", "digest": one["digest"]},
                        key=boss["key"])
            call.result()
        host.call("get_orders", headers={"Authorization": f"Bearer {boss['key']}"})
        logins = [(line.get("principal"), line["way"], line["outcome"]) for line in self.place.audit_lines("login")]
        self.assertEqual(logins, [("boss", "key", "ok"), (None, "key", "denied")])
        decided = self.place.audit_lines("approval")
        self.assertEqual([(line["by"], line["outcome"]) for line in decided], [("rest:boss", "approved")])
        self.assertEqual(decided[0]["args_sha256"], self.place.audit_lines()[0]["args_sha256"])
        self.assertEqual([(line["principal"], line["outcome"]) for line in self.place.audit_lines("key")],
                         [("somebody", "made"), ("boss", "made")])

        def asked(query):
            status, _, answer = self.fetch(host, "GET", "/v1/audit" + query, key=boss["key"])
            self.assertEqual(status, 200, answer)
            return [line.get("event") or line["tool"] for line in answer["lines"]]
        self.assertEqual(sorted(asked("")), sorted(["get_orders", "pre_reserve_stock", "approval", "login", "login",
                                                    "key", "key", "start"]))
        self.assertEqual(asked("?event=call"), ["get_orders", "pre_reserve_stock"])  # the newest first
        self.assertEqual(asked("?principal=boss&event=call"), ["get_orders"])
        self.assertEqual(asked("?tool=pre_reserve_stock&limit=1"), ["pre_reserve_stock"])
        self.assertEqual(asked("?event=login&outcome=denied"), ["login"])
        self.assertEqual(asked("?since=2999"), [])
        whole, older = asked(""), ""
        for at in range(0, len(whole), 3):
            page = self.fetch(host, "GET", f"/v1/audit?limit=3{older}", key=boss["key"])[2]
            self.assertEqual([line.get("event") or line["tool"] for line in page["lines"]], whole[at:at + 3])
            older = f"&before={page.get('older')}"
        self.assertNotIn("older", page)
        for wrong in ("x", "-1", "99999999999999999999", "1000000000"):
            self.assertEqual(self.status(host, "GET", f"/v1/audit?before={wrong}", key=boss["key"]), 422, wrong)
        self.assertEqual(self.status(host, "GET", "/v1/audit"), 401)
        self.assertEqual(self.status(host, "GET", "/v1/audit?limit=0", key=boss["key"]), 422)
        shown = run_toolpost(self.place, "audit", "--event", "approval", "--config", self.place.config).stdout
        self.assertRegex(shown, r"approval of pre_reserve_stock +rest:boss +approved")
        told = run_toolpost(self.place, "audit", "--principal", "boss", "--event", "call", "--json", "--config",
                            self.place.config).stdout
        self.assertEqual([line["tool"] for line in json.loads(told)], ["get_orders"])

    def test_events_tell_that_something_waits(self):
        host = self.host()
        reviewer = self.key("rita", "approve", "call")
        self.known(host, reviewer)
        self.assertEqual(self.status(host, "GET", "/v1/events"), 401)
        connection = host.connect()
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {reviewer['key']}"})
        stream = connection.getresponse()
        self.assertEqual(stream.headers["Content-Type"], "text/event-stream")

        def next_change():
            for line in stream:
                if line.startswith(b"data:"):
                    return json.loads(line[5:])["changed"]
            raise AssertionError("the stream ended")

        def after_changes(condition):
            """An event is a hint: it may tell of a key that was made. What is there now is asked for at each."""
            while not (found := condition()):
                self.assertEqual(next_change(), ["approvals"])
            return found

        def questions(state):
            answer = self.fetch(host, "GET", "/v1/approvals?state=all", key=reviewer["key"])[2]
            return [one for one in answer["approvals"] if one["state"] == state]

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            call = pool.submit(host.call, "pre_reserve_stock", MOVE)
            one = after_changes(lambda: questions("pending"))[0]
            run_toolpost(self.place, "approvals", "reject", one["id"], "--config", self.place.config)
            after_changes(lambda: questions("rejected"))
            self.assertTrue(call.result()["result"]["isError"])
        self.place.drop("hello")
        while "tools" not in next_change():
            pass
        connection.close()

    def test_who_may_not_come_in_is_told_before_the_body_is_read(self):
        host = self.host('[auth]\nanonymous = "nobody"')
        with socket.create_connection(("127.0.0.1", host.port), timeout=30) as peer:
            peer.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Content-Length: 1000000\r\n\r\n")
            answer = peer.recv(4096)
            self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer)
            self.assertIn(b'WWW-Authenticate: Bearer realm="toolpost"', answer)
        # What is for everybody takes no more of them than a login is.
        for path in ("/v1/login", "/", "/healthz"):
            self.assertEqual(self.status(host, "POST", path, {"key": "x" * 5000}), 413, path)
        self.assertEqual(self.status(host, "POST", "/v1/login", {"key": "x"}), 401)
        self.assertEqual(self.status(host, "GET", "/metrics"), 401)
        self.assertEqual(self.status(host, "GET", "/healthz"), 200)
        self.assertEqual(self.status(host, "GET", "/mcp"), 401)
        key = self.key("anna")
        self.known(host, key)
        self.assertEqual(self.status(host, "GET", "/metrics", key=key["key"]), 200)

    def test_beyond_loopback_a_host_starts_only_where_it_knows_who_calls(self):
        place = self.place = self.workspace("hello")
        command = [TOOLPOST, "serve", "--config", place.config, "--listen", "0.0.0.0:0"]
        refused = subprocess.run(command, env=environment(place.root), capture_output=True, text=True, timeout=60,
                                 check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("toolpost key new", refused.stderr)
        key = self.key("anna")
        child = subprocess.Popen(command, env=environment(place.root), stderr=subprocess.PIPE, text=True)
        try:
            port = next(int(match.group(1)) for line in child.stderr
                        if (match := re.search(r"listening on http://0\.0\.0\.0:(\d+)/", line)))
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
            fields = {"Content-Type": "application/json"}
            connection.request("POST", "/mcp", body, fields)
            answer = connection.getresponse()
            answer.read()
            self.assertEqual(answer.status, 401)
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("POST", "/mcp", body, fields | {"Authorization": f"Bearer {key['key']}"})
            self.assertIn(b'"echo"', connection.getresponse().read())
            connection.close()
        finally:
            child.terminate()
            child.stderr.read()
            child.wait(30)
            child.stderr.close()

    def test_secrets_are_stored_and_told_nowhere(self):
        host = self.host("[log]\nlevel = \"debug\"")
        key = self.key("anna", "call", "approve", "admin")
        self.known(host, key)
        who, _ = self.login(host, key=key["key"])
        host.call("get_orders", headers={"Authorization": f"Bearer {key['key']}"})
        self.status(host, "GET", "/v1/plugins", **who)
        self.status(host, "GET", "/v1/tools", key=key["key"] + "x")
        host.stop()
        secrets = [key["key"].split("_", 2)[2], who["Cookie"].split("=", 1)[1], who["X_Toolpost_Login"]]
        told = host.error_text().encode()
        for folder, _, files in os.walk(self.place.root):
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    told += file.read()
        for secret in secrets:
            self.assertNotIn(secret.encode(), told)


if __name__ == "__main__":
    unittest.main()
