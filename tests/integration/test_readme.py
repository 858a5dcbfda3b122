"""The commands that the README and scripts/run show are run as they stand, but for the port and the build folder."""
import json
import os
import re
import shlex
import subprocess
import unittest

from harness import BUILD, SOURCE, Process, TestCase, environment, wait_until

README = (SOURCE / "README.md").read_text()
PRESET = BUILD.name


def commands(text):
    """The lines of the README's shell blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


class Readme(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = commands(README)

    def setUp(self):
        self.place = self.workspace()
        self.host = None

    def start_host(self):
        """scripts/run, on the build that the tests were built with and a free port."""
        os.environ["TP_PRESET"] = PRESET
        self.addCleanup(os.environ.pop, "TP_PRESET")
        made = self._kept(RunScript(self.place.root))
        self.url = wait_until("scripts/run serves", made.address, 300)
        return made

    def run_line(self, line):
        line = line.split("   #")[0].replace("http://127.0.0.1:8808/mcp", self.url)
        line = line.replace("build/release/", f"build/{PRESET}/")
        done = subprocess.run(["bash", "-c", line], cwd=SOURCE, text=True, capture_output=True, check=False,
                              env=environment(self.place.root), timeout=120, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def test_every_command_does_what_it_says(self):
        host = self.start_host()
        outputs = {}
        for line in self.commands:
            if line.startswith(("scripts/run ", "scripts/test ")):
                continue  # the host that serves here; what runs this very test
            with self.subTest(line):
                outputs[line] = self.run_line(line)
        self.assertTrue(any("Hello, world!" in out for line, out in outputs.items() if "tools/call" in line))
        self.assertTrue(any("save_csv" in out for line, out in outputs.items() if "tools/list" in line))
        for line, out in outputs.items():
            if line.startswith("curl"):
                self.assertIn("result", json.loads(out))
        self.assertTrue(host.running())

    def test_what_the_run_script_shows_works(self):
        host = self.start_host()
        shown = host.error_text()
        curl = re.search(r"^  (curl .*\\\n.*)$", shown, re.M).group(1)
        self.assertIn("Hello, world!", self.run_line(curl))
        self.assertIn("greet", self.run_line(re.search(r"^  (scripts/inspector .*)$", shown, re.M).group(1)))
        self.assertIn("mcpServers", self.run_line(re.search(r"^  (build/\S+ client-config claude)", shown, re.M).group(1)))

    def test_every_file_that_it_points_to_is_there(self):
        for target in re.findall(r"\]\(([^)#:]+)\)", README):
            with self.subTest(target):
                self.assertTrue((SOURCE / target).exists())

    def test_the_two_commands_stand_first(self):
        self.assertEqual([shlex.split(line)[0] for line in self.commands[:2]], ["scripts/run", "scripts/test"])


class RunScript(Process):
    def __init__(self, root):
        super().__init__([SOURCE / "scripts/run", "--listen", "127.0.0.1:0"], root, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL)

    def address(self):
        found = re.search(r"listening on (http://\S+/mcp)", self.error_text())
        if not found and not self.running():
            raise AssertionError(self.error_text())
        return found and found.group(1)


if __name__ == "__main__":
    unittest.main()
