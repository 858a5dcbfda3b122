"""What authors of plugins and skills have: `plugin new`, `plugin check`, `dev`, `skill new`, `skill check`.

Host and SDK are installed to a stage of this test's own, so that `find_package(toolpost)` finds what an author would.
"""
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

from harness import BUILD, PATIENCE_S, Process, TestCase, environment, text_of, last_message, wait_until

STAGE = None
BUILD_PATIENCE_S = 240  # a compiler on a busy machine


def setUpModule():
    global STAGE
    STAGE = pathlib.Path(tempfile.mkdtemp(prefix="toolpost-stage-"))
    for component in ("sdk", "host"):
        subprocess.run(["cmake", "--install", str(BUILD), "--component", component, "--prefix", str(STAGE)],
                       check=True, capture_output=True)


def tearDownModule():
    shutil.rmtree(STAGE, ignore_errors=True)


def surroundings(root):
    """The test's environment, with the compilers' own folders where they are."""
    home = pathlib.Path.home()
    rust = {"RUSTUP_HOME": str(home / ".rustup"), "CARGO_HOME": str(home / ".cargo")}
    return environment(root) | {key: os.environ.get(key, value) for key, value in rust.items()}


def run(root, *command, exit_code=0, timeout_s=BUILD_PATIENCE_S):
    done = subprocess.run([str(part) for part in command], cwd=root, env=surroundings(root), text=True,
                          capture_output=True, timeout=timeout_s, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != exit_code:
        raise AssertionError(f"{command} exited with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done


def toolpost(root, *arguments, **options):
    return run(root, STAGE / "bin/toolpost", *arguments, **options)


class DevHost(Process):
    """`toolpost dev` on a free port; what it prints is kept with the time of each line."""

    def __init__(self, root, *arguments):
        self.printed = []
        command = [STAGE / "bin/toolpost", "dev", *arguments, "--listen", "127.0.0.1:0"]
        super().__init__(command, root, env=surroundings(root), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        threading.Thread(target=self._read_output, daemon=True).start()
        line = self.wait_for(r"serving .* on http://127.0.0.1:\d+/mcp")
        self.port = int(re.search(r":(\d+)/mcp", line).group(1))

    def _read_output(self):
        for line in self.child.stdout:
            self.printed.append(line.decode("utf-8", "replace").rstrip("\n"))

    def wait_for(self, pattern, after=0, timeout_s=BUILD_PATIENCE_S):
        def look():
            for line in self.printed[after:]:
                if re.search(pattern, line):
                    return line
            if not self.running():
                raise AssertionError(f"ended:\n{self.printed}\n{self.error_text()}")
            return None
        try:
            return wait_until(pattern, look, timeout_s)
        except AssertionError as error:
            raise AssertionError(f"{error}; it printed:\n" + "\n".join(self.printed)) from None

    def call(self, tool, arguments):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        connection.request("POST", "/mcp", json.dumps(body), {"Content-Type": "application/json"})
        answer = last_message(connection.getresponse().read().decode())
        connection.close()
        return answer

    def text(self, tool, arguments):
        answer = self.call(tool, arguments)
        return text_of(answer) if "result" in answer else None


class Authors(TestCase):
    def setUp(self):
        self.root = self.workspace().root

    def built(self, name, language):
        """A new plugin, built as its README says; the library."""
        out = toolpost(self.root, "plugin", "new", name, "--lang", language).stdout
        self.assertIn("README.md", out)
        folder = self.root / name
        if language == "rust":
            run(folder, "cargo", "build", "--release", "--offline")
            return folder / f"target/release/lib{name.replace('-', '_')}.so"
        run(folder, "cmake", "-S", ".", "-B", "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={STAGE}")
        run(folder, "cmake", "--build", "build")
        return folder / f"build/{name}.so"

    def check_and_serve(self, name, library):
        """No fault and no warning; served and called."""
        found = json.loads(toolpost(self.root, "plugin", "check", library, "--json").stdout)
        self.assertTrue(found["ok"], found)
        self.assertEqual([one for one in found["findings"] if one["severity"] == "fault"], [])
        tool = f"{name.replace('-', '_')}_greet"
        self.assertIn(tool, found["tools"])
        self.assertEqual(found["exports"], ["toolpost_plugin_v1"])
        self.assertTrue(any("Hello, Ada!" in call["answer"] or "Hello, example!" in call["answer"]
                            for call in found["calls"]), found)
        plugins = self.root / "served"
        plugins.mkdir()
        shutil.copy(library, plugins / f"{name}.so")
        done = toolpost(self.root, "call", tool, "name=Ada", "--plugins", plugins)
        self.assertEqual(done.stdout, "Hello, Ada!\n")
        # An option takes one value: what follows is the tool's name.
        done = toolpost(self.root, "call", "--skills", plugins, "--plugins", plugins, tool, "name=Ada")
        self.assertEqual(done.stdout, "Hello, Ada!\n")
        done = toolpost(self.root, "call", tool, "nane=Ada", "--plugins", plugins, exit_code=1)
        self.assertIn('property "nane" is not allowed', done.stderr)
        return done.stderr

    def test_a_new_plugin_in_cpp(self):
        library = self.built("first_cpp", "cpp")
        run(self.root / "first_cpp", "ctest", "--test-dir", "build", "--output-on-failure", "--no-tests=error")
        refusal = self.check_and_serve("first_cpp", library)
        self.assertIn('did you mean "name"?', refusal)
        findings = json.loads(toolpost(self.root, "plugin", "check", library, "--json").stdout)["findings"]
        self.assertEqual(findings, [])

    def test_a_new_plugin_in_c(self):
        self.check_and_serve("first-c", self.built("first-c", "c"))
        source = (self.root / "first-c/first-c.c").read_text()
        self.assertNotRegex(source, r"(?i)hello(?!, )|io\.toolpost|TOOLPOST_VERSION|@")
        self.assertIn("static tp_status first_c_call(", source)
        # A tool that forgets its result is a fault of the plugin, not of the example arguments.
        silent = re.sub(r"return say\(self, call, .*?\);", "(void)say; (void)self; (void)call; return TP_OK;", source)
        self.assertNotEqual(silent, source)
        (self.root / "first-c/first-c.c").write_text(silent)
        run(self.root / "first-c", "cmake", "--build", "build")
        done = toolpost(self.root, "plugin", "check", self.root / "first-c/build/first-c.so", exit_code=3)
        self.assertRegex(done.stdout, r"fault\[P004\].*ended without a result")

    def test_a_new_plugin_in_rust(self):
        if shutil.which("cargo") is None:
            self.skipTest("there is no cargo here")
        self.check_and_serve("first-rust", self.built("first-rust", "rust"))

    def test_names_that_would_not_do_and_folders_that_are_there(self):
        for name in ("Upper", "9lives", "-a", "a b", "", "pre-x", "test", "all", "pre_x", "mcp_x", "a" * 41, "../x"):
            toolpost(self.root, "plugin", "new", name, exit_code=2)
        (self.root / "taken").mkdir()
        self.assertIn("is there already", toolpost(self.root, "plugin", "new", "taken", exit_code=1).stderr)
        self.assertEqual(list((self.root / "taken").iterdir()), [])
        toolpost(self.root, "plugin", "new", "x", "--lang", "cobol", exit_code=2)

    def test_check_says_what_is_wrong_and_exits_by_it(self):
        toolpost(self.root, "plugin", "check", self.root / "none.so", exit_code=4)
        (self.root / "text.so").write_text("no library")
        done = toolpost(self.root, "plugin", "check", self.root / "text.so", exit_code=3)
        self.assertIn("fault[P001]", done.stdout)
        odd = BUILD / "tests/plugins/oddly_built"
        well = self.root / "well.so"
        shutil.copy(odd / "odd_well.so", well)
        done = toolpost(self.root, "plugin", "check", well)
        self.assertIn("warning[W103]: tool \"odd_strict\": has no description of ", done.stdout)
        self.assertIn("Explain a code: toolpost plugin check --explain ", done.stdout)
        self.assertIn("ok: 0 faults, 3 warnings", done.stdout)
        toolpost(self.root, "plugin", "check", well, "--strict", exit_code=3)
        for line in (r"vendor +Example Ltd\n", r"license +Apache-2.0\n", r"build info +made by a test\n",
                     r"asks for +net:https://example.org\n", r"asks for +fs:ro:/srv/[^\x1b]*data\n"):
            self.assertRegex(done.stdout, line)
        found = json.loads(toolpost(self.root, "plugin", "check", well, "--json").stdout)
        self.assertEqual(found["vendor"], "Example Ltd")
        self.assertEqual(found["permissions"][0], "net:https://example.org")
        toolpost(self.root, "plugin", "check", well, "--settings", "[]", exit_code=2)
        shutil.copy(odd / "odd_undefined.so", self.root / "undefined.so")
        done = toolpost(self.root, "plugin", "check", self.root / "undefined.so", exit_code=3)
        self.assertIn("fault[E007]: uses symbols", done.stdout)
        self.assertIn("nowhere_to_be_found", done.stdout)

    def test_each_code_of_a_check_is_explained(self):
        sources = pathlib.Path(__file__).resolve().parents[2]
        codes = set()
        for file in (sources / "host/plugin").rglob("*.cpp"):
            if file.name != "check_codes.cpp":
                codes |= set(re.findall(r'"([EPW]\d{3})"', file.read_text()))
        self.assertGreater(len(codes), 20)
        reference = (sources / "docs/reference/abi.md").read_text()
        for code in codes:
            explained = json.loads(toolpost(self.root, "plugin", "check", "--explain", code, "--json").stdout)
            self.assertEqual(explained["code"], code)
            self.assertTrue(explained["meaning"] and explained["remedy"], code)
            self.assertIn(f"\n| {code} |", reference)
        self.assertIn("W101: ", toolpost(self.root, "plugin", "check", "--explain", "W101").stdout)
        done = toolpost(self.root, "plugin", "check", "--explain", "W1O1", exit_code=4)
        self.assertIn('did you mean "W101"?', done.stderr)
        toolpost(self.root, "plugin", "check", exit_code=2)
        toolpost(self.root, "plugin", "check", "x.so", "--explain", "W101", exit_code=2)

    def test_an_installed_host_has_its_skills(self):
        listed = json.loads(toolpost(self.root, "skills", "--json", "--plugins", self.root).stdout)["skills"]
        shipped = pathlib.Path(__file__).resolve().parents[2] / "skills"
        self.assertEqual({skill["name"] for skill in listed}, {folder.name for folder in shipped.iterdir()})
        self.assertTrue((STAGE / "share/doc/toolpost/config.toml").is_file())

    def test_a_crash_of_a_stripped_library_names_what_its_author_needs(self):
        whole = BUILD / "tests/plugins/zoo/zoo_faults.so"
        library = self.root / "stripped/faults.so"
        library.parent.mkdir()
        subprocess.run(["strip", "-o", library, whole], check=True)
        (self.root / "config.toml").write_text('[permission]\nmode = "bypass"\n')
        done = toolpost(self.root, "call", "--config", self.root / "config.toml", "--plugins", library.parent,
                        "fault_segv", exit_code=1)
        found = re.search(r"in faults\.so at offset (0x[0-9a-f]+) \(build id ([0-9a-f]{40})\)", done.stderr)
        self.assertIsNotNone(found, done.stderr)
        notes = subprocess.run(["readelf", "-n", whole], check=True, capture_output=True, text=True).stdout
        self.assertIn(found.group(2), notes)
        place = subprocess.run(["addr2line", "-f", "-e", whole, found.group(1)], check=True, capture_output=True, text=True)
        self.assertIn("poke_null", place.stdout)

    def test_skills(self):
        self.assertIn("SKILL.md", toolpost(self.root, "skill", "new", "brew-tea").stdout)
        self.assertIn("ok: 1 skill read", toolpost(self.root, "skill", "check", "brew-tea", "--strict").stdout)
        self.assertIn("ok: 1 skill read", toolpost(self.root, "skill", "check", ".").stdout)
        toolpost(self.root, "skill", "new", "brew-tea", exit_code=1)
        toolpost(self.root, "skill", "new", "Brew_Tea", exit_code=2)
        toolpost(self.root, "skill", "check", "nowhere", exit_code=4)
        empty = self.root / "empty"
        empty.mkdir()
        toolpost(self.root, "skill", "check", empty, exit_code=4)
        file = self.root / "brew-tea/SKILL.md"
        file.write_text("---\nname: brew-tea\n---\nText.\n")
        done = toolpost(self.root, "skill", "check", "brew-tea", exit_code=3)
        self.assertIn("S007", done.stdout)
        found = json.loads(toolpost(self.root, "skill", "check", "brew-tea", "--json", exit_code=3).stdout)
        self.assertFalse(found["ok"])
        self.assertTrue(found["findings"][0]["file"].endswith("SKILL.md"))

    def test_skill_check_finds_everything_in_one_run(self):
        skill = self.root / "all-at-once"
        (skill / "references").mkdir(parents=True)
        (skill / "SKILL.md").write_text(
            "---\nname: all-at-once\ndescription: d\nlicence: MIT\nmetadata: [1]\ncompatibility: 7\n---\n"
            "See [fees](references/fees.md) and\n[rates](references/rates.md).\n\n![map](../map.png)\n")
        (skill / "references/rates.md").write_text("# Rates\n\n[back](../SKILL.md) [old](old-rates.md)\n")
        expected = [("SKILL.md", 4, "S012"), ("SKILL.md", 5, "S009"), ("SKILL.md", 6, "S009"), ("SKILL.md", 8, "S014"),
                    ("SKILL.md", 11, "S015"), ("rates.md", 3, "S014")]
        for folder in (skill, self.root):
            done = toolpost(self.root, "skill", "check", folder, "--json", exit_code=3)
            found = [(one["file"].rsplit("/", 1)[1], one["line"], one["code"]) for one in json.loads(done.stdout)["findings"]]
            self.assertEqual(found, expected)
        (skill / "references/fees.md").write_text("12\n")
        (skill / "references/old-rates.md").write_text("12\n")
        (skill / "SKILL.md").write_text((skill / "SKILL.md").read_text().replace("![map](../map.png)", ""))
        self.assertIn("ok: 1 skill read", toolpost(self.root, "skill", "check", skill).stdout)

    def stopwatch(self, name, language, source):
        """From `plugin new` to the first answer, and from a save to the first answer of new code, which may take a second
        beyond the compiler. The project's host, and how much it had printed before the save."""
        began = time.monotonic()
        toolpost(self.root, "plugin", "new", name, "--lang", language)
        source = self.root / name / source
        tool = f"{name}_greet"
        host = self._kept(DevHost(self.root, self.root / name, "--call", tool, "name=Ada"))
        host.wait_for(r"^Hello, Ada!$")
        first = time.monotonic() - began
        self.assertEqual(host.text(tool, {"name": "Bob"}), "Hello, Bob!")

        total, compiler, mark = self.save(host, tool, source, "Hello", "Salve")
        if total - compiler > 1.0:  # once more, as the machine may have stood still
            self.save(host, tool, source, "Salve", "Hello")
            total, compiler, mark = self.save(host, tool, source, "Hello", "Salve")
        print(f"\n{language}: plugin new to first answer: {first:.2f} s; save to new answer: {total:.2f} s, "
              f"{total - compiler:.2f} s beyond the compiler's {compiler:.2f} s", flush=True)
        self.assertLessEqual(total - compiler, 1.0)
        return host, mark

    def save(self, host, tool, source, old, new):
        """Seconds until new code answers, seconds of the compiler, and how much the host had printed before."""
        mark = len(host.printed)
        source.write_text(source.read_text().replace(f"{old}, ", f"{new}, "))
        saved = time.monotonic()
        while host.text(tool, {"name": "Bob"}) != f"{new}, Bob!":
            self.assertLess(time.monotonic() - saved, BUILD_PATIENCE_S, host.printed)
            time.sleep(0.01)
        total = time.monotonic() - saved
        told = host.wait_for(r"^built in ([\d.]+) s, loaded in ([\d.]+) s", mark)
        return total, float(re.search(r"built in ([\d.]+)", told).group(1)), mark

    def test_stopwatch_in_c(self):
        self.stopwatch("adder_c", "c", "adder_c.c")

    def test_stopwatch_in_rust(self):
        if shutil.which("cargo") is None:
            self.skipTest("there is no cargo here")
        self.stopwatch("adder_rust", "rust", "src/lib.rs")

    def test_stopwatch_in_cpp_and_dev_tells_what_changed(self):
        host, mark = self.stopwatch("adder", "cpp", "adder.cpp")
        source = self.root / "adder/adder.cpp"
        # What the client called last is called again, and only what is other is shown.
        host.wait_for(r"^- Hello, Bob!$", mark)
        host.wait_for(r"^\+ Salve, Bob!$", mark)

        mark = len(host.printed)
        whole = source.read_text()
        source.write_text(whole.replace("std::string out;", "std::string out = 7 seven;"))
        self.assertRegex(host.wait_for(r"error: ", mark), r"adder\.cpp:\d+:\d+: error: ")
        host.wait_for(r"^build failed after .*: \d+ errors", mark)
        self.assertEqual(host.text("adder_greet", {"name": "Eve"}), "Salve, Eve!")

        # An error in a template of the SDK is shown with the line of the plugin that uses it.
        mark = len(host.printed)
        bare = re.sub(r"toolpost::Field<int,[^;]* times = 1;", "struct Bare { virtual ~Bare() = default; } times;", whole)
        self.assertNotEqual(bare, whole)
        source.write_text(bare)
        self.assertRegex(host.wait_for(r"Codec<.*Bare>", mark), r"In instantiation of|requested here")
        host.wait_for(r"^  .*adder\.cpp:\d+:\d+: .*(required from here|requested here)", mark)
        host.wait_for(r"^build failed after ", mark)

        mark = len(host.printed)
        source.write_text(whole.replace("std::string out;", "std::string out; __builtin_trap();"))
        host.wait_for(r"generation \d+ serves", mark)
        host.wait_for(r"worker of plugin .adder. .*signal 4", mark)

        mark = len(host.printed)
        source.write_text(whole)
        host.wait_for(r"generation \d+ serves", mark)
        self.assertEqual(host.text("adder_greet", {"name": "Bob"}), "Salve, Bob!")

    def test_dev_with_a_build_of_its_own(self):
        folder = self.root / "own"
        folder.mkdir()
        toolpost(self.root, "dev", folder, exit_code=4)
        toolpost(self.root, "dev", folder, "--build-command", "cc x.c | tee y", exit_code=2)
        hello = (pathlib.Path(__file__).resolve().parents[2] / "plugins/hello/hello.c").read_text()
        (folder / "hello.c").write_text(hello)
        host = self._kept(DevHost(self.root, folder, "--build-command",
                                  f"cc -shared -fPIC -fvisibility=hidden -I{STAGE}/include hello.c -o hello.so"))
        host.wait_for(r"hello: generation 1 serves echo greet")
        self.assertEqual(host.text("greet", {"name": "Ada"}), "Hello, Ada!")


if __name__ == "__main__":
    unittest.main()
