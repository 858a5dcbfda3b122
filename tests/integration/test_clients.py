"""The official clients against the real host: Inspector's CLI and both TypeScript SDKs, stdio and HTTP, both eras."""
import json
import os
import shutil
import subprocess
import unittest

from harness import NPM, PATIENCE_S, SOURCE, TOOLPOST, TestCase, environment, plugin_file, run_toolpost
from one_time_codes import first_code_of

NODE = NPM / "node_modules/.bin/node"
INSPECTOR = NPM / "node_modules/.bin/mcp-inspector"
DRIVER = SOURCE / "tests/integration/clients/drive.mjs"

ROWS = {
    "filename": "invoice-2024-001",
    "rows": [
        {"date": "2024-01-15", "amount": 1250.00, "vendor": "Acme Corp"},
        {"date": "2024-01-16", "amount": 890.50, "vendor": "Widget Inc"},
    ],
}


class ClientCase(TestCase):
    def setUp(self):
        self.assertTrue(NODE.exists(), "no MCP clients here: run scripts/bootstrap --tests")

    def serve(self, *plugins, config=""):
        self.folder = self.workspace().root / "invoices"
        self.folder.mkdir()
        self.place = self.workspace(*plugins, config=f'[plugin.invoices]\nauto_approve = true\n'
                                    f'fs = ["rw:{self.folder}"]\n'
                                    f'settings = {{ folder = "{self.folder}" }}\n{config}')
        self.command = [str(TOOLPOST), "serve", "--stdio", "--config", str(self.place.config)]

    def run_node(self, *command, timeout_s=90):
        env = environment(self.place.root)
        env |= {"PATH": f"{NODE.parent}:{os.environ['PATH']}", "MCP_INSPECTOR_SECRET_STORE": "memory"}
        done = subprocess.run([str(part) for part in command], env=env, text=True, capture_output=True,
                              timeout=timeout_s, check=False, stdin=subprocess.DEVNULL, cwd=self.place.root)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout


class Inspector(ClientCase):
    def test_lists_and_saves_over_every_road(self):
        for transport in ("stdio", "http"):
            for era in ("legacy", "modern"):
                with self.subTest(transport=transport, era=era):
                    self.serve("hello", "invoices")
                    url = [] if transport == "stdio" else ["--http", self.http_host(self.place).url]
                    self.check(self.entry(url), era)

    def test_finds_no_fault_with_shipped_tools_and_skills(self):
        self.serve("hello", "invoices", "clock")
        shutil.copytree(SOURCE / "skills", self.place.root / "skills", dirs_exist_ok=True)
        url = self.http_host(self.place).url
        for era in ("legacy", "modern"):
            peer = [url, "--transport", "http", "--protocol-era", era, "--format", "json", "-q"]
            out = self.run_node(INSPECTOR, "--cli", *peer, "--method", "tools/list", "--strict")
            names = [tool["name"] for tool in json.loads(out)["result"]["tools"]]
            of_session = ["todo_write"] if era == "legacy" else []
            self.assertEqual(names, ["Skill", "ask_user", "echo", "get_current_time", "greet", "save_csv", *of_session])
        out = self.run_node(INSPECTOR, "--cli", *peer, "--method", "skills/list", "--verify")
        self.assertIn('"name":"file-invoices"', out)
        self.assertNotIn('"ok":false', out)

    def entry(self, url):
        """What `client-config` prints, as the file that Inspector reads."""
        done = run_toolpost(self.place, "client-config", "cursor", "--config", self.place.config, *url)
        servers = json.loads(done.stdout)
        if url:
            servers["mcpServers"]["toolpost"]["type"] = "streamable-http"
        file = self.place.root / "servers.json"
        file.write_text(json.dumps(servers))
        return ["--config", file, "--server", "toolpost"]

    def check(self, peer, era):
        def ask(*arguments):
            out = self.run_node(INSPECTOR, "--cli", *peer, "--protocol-era", era, "--format", "json", "-q", *arguments)
            return json.loads(out)["result"]
        listed = ask("--method", "tools/list")
        names = [tool["name"] for tool in listed["tools"]]
        self.assertLessEqual({"echo", "greet", "save_csv"}, set(names))
        result = ask("--method", "tools/call", "--tool-name", "save_csv", "--tool-args-json", json.dumps(ROWS))
        self.assertEqual(result["content"], [
            {"type": "text", "text": f"CSV saved to {self.folder}/invoice-2024-001.csv (2 rows)"}])
        self.assertEqual(len((self.folder / "invoice-2024-001.csv").read_text().splitlines()), 3)


class TypeScriptClient(ClientCase):
    """Each scenario of clients/drive.mjs, over each road."""

    ROADS = [(sdk, era, transport) for sdk, era in (("v1", "legacy"), ("v2", "legacy"), ("v2", "modern"))
             for transport in ("stdio", "http")]

    def drive(self, scenario, *plugins, config="", **more):
        for sdk, era, transport in self.ROADS:
            with self.subTest(sdk=sdk, era=era, transport=transport):
                self.serve(*plugins, config=config)
                options = {"sdk": sdk, "era": era, "npm": str(NPM), "folder": str(self.folder)}
                if transport == "stdio":
                    options["command"] = self.command
                else:
                    options["url"] = self.http_host(self.place).url
                options |= {key: value(self.place) for key, value in more.items()}
                out = self.run_node(NODE, DRIVER, json.dumps(options), scenario)
                self.assertIn("held", out)

    def test_lists_and_saves(self):
        self.drive("save", "hello", "invoices")

    def test_sees_progress(self):
        self.drive("progress", "overlap")

    def test_cancels(self):
        self.drive("cancel", "overlap")

    def test_is_asked(self):
        self.drive("elicit", "overlap", config='[approval]\nask = ["client"]')

    def test_is_sent_to_the_page_for_a_code(self):
        for sdk, era, transport in self.ROADS:
            if transport == "stdio":
                continue  # there is no page
            with self.subTest(sdk=sdk, era=era):
                self.serve("warehouse", config="[plugin.warehouse]\nenabled = true")
                key, reviewer = (json.loads(self.run_verb("key", "new", "anna", "--scope", scope, "--json"))["key"]
                                 for scope in ("call", "approve"))
                enrolment = json.loads(self.run_verb("totp", "enroll", "anna", "--json"))
                codes = enrolment["recovery"]
                self.run_verb("totp", "confirm", "anna", first_code_of(enrolment["secret"]))
                options = {"sdk": sdk, "era": era, "npm": str(NPM), "url": self.http_host(self.place).url,
                           "key": key, "reviewer": reviewer, "codes": codes}
                self.assertIn("held", self.run_node(NODE, DRIVER, json.dumps(options), "url_code"))

    def run_verb(self, *words):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def test_hears_of_what_changed_while_its_host_was_started_again(self):
        for sdk in ("v1", "v2"):
            with self.subTest(sdk=sdk):
                self.serve("hello")
                host = self.http_host(self.place)
                options = {"sdk": sdk, "era": "legacy", "npm": str(NPM), "url": host.url}
                client = subprocess.Popen([str(NODE), str(DRIVER), json.dumps(options), "restart"], text=True,
                                          env=environment(self.place.root), stdin=subprocess.DEVNULL,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                try:
                    self.assertIn("a stream is open", client.stdout.readline())
                    host.child.kill()
                    host.wait()
                    self.place.drop("overlap")
                    self.http_host(self.place, port=host.port)
                    out, err = client.communicate(timeout=PATIENCE_S + 20)
                    self.assertEqual((client.returncode, "held" in out), (0, True), out + err)
                finally:
                    client.kill()
                    client.communicate()

    def test_is_told_of_a_new_plugin(self):
        self.drive("list_changed", "hello", drop=lambda place: {
            "from": str(plugin_file("overlap")),
            "beside": str(place.root / "overlap.so.new"),
            "to": str(place.root / "plugins/overlap.so"),
        })


if __name__ == "__main__":
    unittest.main()
