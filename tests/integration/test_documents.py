"""What README and docs/ show is true: commands run as they stand, JSON is what a host answers, TOML is a configuration.

Blocks marked `sh` are run, line by line, in the order of their page; blocks marked `text` need somebody or something that
a test has not. Only the address, the folder of the build and an id that the page calls ID are put in place of theirs.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from harness import BUILD, SOURCE, TOOLPOST, Process, TestCase, environment, text_of, wait_until

README = (SOURCE / "README.md").read_text()
PAGES = sorted((SOURCE / "docs").rglob("*.md"))
PRESET = BUILD.name
URL = "http://127.0.0.1:8808"


def blocks(text, language):
    """The code blocks of one language, without the indent of a list that they stand in."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", text, re.M | re.S)
    return [re.sub(rf"^{indent}", "", body, flags=re.M) for indent, body in found]


def commands(text):
    lines = "".join(blocks(text, "sh")).replace("\\\n", " ").splitlines()
    return [line.split("   #")[0].rstrip() for line in lines if line.strip()]


class Shell:
    """Runs lines as a reader would who has `toolpost` in the PATH: the one that a page installed, or else the built one."""

    def __init__(self, test, root, folder, url):
        self.test, self.root, self.folder, self.url = test, root, folder, url

    def run(self, line):
        line = line.replace(URL, self.url).replace("build/release", str(BUILD))
        env = environment(self.root)
        env["PATH"] = f"{env['HOME']}/.local/bin:{BUILD}:{env['PATH']}"
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, text=True, capture_output=True, check=False,
                              env=env, timeout=1800, stdin=subprocess.DEVNULL)
        self.test.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}\n{done.stderr}")
        if line.startswith("curl"):
            answer = json.loads(done.stdout)
            self.test.assertNotIn("error", answer, line)
        return done.stdout


class RunScript(Process):
    """scripts/run, with the build that the tests were built with, on a free port."""

    def __init__(self, root):
        env = environment(root) | {"TP_PRESET": PRESET}
        super().__init__([SOURCE / "scripts/run", "--listen", "127.0.0.1:0"], root, env=env,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


class Served(Process):
    """A host with the configuration of this tree, or with the defaults."""

    def __init__(self, root, *arguments):
        super().__init__([TOOLPOST, "serve", "--listen", "127.0.0.1:0", *arguments], root,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def address_of(process):
    def look():
        found = re.search(r"listening on (http://\S+)/mcp", process.error_text())
        if not found and not process.running():
            raise AssertionError(process.error_text())
        return found and found.group(1)
    return wait_until("it serves", look, 3000)  # it may build the host


class Readme(TestCase):
    def setUp(self):
        self.place = self.workspace()
        self.host = self._kept(RunScript(self.place.root))
        self.shell = Shell(self, self.place.root, SOURCE, address_of(self.host))

    def test_every_command_does_what_it_says(self):
        lines = commands(README)
        self.assertEqual([shlex.split(line)[0] for line in lines[:2]], ["scripts/run", "scripts/test"])
        said = {}
        for line in lines[2:]:  # the host that serves here, and what runs this very test
            with self.subTest(line):
                said[line] = self.shell.run(line)
        self.assertTrue(any("Hello, world!" in out for line, out in said.items() if "tools/call" in line))
        self.assertTrue(any("save_csv" in out for line, out in said.items() if "tools/list" in line))
        self.assertTrue(self.host.running())
        self.what_the_run_script_shows_works()

    def what_the_run_script_shows_works(self):
        shown = self.host.error_text().replace("127.0.0.1:PORT", "127.0.0.1:8808")  # as in the pages
        curl = re.search(r"^  (curl .*\\\n.*)$", shown, re.M).group(1)
        self.assertIn("Hello, world!", self.shell.run(curl))
        self.assertIn("greet", self.shell.run(re.search(r"^  (scripts/inspector .*)$", shown, re.M).group(1)))
        client = re.search(r"^  build/\S+/(toolpost client-config claude)", shown, re.M).group(1)
        self.assertIn("mcpServers", self.shell.run(client))


class Scripts(TestCase):
    """scripts/run and scripts/build in a folder of their own, with programs that only say how they were called."""

    def setUp(self):
        self.root = self.workspace().root
        (self.root / "scripts").mkdir()
        (self.root / "build/release").mkdir(parents=True)
        (self.root / "config.toml").write_text('[server]\n# listen = "1.2.3.4:1"\nlisten = "127.0.0.1:9000"\n')
        shutil.copy(SOURCE / "CMakePresets.json", self.root)
        for name in ("run", "build"):
            shutil.copy(SOURCE / "scripts" / name, self.root / "scripts")
        self.program("scripts/bootstrap", "bootstrap")
        self.program("build/release/toolpost", "toolpost")

    def program(self, path, word):
        (self.root / path).write_text(f'#!/bin/sh\necho {word} "$@"\n')
        (self.root / path).chmod(0o755)

    def script(self, *words, **more):
        done = subprocess.run(words, cwd=self.root, env=environment(self.root) | more, text=True, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_the_commands_that_run_shows_lead_to_its_host(self):
        self.program("scripts/build", "built")
        at = "127.0.0.1:7000"
        for words, more, address in (((), {}, "127.0.0.1:9000"), (("--listen", at), {}, at), ((f"--listen={at}",), {}, at),
                                     ((), {"TOOLPOST_SERVER__LISTEN": at}, at)):
            code, out, shown = self.script("scripts/run", *words, **more)
            self.assertEqual((code, out), (0, " ".join(["toolpost serve --config config.toml", *words]) + "\n"))
            self.assertIn(f"  curl -s http://{address}/mcp ", shown)
            self.assertIn(f"key link --config config.toml --listen {address}\n", shown)
            self.assertNotIn("sudo", shown)
        _, _, shown = self.script("scripts/run", "--listen", "unix:/run/t.sock", SUDO_USER="ada")
        self.assertIn("  curl --unix-socket /run/t.sock -s http://localhost/mcp ", shown)
        self.assertNotIn("http://unix", shown)
        self.assertIn("Do not put sudo before scripts/run", shown)
        code, out, shown = self.script("scripts/run", "--stdio")  # its output is the protocol
        self.assertEqual((code, out), (0, "toolpost serve --config config.toml --stdio\n"))
        self.assertNotIn("curl", shown)

    def test_a_wrong_word_for_build_installs_nothing(self):
        for word in ("--help", "-h", "relase", "host", "lumps"):
            code, out, shown = self.script("scripts/build", word)
            self.assertEqual((code, out), (2, ""), word)
            self.assertTrue(shown, word)


class Documents(TestCase):
    def setUp(self):
        self.place = self.workspace()
        self.folder = self.place.root / "here"
        self.folder.mkdir()
        (self.folder / "config.toml").symlink_to(SOURCE / "config.toml")

    def serve(self, *arguments):
        self.host = self._kept(Served(self.place.root, *arguments))
        return Shell(self, self.place.root, self.folder, address_of(self.host))

    def test_every_command_of_the_pages_runs(self):
        shell = self.serve()
        tried = 0
        for page in PAGES:
            for line in commands(page.read_text()):
                with self.subTest(page=page.relative_to(SOURCE), line=line):
                    shell.run(line)
                    tried += 1
        self.assertGreater(tried, 20)
        self.assertTrue(self.host.running())

    def test_every_configuration_of_the_pages_is_one(self):
        tried = 0
        for page in [SOURCE / "README.md", *PAGES, *sorted((SOURCE / "plugins").glob("*/README.md"))]:
            for text in blocks(page.read_text(), "toml"):
                with self.subTest(page=page.relative_to(SOURCE), text=text):
                    file = self.folder / "shown.toml"
                    file.write_text(text)
                    done = subprocess.run([TOOLPOST, "config", "check", "--config", file], capture_output=True, text=True,
                                          env=environment(self.place.root), timeout=60, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
                    tried += 1
        self.assertGreater(tried, 3)

    def test_the_answer_to_a_call_that_waits_is_the_one_that_is_shown(self):
        """docs/agents/mcp.md has a pending result, and then a rejected one."""
        file = self.folder / "asked.toml"
        file.write_text("[approval]\nwait_s = 0\n[plugin.invoices]\nauto_approve = false\n")
        shell = self.serve("--config", str(file))
        page = (SOURCE / "docs/agents/mcp.md").read_text()
        pending, rejected = [json.loads(text) for text in blocks(page, "json")]
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "save_csv", "arguments": {"filename": "march", "rows": [{"vendor": "Acme"}]}}}
        call = f"curl -s {URL}/mcp -H 'Content-Type: application/json' -d {shlex.quote(json.dumps(body))}"
        self.assertEqual(masked(json.loads(shell.run(call))["result"]), masked(pending))
        approval = re.search(r"ap_[A-Za-z0-9_-]+", text_of(json.loads(shell.run(call)))).group()
        shell.run(f"toolpost approvals reject {approval} --note 'not on a Sunday' --config {file}")
        self.assertEqual(masked(json.loads(shell.run(call))["result"]), masked(rejected))

    def test_the_plugin_of_the_readme_is_the_sdks(self):
        """The SDK's is compiled by another test."""
        def code(text):
            lines = [line for line in blocks(text, "cpp")[0].splitlines() if not line.startswith("//")]
            return [line for line in lines if line]
        self.assertEqual(code(README), code((SOURCE / "sdk/README.md").read_text()))

    def test_the_reference_is_current(self):
        done = subprocess.run([sys.executable, SOURCE / "scripts/reference.py", "--check"], text=True, check=False,
                              capture_output=True, timeout=600, env=os.environ | {"TP_BUILD": str(BUILD)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_files_that_the_architecture_names_are_there(self):
        text = (SOURCE / "docs/architecture.md").read_text()
        named = set(re.findall(r"`([a-z_]+/[a-z_/]*(?:\.[a-z]+)?)`", text))
        self.assertGreater(len(named), 50)
        gone = [name for name in named if not any((root / name).exists() for root in (SOURCE, SOURCE / "host"))]
        self.assertEqual(gone, [])

    def test_the_programs_that_need_no_rule_are_those_of_the_source(self):
        source = (SOURCE / "host/permission/shell/read_only.cpp").read_text()
        known = set(re.findall(r'Program\{"(\w+)"', source))
        known |= set(re.findall(r'"(\w+)"', "".join(re.findall(r"constexpr std::string_view (?:kPrinters\[\]|kFind) = .*;", source))))
        page = (SOURCE / "docs/operate/approvals.md").read_text()
        told = re.search(r"a closed list of options:\n((?:  `.*\n)+?)  `python`, `python3` and `node` may only", page)
        self.assertEqual(re.findall(r"`(\w+)`", told.group(1)), sorted(known))

    def test_the_reference_has_every_value_of_an_event(self):
        sources = [file.read_text() for file in (SOURCE / "host").rglob("*.cpp")]
        sent = {name for text in sources for name in re.findall(r'changed\("(\w+)"', text)}
        page = (SOURCE / "docs/reference/rest.md").read_text()
        told = re.search(r"which of these changed: ((?:`\w+`,?\s)+?`\w+`)\.", page).group(1)
        self.assertEqual(re.findall(r"\w+", told), sorted(sent))

    def test_the_readme_is_short(self):
        self.assertLessEqual(len(README.splitlines()), 100)


def masked(result):
    """Without what differs from call to call."""
    text = json.dumps(result, sort_keys=True)
    text = re.sub(r"ap_[A-Za-z0-9_-]{10,}", "ap_ID", text)
    return json.loads(re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME", text))


if __name__ == "__main__":
    unittest.main()
