"""The example `examples/toolkit/`, built with the installed SDK, called by the official clients. Needs
`scripts/bootstrap --tests`."""
import http.server
import json
import pathlib
import shutil
import subprocess
import tempfile
import threading

from harness import BUILD, NPM, SOURCE, run_toolpost, wait_until
from test_clients import DRIVER, NODE, ClientCase

EXAMPLE = SOURCE / "examples/toolkit"
PLACE = None
CLIENT_PATIENCE_S = 90  # until a client on a busy machine has come so far


def setUpModule():
    """Builds the example as its README says, in a folder of its own."""
    global PLACE
    PLACE = pathlib.Path(tempfile.mkdtemp(prefix="toolpost-example-"))
    shutil.copytree(EXAMPLE, PLACE / "toolkit")
    for command in (["cmake", "--install", BUILD, "--component", "sdk", "--prefix", PLACE / "stage"],
                    ["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={PLACE / 'stage'}"],
                    ["cmake", "--build", "build"]):
        done = subprocess.run([str(word) for word in command], cwd=PLACE / "toolkit", text=True, capture_output=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def tearDownModule():
    shutil.rmtree(PLACE, ignore_errors=True)


class Search(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        query = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"found " + query)

    def log_message(self, *_):
        pass


class ToolkitExample(ClientCase):
    def start_search(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Search)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    def serve_example(self):
        """The example's configuration, with this machine's search service, and folders of this test."""
        config = (EXAMPLE / "config.toml").read_text()
        search = self.start_search()
        config = config.replace("https://search.example", search) + f'[outbound]\nloopback = ["{search}"]\n'
        self.place = self.workspace()
        written = self.place.config.read_text().replace(f'dirs = ["{self.place.root}/plugins"]', 'dirs = ["build"]')
        plugins, _, rest = config.partition("[plugin.toolkit]")
        self.assertIn('dirs = ["build"]', plugins)
        self.place.write_config(written + "[plugin.toolkit]" + rest)
        shutil.copytree(PLACE / "toolkit/build", self.place.root / "build")
        made = run_toolpost(self.place, "key", "new", "ada", "--agent", "router", "--json", "--config", self.place.config)
        self.key = json.loads(made.stdout)["key"]
        self.host = self.http_host(self.place)

    def fetch(self, method, path, body=None, status=200):
        code, _, answer = self.host.fetch(method, path, body, self.key)
        self.assertEqual(code, status, answer)
        return answer

    def approve(self, session):
        """Answers the call of HumanApproval, as the person's program would."""
        def waiting():
            listed = self.fetch("GET", f"/v1/tools/request/{session}?state=PENDING")["requests"]
            return next((one for one in listed if one.get("reason") == "external_execution_required"), None)
        call = wait_until("the call that a person answers", waiting, CLIENT_PATIENCE_S)
        self.assertEqual(call["arguments"]["action"], "delete the archive")
        at = f"{session}/{call['id']}"
        self.fetch("POST", f"/v1/tools/request/{at}/heartbeat", {"state": "PROCESSING", "worker": "person"})
        self.fetch("POST", f"/v1/tools/response/{at}", {"worker": "person", "response": {
            "state": "COMPLETE", "approved": False, "comment": "make room first"}})

    def test_the_official_clients_use_every_tool(self):
        self.serve_example()
        for sdk, era in (("v1", "legacy"), ("v2", "modern")):
            with self.subTest(sdk=sdk, era=era):
                made = self.fetch("POST", "/v1/sessions", {"context": {"entries": {
                    "org.example.UserContext": {"username": "alice", "locale": "en"},
                    "org.example.TenantConfig": {"database": "orders_eu"}}}}, 201)
                options = {"sdk": sdk, "era": era, "npm": str(NPM), "key": self.key,
                           "url": self.host.url.replace("/mcp", f"/router/mcp/s/{made['id']}")}
                answering = threading.Thread(target=self.approve, args=[made["id"]])
                answering.start()
                try:
                    out = self.run_node(NODE, DRIVER, json.dumps(options), "toolkit")
                finally:
                    answering.join()
                self.assertIn("held", out)
