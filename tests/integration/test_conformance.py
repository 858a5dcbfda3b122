"""The official MCP conformance suite against the real host with tests/plugins/conformance. Its full output is kept under
<build>/conformance/."""
import json
import os
import re
import shutil
import subprocess

from harness import BUILD, NPM, SOURCE, TestCase, environment, wait_until
from upstreams.unprefixed import Unprefixed

NODE_BIN = NPM / "node_modules/.bin"
EXPECTED = SOURCE / "tests/integration/conformance-expected.yml"
CONFIG = """
[permission]
mode = "bypass"
[approval]
ask = ["client"]
[mcp]
poll_after_s = 0.5
"""


class Suite(TestCase):
    def setUp(self):
        self.assertTrue((NODE_BIN / "conformance").exists(), "no conformance suite here: run scripts/bootstrap --tests")

    def fixtures(self, isolation):
        place = self.workspace("conformance", config=CONFIG, isolation=isolation)
        shutil.copytree(SOURCE / "skills", place.root / "skills", dirs_exist_ok=True)
        return place, self.http_host(place).port

    def suite(self, name, place, port, *arguments):
        """Runs it; by scenario, how many checks passed and which failed."""
        out = BUILD / "conformance" / name
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        done = subprocess.run(
            ["conformance", "server", "--url", f"http://localhost:{port}/mcp", "-o", str(out), *arguments],
            env=environment(place.root) | {"PATH": f"{NODE_BIN}:{os.environ['PATH']}"}, text=True,
            capture_output=True, timeout=240, check=False, stdin=subprocess.DEVNULL, cwd=place.root)
        (out / "output.txt").write_text(done.stdout + done.stderr)
        return done, self.read(out)

    @staticmethod
    def read(out):
        scenarios = {}
        for folder in sorted(out.iterdir()):
            checks = folder / "checks.json"
            if not checks.exists():
                continue
            name = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", folder.name)
            passed, failed = scenarios.setdefault(name, (set(), {}))
            for check in json.loads(checks.read_text()):
                if check["status"] == "SUCCESS":
                    passed.add(check["id"])
                elif check["status"] in ("FAILURE", "WARNING"):
                    failed[check["id"]] = check.get("errorMessage", check["description"])
        return scenarios

    @staticmethod
    def required(revision):
        listed = subprocess.run(["conformance", "list", "--server", "--requirements", revision], text=True,
                                env=os.environ | {"PATH": f"{NODE_BIN}:{os.environ['PATH']}"}, capture_output=True,
                                check=True).stdout
        server = listed.split("Client scenarios")[0]
        return re.findall(r"^\s+- (\S+)$", server, re.M)


class Conformance(Suite):
    def check_revision(self, revision, scored, isolation):
        done, scenarios = self.suite(f"{revision}-{isolation}", *self.fixtures(isolation), "--requirements", revision)
        required = self.required(revision)
        self.assertEqual(len(required), scored)
        self.assertEqual({name: scenarios.get(name, (set(), "was not run"))[1] for name in required},
                         {name: {} for name in required})
        for name in required:
            self.assertTrue(scenarios[name][0], f"{name}: nothing was checked")
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])

    def test_every_scored_scenario_of_2025_11_25(self):
        self.check_revision("2025-11-25", 30, "worker")

    def test_every_scored_scenario_of_2026_07_28(self):
        self.check_revision("2026-07-28", 37, "worker")

    def test_every_scenario_inline(self):
        """All there are, extensions and pending ones included; what fails is named in the file, with its reason."""
        done, scenarios = self.suite("all-inline", *self.fixtures("inline"), "--suite", "all", "--expected-failures", str(EXPECTED))
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])
        self.assertGreaterEqual(len(scenarios), 65)


class BehindTheHost(Suite):
    """The suite's server is an upstream, and the suite asks another host: what passes directly passes through. Only the
    names are not the same, so a proxy hides their prefix."""

    # The suite waits for 1.5 s. The host reads a changed list after 0.5 s, and more rarely if it changes often. So the
    # change can also come into the scenario that lists tools twice, which says then that it cannot judge their order.
    LATE = {f"sep-2575-server-sends-{kind}-list-changed-on-subscription" for kind in ("tools", "prompts")}

    def through(self, revision):
        _, port = self.fixtures("inline")
        place = self.workspace(config=CONFIG + f"""
[[upstream]]
name = "c"
url = "http://127.0.0.1:{port}/mcp"
""")
        host = self.http_host(place)
        proxy = Unprefixed("c", host.port)
        self.addCleanup(proxy.close)
        wait_until("it is listed", lambda: "mcp__c__test_simple_text" in json.dumps(host.request("tools/list")))
        _, scenarios = self.suite(f"{revision}-behind", place, proxy.port, "--requirements", revision)
        for name in self.required(revision):
            with self.subTest(name):
                passed, failed = scenarios.get(name, (set(), {}))
                late = {check for check, why in failed.items() if check in self.LATE and "list_changed arrived" in why}
                late |= {check for check, why in failed.items() if check == "tools-list-deterministic-order"
                         and why.startswith("Not testable: the set of tools changed")}
                self.assertEqual({check: why for check, why in failed.items() if check not in late}, {})
                self.assertTrue(passed, "nothing was checked")

    def test_what_passes_of_2025_11_25_passes_through(self):
        self.through("2025-11-25")

    def test_what_passes_of_2026_07_28_passes_through(self):
        self.through("2026-07-28")
