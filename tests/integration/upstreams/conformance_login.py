"""What the conformance suite runs as the client under test for its scenarios of authorization: a host whose upstream is
the suite's server logs in there and makes one call. It does what an operator and a person at a browser would do.

    python3 conformance_login.py TOOLPOST FOLDER URL         the scenario is in MCP_CONFORMANCE_SCENARIO
"""
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

DOCUMENT = "https://conformance-test.local/client-metadata.json"
LOGINS = 3  # that a person would try
PATIENCE_S = 25


class Host:
    def __init__(self, toolpost, folder, url):
        self.toolpost, self.url = toolpost, url
        scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
        self.folder = pathlib.Path(folder) / scenario.replace("/", "-")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.config = self.folder / "config.toml"
        context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
        self.more = f'client_metadata_url = "{DOCUMENT}"\n'
        if "client_id" in context:
            secret = self.folder / "secret"
            secret.write_text(context["client_secret"])
            self.more = f'client_id = "{context["client_id"]}"\nclient_secret = {{ file = "{secret}", issuer = "@ISSUER@" }}\n'
        self.origins, self.served = [], None

    def serve(self):
        self.stop()
        self.config.write_text(
            f'[permission]\nmode = "bypass"\n[store]\nfile = "{self.folder}/state/toolpost.db"\n[plugins]\ndirs = []\n'
            f'[skills]\ndirs = []\n[audit]\nfile = ""\n[outbound]\nloopback = {json.dumps(self.origins)}\n'
            f'[[upstream]]\nname = "suite"\nurl = "{self.url}"\nauth = "oauth"\npin = "off"\n'
            + self.more.replace("@ISSUER@", self.origins[-1] if self.origins else "http://localhost"))
        self.served = subprocess.Popen([self.toolpost, "serve", "--config", self.config, "--listen", "127.0.0.1:0"],
                                       stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        for line in self.served.stderr:
            if found := re.search(r"listening on http://127.0.0.1:(\d+)/mcp", line):
                self.port = int(found.group(1))
                break

    def stop(self):
        if self.served:
            self.served.terminate()
            self.served.communicate()
        self.served = None

    def log_in(self):
        """The reason why it failed; empty: it did not."""
        login = subprocess.Popen([self.toolpost, "upstream", "login", "suite", "--json", "--config", self.config],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        if url := json.loads(login.stdout.readline() or "{}").get("url"):
            try:
                urllib.request.urlopen(url, timeout=PATIENCE_S).read()
            except urllib.error.HTTPError as error:  # its page says why
                error.close()
        _, errors = login.communicate(timeout=PATIENCE_S)
        return errors if login.returncode else ""

    def call(self, tool):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request("POST", "/mcp", json.dumps({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}}),
            {"Content-Type": "application/json"})
        told = connection.getresponse().read().decode()
        connection.close()
        return told

    def tools(self):
        """Once there are some, or a login is needed."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            done = subprocess.run([self.toolpost, "upstream", "list", "--json", "--config", self.config], text=True,
                                  capture_output=True, check=True)
            status = json.loads(done.stdout)[0]
            if status["tools"] or status["login"]["needed"]:
                return status["tools"]
        return []


def main(toolpost, folder, url):
    host = Host(toolpost, folder, url)
    host.serve()
    try:
        logins = 0
        while logins < LOGINS:
            failure = host.log_in()
            blocked = re.search(r"(https?://[^\s/]+)(?:/\S*)?: only https goes out", failure)
            if blocked and blocked.group(1) not in host.origins:
                host.origins.append(blocked.group(1))  # as an operator allows it
                host.serve()
                continue
            logins += 1
            if failure:
                print(failure, file=sys.stderr)
                return 1
            tools = host.tools()
            told = host.call(tools[0]) if tools else "log in with"
            if "log in with" not in told:
                return 0
        print("it needs a login again and again", file=sys.stderr)
        return 1
    finally:
        host.stop()


sys.exit(main(*sys.argv[1:]))
