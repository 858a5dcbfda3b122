#!/usr/bin/env python3
"""Checks source files one by one, and keeps no output.

    scripts/check_sources.py compile BUILD FILE...   each compiles by itself. All builds but dev put several files into
                                                     one, where a file can use what the file before it includes.
    scripts/check_sources.py tidy BUILD FILE...      clang-tidy has nothing to say about it

BUILD has compile_commands.json; a FILE that is not in there is passed over. A file that passed is not checked again
until the file, a header that it includes, its command or the tool changes: BUILD/checked-compile.json and
BUILD/checked-tidy.json have a digest of all of these. They are not there after a fresh clone. As with ccache, a new
header that hides one further down the include path is not seen. Remove the two files to check everything again.
"""
import concurrent.futures
import contextlib
import functools
import hashlib
import io
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEEDLESS = {"-c", "-MD", "-g", "-g1", "-O1", "-O2"}
WITH_VALUE = {"-o", "-MF", "-MT"}
TIDY = ["clang-tidy", "-quiet", "--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-ambiguous-reversed-operator"]


def command_for(entry):
    """Without what only a compiler that keeps its output needs."""
    words = iter(shlex.split(entry["command"]))
    kept = []
    for word in words:
        if word in WITH_VALUE:
            next(words)
        elif word not in NEEDLESS and not word.endswith("ccache"):
            kept.append(word)
    return kept


def run(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def listed_in(rule, folder):
    """The files that a rule for make names after its colon."""
    words = rule.replace("\\\n", " ").split(":", 1)[1].split()
    return sorted({os.path.normpath(os.path.join(folder, word)) for word in words})


def compile_one(entry, _):
    """What the compiler says if it fails, and the files that it read."""
    with tempfile.NamedTemporaryFile("r", suffix=".d") as rule:
        done = run([*command_for(entry), "-fsyntax-only", "-MD", "-MF", rule.name], entry["directory"])
        if done.returncode != 0:
            return done.stderr or "the compiler failed", []
        return "", listed_in(rule.read(), entry["directory"])


def tidy_one(entry, build):
    done = run([*TIDY, "-p", build, entry["file"]], ROOT)
    if done.returncode != 0:
        return done.stdout or "clang-tidy failed", []
    rule = run([*command_for(entry), "-M"], entry["directory"])
    return "", [*listed_in(rule.stdout, entry["directory"]), str(ROOT / ".clang-tidy")]


CHECKS = {"compile": compile_one, "tidy": tidy_one}


@functools.lru_cache(maxsize=None)
def digest_of(path):
    try:
        return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


@functools.lru_cache(maxsize=None)
def modified(path):
    return os.stat(path).st_mtime


def digest_of_texts(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


@functools.lru_cache(maxsize=None)
def tool(kind, compiler):
    """What the verdict depends on besides the files: this script, and the program that gives it."""
    if kind == "tidy":
        return digest_of(__file__) + run(["clang-tidy", "--version"], ROOT).stdout
    program = run([compiler, "-print-prog-name=cc1plus"], ROOT).stdout.strip()
    return digest_of(__file__) + digest_of(program)


class Passed:
    """The files that passed, each with one digest of its command, of the tool and of every file that was read."""

    def __init__(self, kind, build):
        self._kind = kind
        self._path = pathlib.Path(build) / f"checked-{kind}.json"
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            self._known = {file: (digest, [kept["paths"][at] for at in read]) for file, digest, read in kept["passed"]}
        except (OSError, ValueError, LookupError, TypeError):
            self._known = {}

    def _digest(self, entry, read):
        command = command_for(entry)
        return digest_of_texts(tool(self._kind, command[0]), *command, *map(digest_of, read))

    def has(self, entry):
        digest, read = self._known.get(entry["file"], ("", []))
        return bool(digest) and digest == self._digest(entry, read)

    def add(self, entry, read, begin):
        """Unless one of the files may have changed since `begin`, which is before anything was read."""
        if all(modified(path) < begin for path in read):
            self._known[entry["file"]] = (self._digest(entry, read), read)

    def keep(self):
        paths = sorted({path for _, read in self._known.values() for path in read})
        at = {path: number for number, path in enumerate(paths)}
        passed = [(file, digest, [at[path] for path in read]) for file, (digest, read) in self._known.items()]
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps({"paths": paths, "passed": passed}), encoding="utf-8")
        new.replace(self._path)


def check(kind, build, files):
    entries = json.loads((pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8"))
    wanted = {str(ROOT / file) for file in files}
    entries = [entry for entry in entries if entry["file"] in wanted]
    if not entries:
        raise SystemExit(f"check_sources: {build} compiles none of these")
    begin = time.time()
    passed = Passed(kind, build)
    open_ones = [entry for entry in entries if not passed.has(entry)]
    faults = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for entry, (fault, read) in zip(open_ones, pool.map(lambda one: CHECKS[kind](one, build), open_ones)):
            if fault:
                faults.append(fault)
            else:
                passed.add(entry, read, begin)
    passed.keep()
    print(f"{len(open_ones)} files checked, {len(entries) - len(open_ones)} unchanged since they passed")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def self_test():
    """A file is checked again exactly if something changed, and a fault is never remembered as passed."""
    with tempfile.TemporaryDirectory() as folder:
        header, source = pathlib.Path(folder, "a.h"), pathlib.Path(folder, "a.cpp")
        source.write_text('#include "a.h"\nint one() { return kOne; }\n', encoding="utf-8")

        def outcome(of_header, more=""):
            """Its verdict, and how many files it had to check."""
            for cached in (digest_of, modified, tool):
                cached.cache_clear()
            if not header.exists() or header.read_text(encoding="utf-8") != of_header:
                header.write_text(of_header, encoding="utf-8")
                time.sleep(0.05)  # clocks of file systems are coarse
            entry = {"file": str(source), "directory": folder, "command": f"c++ -c {source} -o a.o {more}"}
            pathlib.Path(folder, "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
            words = io.StringIO()
            with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
                verdict = check("compile", folder, [str(source)])
            return verdict, int(words.getvalue().split()[0])

        good, bad = "constexpr int kOne = 1;\n", "// nothing\n"
        assert outcome(bad) == (1, 1)
        assert outcome(bad) == (1, 1)
        assert outcome(good) == (0, 1)
        assert outcome(good) == (0, 0)
        assert outcome(good, "-DMORE") == (0, 1)
        assert outcome(bad, "-DMORE") == (1, 1)
        assert outcome(good, "-DMORE") == (0, 0)
        pathlib.Path(folder, "checked-compile.json").write_text("{", encoding="utf-8")
        assert outcome(good, "-DMORE") == (0, 1)


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    if len(sys.argv) < 4 or sys.argv[1] not in CHECKS:
        raise SystemExit(__doc__)
    sys.exit(check(sys.argv[1], sys.argv[2], sys.argv[3:]))
