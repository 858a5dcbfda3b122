"""HTTP APIs behind the host, by their OpenAPI document: what works, what is refused, what each fault costs. See
upstreams/api_double.py."""
import json
import subprocess
import unittest

from harness import TOOLPOST, TestCase, environment, is_free, run_toolpost, text_of, wait_until
from upstreams.api_double import BIG, ApiDouble

BASE = '[permission]\nmode = "bypass"\n[upstreams]\nrestart_pause_s = 0.05\nrestart_pause_most_s = 0.1\n'
ASKS = "[approval]\nwait_s = 0\n"
KEY = "pet-key-which-nobody-may-see"


def operation(name, *parameters, body=None, **more):
    out = {"operationId": name, "summary": f"Does {name}", **more}
    if parameters:
        out["parameters"] = [{"name": n, "in": where, "required": where == "path", "schema": {"type": kind}}
                             for n, where, kind in parameters]
    if body:
        out["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return out


def document(server, **more):
    pet = {"type": "object", "required": ["name"], "properties": {
        "id": {"type": "integer", "readOnly": True}, "name": {"type": "string"}, "tag": {"type": "string", "nullable": True}}}
    paths = {
        "/pets/{petId}": {"get": operation("getPet", ("petId", "path", "string"), ("tags", "query", "array"), ("X-Trace", "header", "string")),
                          "delete": operation("deletePet", ("petId", "path", "string"))},
        "/pets": {"post": operation("addPet", body={"$ref": "#/components/schemas/Pet"})},
        "/open": {"get": operation("open", security=[]), "head": operation("look", security=[])},
    }
    for kind in ("big", "broken", "garbage", "away", "slow", "coded", "escaped", "endless"):
        paths["/" + kind] = {"get": operation(kind)}
    paths["/touch"] = {method: operation(method + "Bare") for method in ("post", "put", "patch")}
    paths["/drop"] = {"post": operation("drop", body={"type": "object"})}
    paths["/drop"]["delete"] = operation("dropBare")
    return {"openapi": "3.0.3", "info": {"title": "Pets", "version": "1.2"}, "servers": [{"url": server + "/v1"}],
            "security": [{"key": []}], "paths": paths,
            "components": {"schemas": {"Pet": pet}, "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
            **more}


class OpenApi(TestCase):
    def setUp(self):
        self.api = ApiDouble()
        self.addCleanup(self.api.close)

    def serve(self, base=BASE, more="", told=None, names=("getPet",)):
        self.place = self.workspace(config=base)
        self.file = self.place.root / "pets.json"
        self.write(told or document(self.api.origin))
        self.secret = self.place.root / "key"
        self.secret.write_text(KEY + "\n")
        self.section = (f'[[upstream]]\nname = "pets"\nopenapi = "pets.json"\norigins = ["{self.api.origin}"]\n'
                        f'credentials = {{ key = {{ file = "{self.secret}" }} }}\n{more}\n')
        self.place.write_config(self.place.config.read_text() + self.section)
        self.host = self.http_host(self.place)
        self.listed(*names)

    def write(self, told):
        fresh = self.file.with_suffix(".new")
        fresh.write_text(told if isinstance(told, str) else json.dumps(told))
        fresh.rename(self.file)

    def tools(self):
        return {tool["name"]: tool for tool in self.host.request("tools/list")["result"]["tools"]}

    def listed(self, *names):
        return wait_until(f"{names} are listed", lambda: {"mcp__pets__" + name for name in names} <= set(self.tools()))

    def call(self, name, arguments=None):
        return self.host.call("mcp__pets__" + name, arguments or {})

    def cli(self, *words, exit_code=0):
        done = run_toolpost(self.place, "upstream", *words, "--config", self.place.config, timeout_s=120)
        self.assertEqual(done.returncode, exit_code, done)
        return done

    def status(self):
        (one,) = json.loads(self.cli("list", "--json").stdout)
        return one


class Calls(OpenApi):
    def test_operations_are_tools_and_their_calls_are_requests(self):
        self.serve()
        pet = self.tools()["mcp__pets__getPet"]
        self.assertEqual(pet["_meta"]["io.toolpost/class"], "upstream")
        self.assertTrue(pet["annotations"]["readOnlyHint"])
        self.assertEqual(pet["inputSchema"]["required"], ["petId"])
        added = self.tools()["mcp__pets__addPet"]
        self.assertFalse(added["annotations"]["readOnlyHint"])
        self.assertEqual(added["inputSchema"]["properties"]["body"]["properties"],
                         {"name": {"type": "string"}, "tag": {"type": ["string", "null"]}})
        answer = self.call("getPet", {"petId": "a/b?c#d", "tags": ["x", "y&z"], "X-Trace": "t"})
        echo = answer["result"]["structuredContent"]
        self.assertEqual(echo["path"], "/v1/pets/a%2Fb%3Fc%23d?tags=x&tags=y%26z")
        self.assertEqual(echo["headers"]["X-Trace"], "t")
        self.assertEqual(self.call("addPet", {"body": {"name": "Rex", "tag": "dog"}})["result"]["structuredContent"]["body"],
                         '{"name":"Rex","tag":"dog"}')
        method, path, headers, _ = self.api.seen[0]
        self.assertEqual((method, headers["X-Key"]), ("GET", KEY))
        self.assertIn("HTTP status 200", text_of(self.call("look")))
        # An API that repeats the key shows it to nobody; an operation without security does not get it.
        self.assertNotIn(KEY, json.dumps(answer))
        self.assertEqual(echo["headers"]["X-Key"], "[secret]")
        self.assertNotIn("X-Key", self.call("open")["result"]["structuredContent"]["headers"])
        status = self.status()
        self.assertEqual((status["state"], status["protocol"], status["server"]), ("ready", "openapi", "Pets 1.2"))

    def test_an_answer_is_checked_against_the_document_and_is_never_lost(self):
        """The API repeats the request: {"method", "path", "body", "headers"}."""
        response = lambda **kinds: {"200": {"description": "", "content": {"application/json": {"schema": {
            "type": "object", "required": ["missing"], "additionalProperties": False,
            "properties": {name: {"type": kind, "enum": ["another"]} for name, kind in kinds.items()}}}}}}
        told = document(self.api.origin)
        told["paths"] = {"/good": {"get": operation("good", responses=response(method="string", body="string"))},
                         "/wrong": {"get": operation("wrong", responses=response(path="integer"))},
                         "/act": {"post": operation("act", responses=response(path="integer"))},
                         "/big": {"get": operation("text", responses=response(path="string"))},
                         "/broken": {"get": operation("broken", responses=response(path="string"))}}
        self.serve(told=told, names=("good", "wrong", "act", "text", "broken"))
        tools = {tool["name"]: tool for tool in self.host.request("tools/list", era="modern")["result"]["tools"]}
        self.assertEqual(tools["mcp__pets__good"]["outputSchema"], {"type": "object", "properties": {
            name: {"type": ["string", "null"], "examples": ["another"]} for name in ("method", "body")}})
        call = lambda name: self.host.call(f"mcp__pets__{name}")["result"]
        good = call("good")
        self.assertFalse(good.get("isError", False))
        self.assertEqual((good["structuredContent"]["method"], good["structuredContent"]["path"]), ("GET", "/v1/good"))
        wrong = call("wrong")
        self.assertTrue(wrong["isError"])
        self.assertNotIn("structuredContent", wrong)
        self.assertIn("/path", wrong["content"][0]["text"])
        self.assertIn("What it returned follows", wrong["content"][1]["text"])
        self.assertEqual(json.loads(wrong["content"][2]["text"])["path"], "/v1/wrong")  # whole, as the API wrote it
        self.assertNotIn("outputSchema", tools["mcp__pets__act"])  # what acts has acted, whatever it answers
        self.assertFalse(call("act").get("isError", False))
        text = call("text")
        self.assertTrue(text["isError"])
        self.assertIn("The API answered with text/plain, but its document says", text["content"][0]["text"])
        self.assertEqual(len(text["content"][2]["text"]), BIG)
        self.assertIn("HTTP status 500", call("broken")["content"][0]["text"])  # an error needs no structured content
        self.assertEqual([path for _, path, _, _ in self.api.seen], ["/v1/good", "/v1/wrong", "/v1/act", "/v1/big", "/v1/broken"])

    def test_a_key_that_the_api_writes_with_escapes_is_hidden(self):
        self.serve()
        answer = self.call("escaped")["result"]
        self.assertEqual(answer["structuredContent"], {"key": "[secret]"})
        self.assertEqual(json.loads(answer["content"][0]["text"]), {"key": "[secret]"})

    def test_a_request_without_a_body_has_no_type(self):
        self.serve()
        for method in ("post", "put", "patch"):
            echo = self.call(method + "Bare")["result"]["structuredContent"]
            self.assertEqual((echo["method"], echo["headers"].get("Content-Type")), (method.upper(), None))

    def test_a_call_over_rest_is_the_same_call(self):
        self.serve()
        session = self.host.fetch("POST", "/v1/sessions", {})[2]["id"]
        made = self.host.fetch("POST", f"/v1/tools/request/{session}", {"name": "mcp__pets__getPet", "arguments": {"petId": "7"}})
        self.assertEqual(made[0], 202, made)
        path = f"/v1/tools/request/{session}/{made[2]['id']}?wait=30"
        done = self.host.fetch("GET", path)
        self.assertIn("/v1/pets/7", json.dumps(done[2]))
        made = run_toolpost(self.place, "key", "new", "root", "--scope", "admin", "--json", "--config", self.place.config)
        key = json.loads(made.stdout)["key"]
        wait_until("the key is known", lambda: self.host.fetch("GET", "/v1/upstreams", key=key)[0] == 200)
        (listed,) = self.host.fetch("GET", "/v1/upstreams", key=key)[2]["upstreams"]
        self.assertEqual((listed["name"], listed["state"], listed["protocol"]), ("pets", "ready", "openapi"))

    def test_hostile_arguments_do_not_arrive(self):
        self.serve()
        for petId in ("..", "../admin", "a/../b", "a\\..\\b", "%2e%2e", ""):
            self.assertTrue(self.call("getPet", {"petId": petId})["result"]["isError"], petId)
        self.assertTrue(self.call("getPet", {"petId": "1", "X-Trace": "a\r\nX-Key: own"})["result"]["isError"])
        self.assertEqual(self.api.seen, [])

    def test_what_reads_runs_and_the_rest_is_asked(self):
        self.serve(base=ASKS)
        self.assertIn("/v1/pets/7", text_of(self.call("getPet", {"petId": "7"})))
        self.call("addPet", {"body": {"name": "Rex"}})
        self.assertEqual(len(self.api.seen), 1)
        done = run_toolpost(self.place, "approvals", "--json", "--config", self.place.config)
        (asked,) = json.loads(done.stdout)
        done = run_toolpost(self.place, "approvals", "approve", asked["id"], "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("Rex", text_of(self.call("addPet", {"body": {"name": "Rex"}})))
        self.assertEqual([seen[0] for seen in self.api.seen], ["GET", "POST"])


class Faults(OpenApi):
    def test_each_fault_of_the_api_costs_its_own_call(self):
        elsewhere = ApiDouble()
        self.addCleanup(elsewhere.close)
        self.api.elsewhere = elsewhere.origin
        self.serve(base=BASE + "[limits]\nupstream_message_bytes = 1000000\n")
        broken = self.call("broken")["result"]
        self.assertTrue(broken["isError"])
        self.assertIn("HTTP status 500", json.dumps(broken))
        self.assertIn("out of pets", json.dumps(broken))
        self.assertIn("1000000 bytes", json.dumps(self.call("big")))
        self.assertTrue(self.call("away")["result"]["isError"])
        self.assertEqual(elsewhere.seen, [])
        self.assertIn("a redirect is not followed", json.dumps(self.call("away")))
        coded = self.call("coded")["result"]
        self.assertTrue(coded["isError"])
        self.assertIn("compressed", json.dumps(coded))
        status = self.status()
        self.assertEqual((status["state"], status["starts"]), ("ready", 1))
        self.assertTrue(self.call("garbage")["result"]["isError"])
        self.assertIn("/v1/pets/7", text_of(self.call("getPet", {"petId": "7"})))
        self.assertNotIn(KEY, self.host.error_text())

    def test_an_error_that_does_not_end_has_its_status_and_its_beginning(self):
        self.serve()
        for self.api.endless_events in (False, True):
            ended = self.call("endless")["result"]
            self.assertTrue(ended["isError"])
            self.assertIn("HTTP status 500", json.dumps(ended))
            self.assertIn("out of pets", json.dumps(ended))

    def test_a_big_answer_arrives_whole(self):
        self.serve(base=BASE + f"[limits]\nresult_bytes = {2 * BIG}\n")
        self.assertEqual(len(text_of(self.call("big"))), BIG)

    def test_what_may_have_acted_is_not_sent_again(self):
        self.serve()
        for name, arguments in (("drop", {"body": {}}), ("dropBare", {})):
            self.api.seen.clear()
            self.assertIn("may have carried", json.dumps(self.call(name, arguments)))
            self.assertEqual(len(self.api.seen), 1, name)

    def test_a_call_that_times_out_closes_its_connection(self):
        self.serve(more="timeout_s = 0.5\n")
        self.assertEqual(self.call("slow")["error"]["code"], -32003)
        self.api.slow.set()
        wait_until("the request ended", lambda: self.api.cut_off)
        self.assertEqual(self.api.cut_off, [True])

    def test_an_api_that_is_away_and_comes_back(self):
        self.serve()
        port = self.api.server.server_address[1]
        self.api.close()
        self.assertTrue(self.call("getPet", {"petId": "1"})["result"]["isError"])
        wait_until("its port is free", lambda: is_free(port))
        self.api = ApiDouble(port)
        self.addCleanup(self.api.close)
        wait_until("it answers", lambda: "/v1/pets/2" in json.dumps(self.call("getPet", {"petId": "2"})))


class Changes(OpenApi):
    def test_a_changed_operation_is_held_shown_accepted_and_served(self):
        self.serve()
        told = document(self.api.origin)
        told["paths"]["/admin/{petId}"] = told["paths"].pop("/pets/{petId}")  # the same name and schema
        self.write(told)  # the host looks at the file by itself
        wait_until("the change is held", lambda: self.status()["held"])
        wait_until("it is not served", lambda: "mcp__pets__getPet" not in self.tools())
        self.assertIn("/v1/admin/{petId}", self.cli("diff").stdout)
        self.api.seen.clear()
        self.assertIn("error", self.call("getPet", {"petId": "7"}))
        self.assertEqual(self.api.seen, [])
        done = run_toolpost(self.place, "explain", "mcp__pets__getPet", "--config", self.place.config)
        self.assertEqual(done.returncode, 4, done)
        self.assertIn("waits for your decision", done.stderr)
        self.cli("accept", "pets", "--digest", self.status()["held_digest"])
        self.assertIn("/v1/admin/7", text_of(self.call("getPet", {"petId": "7"})))

    def test_a_broken_document_leaves_what_was_served(self):
        self.serve()
        self.write("openapi: 3.0.0\npaths: [\n")
        self.assertIn("YAML", self.cli("refresh", "pets", exit_code=1).stderr)
        self.assertIn("/v1/pets/7", text_of(self.call("getPet", {"petId": "7"})))
        self.write(document(self.api.origin))
        self.cli("refresh", "pets")

    def test_a_document_or_a_key_that_is_gone_is_reported(self):
        def doctor():
            done = run_toolpost(self.place, "doctor", "--json", "--config", self.place.config)
            return {one["about"]: one for one in json.loads(done.stdout)}["upstream pets"]
        self.serve()
        self.assertEqual(doctor()["grade"], "ok")
        kept = self.file.read_text()
        self.file.unlink()
        wait_until("it is noticed", lambda: "does not exist" in self.status()["last_error"])
        self.assertIn("does not exist", self.host.error_text())
        self.assertIn("does not exist", doctor()["says"])
        self.assertIn("/v1/pets/7", text_of(self.call("getPet", {"petId": "7"})))
        self.write("{")
        wait_until("the fault is noticed", lambda: "no JSON" in doctor()["says"])
        self.write(kept)
        wait_until("it is read again", lambda: self.status()["last_error"] == "")
        self.secret.unlink()
        wait_until("the key is missed", lambda: str(self.secret) in doctor()["says"])

    def test_the_section_changes_without_a_restart(self):
        self.serve()
        self.place.write_config(self.place.config.read_text() + 'tools_denied = ["delete*"]\n')
        self.host.child.send_signal(1)
        wait_until("it is denied", lambda: "mcp__pets__deletePet" not in self.tools())
        self.assertIn("/v1/pets/7", text_of(self.call("getPet", {"petId": "7"})))
        self.place.write_config(BASE)
        self.host.child.send_signal(1)
        wait_until("it is gone", lambda: "mcp__pets__getPet" not in self.tools())


class Documents(OpenApi):
    def configure(self, *lines, told=None):
        self.place = self.workspace(config=BASE)
        self.file = self.place.root / "pets.json"
        if told is not None:
            self.write(told)
        self.place.write_config(self.place.config.read_text() + '[[upstream]]\nname = "pets"\n' + "\n".join(lines) + "\n")

    def test_test_says_in_one_sentence_what_is_wrong(self):
        origins = f'origins = ["{self.api.origin}"]'
        document_key = 'openapi = "pets.json"'
        for told, lines, words in (
                (None, (document_key, origins), "does not exist"),
                ("openapi: 3.0.0\npaths: [", (document_key, origins), "YAML that cannot be read: line "),
                ("{", (document_key, origins), "no JSON"),
                ({}, (document_key, origins), "no OpenAPI document"),
                ({"swagger": "2.0"}, (document_key, origins), "Swagger"),
                ({"openapi": "3.1.0"}, (document_key, origins), "no operation"),
                (document(self.api.origin, security=[]), (document_key, 'origins = ["https://api.example"]'), "is not granted"),
                (document(self.api.origin, paths={"/x": {"get": {}}}), (document_key, origins), "`credentials`"),
                (document(self.api.origin), (document_key, origins, 'credentials = { kye = { env = "HOME" } }'), "it has key"),
                (None, (f'openapi = "{self.api.origin}/nowhere/broken"',), "HTTP status 500")):
            with self.subTest(words):
                self.configure(*lines, told=told)
                done = run_toolpost(self.place, "upstream", "test", "pets", "--config", self.place.config)
                self.assertEqual(done.returncode, 1, done)
                self.assertIn(words, done.stderr)

    def test_a_document_by_url_grants_its_own_origin(self):
        told = document("https://api.example", security=[])
        told["servers"] = [{"url": "https://api.example"}, {"url": "/v1"}]
        self.api.document = told
        self.configure(f'openapi = "{self.api.origin}/openapi.json"')
        self.host = self.http_host(self.place)
        self.listed("getPet")
        self.assertIn("/v1/pets/7", text_of(self.call("getPet", {"petId": "7"})))

    def test_a_document_in_yaml(self):
        lines = ["# An API", "openapi: 3.1.0", "info: {title: Pets, version: 1.0}", f"servers: [url: '{self.api.origin}/v1']", "paths:",
                 "  /pets/{petId}:", "    get:", "      operationId: getPet", "      description: >-", "        Finds", "        a pet",
                 "      parameters:", "      - {name: petId, in: path, required: true, schema: {type: string, enum: ['7', no]}}"]
        self.configure('openapi = "pets.json"', f'origins = ["{self.api.origin}"]', told="\n".join(lines) + "\n")
        self.host = self.http_host(self.place)
        self.listed("getPet")
        self.assertIn("Finds a pet", self.tools()["mcp__pets__getPet"]["description"])
        self.assertEqual(self.tools()["mcp__pets__getPet"]["inputSchema"]["properties"]["petId"]["enum"], ["7", "no"])
        self.assertIn("/v1/pets/no", text_of(self.call("getPet", {"petId": "no"})))
        self.write("\n".join(lines) + "\n    x-loop: &a [*a, *a]\n")
        self.assertIn("an alias", self.cli("refresh", "pets", exit_code=1).stderr)

    def test_url_is_the_only_server(self):
        self.configure('openapi = "pets.json"', f'url = "{self.api.origin}/base/"', told=document("https://api.example", security=[]))
        self.host = self.http_host(self.place)
        self.listed("getPet")
        self.assertIn("/base/pets/7", text_of(self.call("getPet", {"petId": "7"})))

    def test_faults_of_the_section_have_a_place(self):
        at = BASE.count("\n")
        for lines, line, words in (
                (('openapi = "pets.json"', 'command = "true"'), 3, "has a command and an openapi"),
                (('openapi = "pets.json"',), 3, "grants no server"),
                (('openapi = "pets.json"', 'url = "https://a.example"', 'origins = ["https://a.example"]'), 5, "only server"),
                (('openapi = "pets.json"', 'url = "https://a.example"', 'auth = "oauth"'), 5, "no effect with `openapi`"),
                (('openapi = "pets.json"', 'origins = ["https://a.example/v1"]'), 4, "https://api.example"),
                (('openapi = "http://a.example/x"',), 3, "an https URL"),
                (('url = "https://a.example"', 'credentials = { a = { env = "A" } }'), 4, "without `openapi`"),
                (('openapi = "https://a.example"', 'credentials = { a = "plain" }'), 4, "expected { env")):
            with self.subTest(words):
                self.configure(*lines)
                text = self.place.config.read_text().splitlines()
                first = text.index("[[upstream]]")
                done = run_toolpost(self.place, "config", "check", "--config", self.place.config)
                self.assertEqual(done.returncode, 3, done)
                self.assertIn(words, done.stdout + done.stderr)
                self.assertIn(f":{first + line}:", done.stdout + done.stderr)

    def test_add_writes_a_section_that_works(self):
        self.place = self.workspace(config=BASE)
        self.file = self.place.root / "pets.json"
        self.write(document(self.api.origin))
        self.cli("add", "pets", "--openapi", self.file, "--origin", self.api.origin, "--credential", "key=${HOME}")
        self.assertIn('credentials = { "key" = { "env" = "HOME" } }', self.place.config.read_text())
        self.assertIn("mcp__pets__getPet", self.cli("test", "pets").stdout)
        # A path of the command line starts at the user's folder, also if the configuration is in another one.
        (self.place.root / "here").mkdir()
        (self.place.root / "here/cats.json").write_text(self.file.read_text())
        add = lambda *words: subprocess.run([TOOLPOST, "upstream", "add", *words], cwd=self.place.root / "here", text=True,
                                            env=environment(self.place.root), capture_output=True, check=True)
        common = ("--config", self.place.config, "--origin", self.api.origin, "--credential", "key=${HOME}")
        self.assertNotIn("does not exist", add("cats", "--openapi", "cats.json", *common).stderr)
        self.assertIn("mcp__cats__getPet", self.cli("test", "cats").stdout)
        self.assertIn(f"the document {self.place.root}/here/dogs.json does not exist", add("dogs", "--openapi", "dogs.json", *common).stderr)
        add("local", "--config", self.place.config, "--cwd", "sub", "--", "./server", "-x", "cats.json")
        warned = add("slow", "--config", self.place.config, "--", "./server", "--file", "cats.json", "gone.json", ".").stderr
        self.assertEqual(warned.count("is a relative path"), 1, warned)
        self.assertIn(f'the argument "cats.json" is a relative path, and the process starts in the folder of the host: write '
                      f'{self.place.root}/here/cats.json, or set --cwd', warned)
        written = self.place.config.read_text()
        self.assertIn(f'command = "{self.place.root}/here/server"', written)
        self.assertIn(f'cwd = "{self.place.root}/here/sub"', written)
        self.cli("add", "other", "--openapi", self.file, "--", "true", exit_code=2)
        self.cli("add", "other", "--openapi", self.file, "--credential", "key=plain", exit_code=2)
        self.cli("add", "other", "--url", "https://a.example", "--origin", "https://b.example", exit_code=2)


if __name__ == "__main__":
    unittest.main()
