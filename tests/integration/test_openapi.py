"""/v1/openapi.json against the host: every operation is asked and answers as its schema says, whatever is not described
does not exist, and a client generated from it runs the flows of agent platforms. Needs `scripts/bootstrap --tests`."""
import json
import re
import shutil
import subprocess
import sys
import urllib.parse

from git_repository import Repository, section
from harness import NPM, PROBLEM_JSON, SOURCE, TestCase, environment, message, plugin_file, problem, run_toolpost, wait_until
from one_time_codes import code_of
from test_sessions import GET_LOCATIONS
from upstreams.oauth_double import LyingIssuer, ProtectedDouble

NODE = NPM / "node_modules/.bin/node"
CLIENTS = SOURCE / "tests/integration/clients"
DOUBLE = SOURCE / "tests/integration/upstreams/double.py"
CONFIG = f"""
[limits]
requests_per_principal = 100000
requests_per_address = 100000
[approval]
wait_s = 0
[plugin.warehouse]
enabled = true
[plugin.services]
isolation = "worker"
[agent.coder]
[webhooks]
loopback = ["http://127.0.0.1:9"]
[[rule]]
tool = "until"
behavior = "allow"
[[rule]]
tool = "attached_list"
behavior = "allow"
[[upstream]]
name = "u"
command = "{sys.executable}"
args = ["-B", "{DOUBLE}"]
pin = "review"
"""
COMPILER = {"noEmit": True, "strict": True, "target": "es2022", "module": "nodenext", "lib": ["es2022", "dom", "dom.iterable"],
            "types": [], "skipLibCheck": True, "allowImportingTsExtensions": True}
CONTEXT = {"values": {"tenant": "7"}, "entries": {"org.example.User": {"id": "anna"}}}
MOVE = {"order": "o-1", "item": "bolt-m8", "location": 1, "quantity": 7}


class Described(TestCase):
    def setUp(self):
        self.assertTrue(NODE.exists(), "no Node here: run scripts/bootstrap --tests")
        self.issuer, server = LyingIssuer(), ProtectedDouble()
        self.addCleanup(self.issuer.close)
        self.addCleanup(server.close)
        server.describe(self.issuer.url)
        login = f'[outbound]\nloopback = ["{self.issuer.url}"]\n[[upstream]]\nname = "o"\nurl = "{server.url}"\nauth = "oauth"\n'
        self.place = self.workspace("warehouse", "services", config=CONFIG + login)
        source = Repository(self.place.root)
        source.skill("pdf")
        source.commit()
        self.place.write_config(self.place.config.read_text() + section(source.url, pin="review"))
        self.place.drop("zoo", plugin_file("zoo/zoo_one"))
        self.keys = {name: self.key(name, *scopes) for name, scopes in (
            ("boss", ("call", "approve", "admin", "context")), ("ada", ("call",)), ("eve", ("approve",)))}
        self.keys["coder"] = self.key("coder", "call", agent="coder")
        self.host = self.http_host(self.place)
        self.exchanges = []
        self.document = self.ask("GET", "/v1/openapi.json")

    def key(self, name, *scopes, agent=None):
        words = [word for scope in scopes for word in ("--scope", scope)] + (["--agent", agent] if agent else [])
        done = run_toolpost(self.place, "key", "new", name, *words, "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)["key"]

    def ask(self, method, path, body=None, status=200, key="boss", data=None, **headers):
        """One request, which is recorded; its answer's JSON, or its text."""
        connection = self.host.connect()
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if key:
            fields["Authorization"] = f"Bearer {self.keys.get(key, key)}"
        if body is not None:
            fields["Content-Type"] = "application/json"
        connection.request(method, path, json.dumps(body) if body is not None else data, fields)
        answer = connection.getresponse()
        content_type = answer.headers.get("Content-Type")
        if content_type == "text/event-stream":
            told = self.first_event(answer)
        else:
            text = answer.read().decode()
            told = json.loads(text) if content_type in ("application/json", PROBLEM_JSON) else text
        connection.close()
        self.exchanges.append({"method": method, "path": path, "sent": body, "status": answer.status,
                               "type": content_type, "body": told, "headers": [name.lower() for name in answer.headers]})
        self.assertEqual(answer.status, status, (method, path, told))
        self.headers = answer.headers
        names = self.exchanges[-1]["headers"]
        self.assertEqual(sorted(set(names)), sorted(names), (method, path))
        return told

    def first_event(self, answer):
        for line in answer:
            if line.startswith(b"data: {"):
                return json.loads(line[6:])
        raise AssertionError("the stream ended without an event")

    def call(self, tool, arguments, **meta):
        body, headers = message("tools/call", {"name": tool, "arguments": arguments, "_meta": meta}, "bare")
        return self.host.post(body, headers | {"Authorization": f"Bearer {self.keys['boss']}"})

    # One operation after the other, each at least once with success.

    def ask_catalog(self):
        wait_until("the upstream was read", lambda: self.ask("GET", "/v1/upstreams")["upstreams"][0]["held"])
        for path in ("/v1/tools", "/v1/skills", "/v1/skills/prompt", "/v1/plugins", "/v1/store", "/v1/mcp/providers", "/v1/problems"):
            self.ask("GET", path)
        self.ask("GET", "/v1/mcp/providers/warehouse?kind=plugin")
        self.ask("GET", "/v1/mcp/providers/nothing", status=404)
        self.ask("GET", problem("not-found"))
        held = self.ask("GET", "/v1/upstreams")["upstreams"][0]["held_digest"]
        self.ask("POST", "/v1/upstreams/u/accept", {"digest": "sha256:0"}, status=409)
        self.ask("POST", "/v1/upstreams/u/accept", {"digest": held})
        self.ask("POST", "/v1/upstreams/u/refresh")
        self.ask("POST", "/v1/upstreams/u/restart")
        self.ask("POST", "/v1/upstreams/nothing/restart", status=404)
        pulled = lambda: self.ask("GET", "/v1/skill-repositories")["skillRepositories"][0]
        wait_until("the repository was pulled", lambda: pulled()["held"] and not pulled()["pulling"])
        waiting = self.ask("GET", "/v1/skill-repositories/team/changes")["digest"]
        self.ask("GET", "/v1/skill-repositories/nothing/changes", status=404)
        self.ask("POST", "/v1/skill-repositories/team/accept", {"digest": "sha256:0"}, status=409)
        self.ask("POST", "/v1/skill-repositories/team/accept", {"digest": waiting})
        self.ask("POST", "/v1/skill-repositories/team/pull")
        self.ask("GET", "/v1/config")
        self.ask("POST", "/v1/config/reload")
        self.ask("POST", "/v1/config/reload?now=1", status=422)
        begun = self.ask("POST", "/v1/upstreams/o/login")
        state = dict(urllib.parse.parse_qsl(begun["url"].partition("?")[2]))["state"]
        ended = f"{begun['callback']}?{urllib.parse.urlencode({'code': 'c', 'iss': self.issuer.url, 'state': state})}"
        self.ask("POST", "/v1/upstreams/o/login/answer", {"url": ended + "x"}, status=422)
        self.ask("POST", "/v1/upstreams/o/login/answer", {"url": ended})
        self.ask("POST", "/v1/upstreams/o/logout")
        self.ask("POST", "/v1/upstreams/u/login", status=422)
        self.ask("GET", "/v1/audit?limit=10&outcome=ok")

    def ask_reviews(self):
        self.call("pre_reserve_stock", MOVE)
        self.call("mcp__u__act", {}, **{"io.toolpost/context": CONTEXT})
        self.call("mcp__u__act", {"n": 1})
        waiting = self.ask("GET", "/v1/approvals?state=pending&limit=10")["approvals"]
        self.ask("GET", "/v1/approvals?state=all&texts=none")
        one, *others = sorted(waiting, key=lambda record: record["tool"] != "mcp__u__act")
        self.ask("GET", f"/v1/approvals/{one['id']}")
        self.ask("POST", f"/v1/approvals/{one['id']}", {"decision": "approve"}, status=422)
        self.ask("POST", f"/v1/approvals/{one['id']}", {"decision": "approve", "digest": "0"}, status=409)
        decided = self.ask("POST", f"/v1/approvals/{one['id']}", {"decision": "approve", "digest": one["digest"], "always": True})
        self.ask("POST", f"/v1/approvals/{others[0]['id']}", {"decision": "reject", "note": "not now"})
        [rule] = decided["stored_rules"]
        self.assertEqual([rule], self.ask("GET", "/v1/rules")["rules"])
        self.ask("DELETE", f"/v1/rules/{rule['id']}", status=204)
        self.ask("DELETE", f"/v1/rules/{rule['id']}", status=404)

    def ask_codes(self):
        self.ask("GET", "/v1/totp", key="eve")
        made = self.ask("POST", "/v1/totp", key="eve")
        self.ask("POST", "/v1/totp/confirm", {"code": "000000"}, status=403, key="eve")
        recovery = self.ask("POST", "/v1/totp/confirm", {"code": code_of(made["secret"])}, key="eve")["recovery"]
        self.ask("GET", "/v1/totp", key="eve")
        self.ask("POST", "/v1/totp", status=409, key="eve")
        self.ask("GET", "/v1/totp/principals")
        self.ask("POST", "/v1/totp/principals/eve", {"act": "unlock"}, status=204)
        fresh = self.ask("POST", "/v1/totp/recovery", {"code": recovery[0]}, key="eve")["recovery"]
        self.ask("POST", "/v1/totp/remove", {"code": fresh[0]}, status=204, key="eve")
        self.ask("POST", "/v1/totp", key="eve")
        self.ask("DELETE", "/v1/totp/principals/eve", status=204)
        self.ask("DELETE", "/v1/totp/principals/eve", status=404)

    def ask_sessions(self):
        body = {"mode": "default", "context": {"values": {"a": "b"}}, "customizations": {"extensions": {
            "tools": {"getLocations": GET_LOCATIONS}, "mcpProviders": ["warehouse", "zoo"]}}}
        session = self.ask("POST", "/v1/sessions", body, 201)["id"]
        self.ask("POST", "/v1/sessions", {"customizations": {"extensions": {"tools": [GET_LOCATIONS]}}}, 422)
        self.ask("GET", "/v1/sessions?limit=5")
        self.ask("GET", f"/v1/sessions/{session}")
        self.ask("GET", f"/v1/sessions/{session}/groups")
        self.ask("GET", "/v1/sessions/s_none/groups", status=404)
        for path in ("/v1/skills", "/v1/skills/prompt"):
            self.ask("GET", f"{path}?session={session}")
            self.ask("GET", f"{path}?session=s_none", status=404)
        self.ask("PATCH", f"/v1/sessions/{session}", {"mode": "explore"}, 428)
        self.ask("PATCH", f"/v1/sessions/{session}", {"mode": "explore", "version": 7}, 412)
        self.ask("PATCH", f"/v1/sessions/{session}", {"context": None, "mode": "default"}, If_Match=self.headers["ETag"])
        return session

    def ask_requests(self, session):
        new = {"name": "getLocations", "arguments": {"sessionId": session}, "tool_use_id": "toolu_1",
               "context": CONTEXT}
        first = self.ask("POST", f"/v1/tools/request/{session}", new, 202)["id"]
        self.ask("GET", "/v1/tools/external")
        self.ask("GET", f"/v1/tools/request/{session}?state=PENDING&limit=5")
        wait_until("it can be picked up",
                   lambda: self.ask("GET", f"/v1/tools/request/{session}/{first}").get("reason") == "external_execution_required")
        beat = self.ask("POST", f"/v1/tools/request/{session}/{first}/heartbeat", {"state": "PROCESSING", "heartbeat": 1})
        self.ask("POST", f"/v1/tools/response/{session}/{first}", {"response": {}}, 422)
        self.ask("POST", f"/v1/tools/response/{session}/{first}", {"response": {"state": "COMPLETE"}, "lease": beat["lease"]})
        self.ask("POST", f"/v1/tools/response/{session}/{first}", {"response": {"state": "COMPLETE"}}, 409)
        self.ask("GET", f"/v1/tools/request/{session}/{first}?wait=1")
        second = self.ask("POST", f"/v1/tools/request/{session}", new, 202)["id"]
        self.ask("DELETE", f"/v1/tools/request/{session}/{second}")
        self.ask("DELETE", f"/v1/tools/request/{session}/{second}", status=409)
        self.ask("GET", f"/v1/sessions/{session}/results?limit=5")
        self.ask("GET", f"/v1/sessions/{session}/events")

    def ask_calls(self, session):
        until = {"name": "until", "arguments": self.place.gate()}
        self.ask("POST", f"/v1/tools/request/{session}", until, 202)
        [running] = wait_until("it runs", lambda: [one for one in self.ask("GET", "/v1/calls")["calls"] if one["tool"] == "until"])
        self.ask("DELETE", f"/v1/calls/{running['id']}", status=204)
        self.ask("DELETE", "/v1/calls/nothing", status=404)
        self.ask("DELETE", f"/v1/sessions/{session}", status=204)
        self.ask("GET", f"/v1/sessions/{session}", status=404)

    def ask_files(self):
        made = self.ask("POST", "/v1/files/presign-upload", {"filename": "a.txt", "bytes": 3})
        self.ask("POST", "/v1/files/presign-upload", {"sha256": "x"}, 422)
        target = lambda url: url.removeprefix(self.host.url.removesuffix("/mcp"))
        self.ask("PUT", target(made["upload_url"]), data=b"abc", status=201, key=None)
        self.ask("PUT", target(made["upload_url"]), data=b"abc", status=409, key=None)
        shown = self.ask("GET", f"/v1/files/{made['file_id']}")
        self.assertEqual(self.ask("GET", target(shown["download_url"]), key=None), "abc")
        self.ask("GET", urllib.parse.urlsplit(shown["download_url"]).path, status=403, key=None)
        self.ask("GET", "/v1/files?limit=5")
        self.ask("DELETE", f"/v1/files/{made['file_id']}", status=204)
        self.ask("DELETE", f"/v1/files/{made['file_id']}", status=404)

    def ask_webhooks(self):
        """A receiver at a closed port of this machine: its test fails, and is described too."""
        made = self.ask("POST", "/v1/webhooks", {"url": "http://127.0.0.1:9/hook", "events": ["call.finished"]}, 201)
        path = f"/v1/webhooks/{made['id']}"
        self.ask("POST", "/v1/webhooks", {"url": "http://127.0.0.1:9/hook", "events": ["call.finished"]}, 201, key="coder")
        self.ask("POST", "/v1/webhooks", {"url": "http://127.0.0.1:9/hook", "events": []}, 422)
        self.ask("GET", "/v1/webhooks")
        self.ask("GET", path)
        self.ask("GET", path, status=404, key="ada")
        self.ask("PATCH", path, {"description": "mine", "covers": "principal"})
        self.ask("POST", path + "/secret", {"old_secret_lasts_s": 60})
        self.ask("POST", path + "/test")
        for state in ("dead", "waiting"):
            self.ask("GET", f"{path}/deliveries?state={state}&limit=5")
        self.ask("POST", path + "/replay")
        self.ask("DELETE", path, status=204)

    def ask_logins(self):
        self.ask("GET", "/v1/login", status=401, key=None)
        self.ask("POST", "/v1/login", {"key": "nonsense"}, 401, key=None)
        shown = []
        for _ in range(3):
            secret = self.ask("POST", "/v1/login", {"key": self.keys["eve"]}, key=None)["secret"]
            shown.append({"Cookie": self.headers["Set-Cookie"].split(";")[0], "X_Toolpost_Login": secret})
        self.ask("GET", "/v1/login", key=None, **shown[0])
        logins = self.ask("GET", "/v1/logins", key=None, **shown[0])["logins"]
        other = next(one["id"] for one in logins if not one["this"])
        self.ask("DELETE", f"/v1/logins/{other}", status=204, key=None, **shown[0])
        self.ask("DELETE", f"/v1/logins/{other}", status=404, key=None, **shown[0])
        self.ask("DELETE", "/v1/login", status=204, key=None, **shown[0])
        self.ask("DELETE", "/v1/logins", key="eve")

    def ask_what_is_not_described(self):
        """Methods that no path has, paths that the document does not name, and requests that are wrong for all."""
        for path, item in self.document["paths"].items():
            real = path.replace("{", "").replace("}", "")
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
                if method.lower() not in item:
                    answer = self.host.fetch(method, real, key=self.keys["boss"])
                    self.assertIn(answer[0], (404, 405), (method, path, answer))
                    if answer[0] == 405:
                        allowed = {one.strip().lower() for one in answer[1]["Allow"].split(",")}
                        described = self.methods_of(real)
                        self.assertEqual(allowed, described | ({"head"} if "get" in described else set()), path)
        for path in ("/v1", "/v1/nothing", "/v1/tools/nothing/at/all"):
            self.ask("GET", path, status=404)

    def methods_of(self, path):
        """Those of all templates that the path fits."""
        fits = lambda template: re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", re.escape(template).replace(r"\{", "{").replace(r"\}", "}")), path)
        return {method for template, item in self.document["paths"].items() if fits(template) for method in item}

    def ask_with_wrong_rights(self):
        self.ask("GET", "/v1/approvals", status=401, key=None)
        self.ask("GET", "/v1/approvals", status=403, key="ada")
        self.ask("GET", "/v1/tools?x=1", status=422)
        connection = self.host.connect()
        connection.request("POST", "/v1/sessions", "{}", {"Content-Type": "text/plain", "Authorization": f"Bearer {self.keys['ada']}"})
        answer = connection.getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())["type"]), (415, problem("wrong-content-type")))
        connection.close()

    def test_every_operation_exists_and_answers_as_described(self):
        self.ask_catalog()
        self.ask_reviews()
        self.ask_codes()
        session = self.ask_sessions()
        self.ask_requests(session)
        self.ask_calls(session)
        self.ask_files()
        self.ask_host_events()
        self.ask_logins()
        self.ask_webhooks()
        self.ask_with_wrong_rights()
        self.ask_what_is_not_described()
        said = subprocess.run([NODE, CLIENTS / "described.mjs", NPM], text=True, capture_output=True, timeout=120,
                              input=json.dumps({"document": self.document, "exchanges": self.exchanges}))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(json.loads(said.stdout), {"faults": [], "unseen": []})

    def ask_host_events(self):
        """An event of the host comes after a change."""
        connection = self.host.connect()
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {self.keys['boss']}"})
        answer = connection.getresponse()
        self.ask("POST", "/v1/totp", key="eve")
        event = self.first_event(answer)
        self.exchanges.append({"method": "GET", "path": "/v1/events", "sent": None, "status": answer.status,
                               "type": answer.headers["Content-Type"], "body": event})
        connection.close()

    def real_paths(self):
        """A path of each template, with ids of things that exist where a route looks for them before it reads the rest."""
        self.call("pre_reserve_stock", MOVE)
        tools = {"getLocations": GET_LOCATIONS}
        session = self.ask("POST", "/v1/sessions", {"customizations": {"extensions": {"tools": tools}}}, 201)["id"]
        request = self.ask("POST", f"/v1/tools/request/{session}", {"name": "getLocations", "arguments": {}}, 202)["id"]
        ids = {"approvals": self.ask("GET", "/v1/approvals")["approvals"][0]["id"], "sessions": session, "upstreams": "u", "skill-repositories": "team",
               "providers": "warehouse", "principals": "eve",
               "webhooks": self.ask("POST", "/v1/webhooks", {"url": "http://127.0.0.1:9/h", "events": ["call.finished"]}, 201)["id"]}
        for template, item in self.document["paths"].items():
            parts = template.split("/")
            if parts[2:4] in (["tools", "request"], ["tools", "response"]):
                parts[4:6] = [session, request][:len(parts[4:6])]
            for at, part in enumerate(parts):
                if part.startswith("{"):
                    parts[at] = ids.get(parts[at - 1], "nothing")
            yield template, item, "/".join(parts)

    def test_every_route_refuses_unknown_parameters_and_members(self):
        """Also the routes that take none. Their files' content takes any body, and needs the token of its URL first."""
        for template, item, path in list(self.real_paths()):
            for method in item:
                if template.endswith("/content"):
                    continue
                key = None if template == "/v1/login" and method == "post" else self.keys["boss"]
                with self.subTest(method=method, path=template):
                    status, _, told = self.host.fetch(method.upper(), path + "?nonsense=1", key=key)
                    self.assertEqual((status, "unknown parameter" in told["detail"]), (422, True), told)
                    status, _, told = self.host.fetch(method.upper(), path, {"nonsense": 1}, key=key)
                    self.assertEqual((status, told["type"]), (422, problem("invalid-argument")), told)
        self.assertEqual(self.ask("GET", "/v1/totp")["state"], "none")  # nothing was done
        self.assertEqual(self.ask("GET", "/v1/logins")["logins"], [])

    def test_problem_types_are_those_of_the_document(self):
        problems = self.ask("GET", "/v1/problems")["problems"]
        self.assertEqual([one["type"] for one in problems if "](" in one["meaning"]], [])  # no links of Markdown
        listed = {one["type"] for one in problems}
        named = set()
        for item in self.document["paths"].values():
            for operation in item.values():
                for answer in operation["responses"].values():
                    schema = answer.get("content", {}).get(PROBLEM_JSON, {}).get("schema", {})
                    named |= set(schema.get("properties", {}).get("type", {}).get("enum", ()))
        self.assertLessEqual(named, listed)
        for uri in listed:
            self.assertEqual(self.ask("GET", uri)["type"], uri)

    def run_node(self, *words):
        done = subprocess.run([NODE, "--no-warnings", *words], cwd=self.place.root / "client", text=True, capture_output=True,
                              env=environment(self.place.root), timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_a_generated_client_runs_the_flows_of_agent_platforms(self):
        folder = self.place.root / "client"
        folder.mkdir()
        (folder / "node_modules").symlink_to(NPM / "node_modules")
        (folder / "package.json").write_text('{"type": "module"}')
        (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": COMPILER, "files": ["generated.ts"]}))
        (folder / "toolpost.json").write_text(json.dumps(self.document))
        shutil.copyfile(CLIENTS / "generated.ts", folder / "generated.ts")
        modules = folder / "node_modules"
        self.run_node(modules / "openapi-typescript/bin/cli.js", "toolpost.json", "-o", "api.d.ts")
        self.run_node(modules / "typescript/bin/tsc", "-p", ".")
        told = json.loads(self.run_node("generated.ts", self.host.url.removesuffix("/mcp"), self.keys["boss"]))
        self.assertEqual((told["uploaded"], told["bytes"], told["same"]), (201, 10, True))
        state, text = told["attached"]
        self.assertEqual(state, "COMPLETE")
        self.assertIn("q3.txt text/plain 10|", text)
        self.assertEqual(told["clash"], [problem("invalid-argument"), "/idempotency_key"])
        self.assertEqual(told["states"], ["PROCESSING", "COMPLETE", "ERROR"])
        self.assertEqual(told["results"], [["toolu_1", "COMPLETE", False], ["toolu_2", "ERROR", True]])
        self.assertEqual(told["late"], [409, problem("conflict")])
