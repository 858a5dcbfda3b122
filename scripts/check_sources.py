#!/usr/bin/env python3
"""Checks source files, and keeps no object files.

    scripts/check_sources.py compile BUILD FILE...   checks that each file compiles alone. All builds except dev compile
                                                     several files as one, so a missing include is not noticed there.
    scripts/check_sources.py clang BUILD FILE...     checks the same with clang, which has more warnings about what a file
                                                     does not use
    scripts/check_sources.py tidy BUILD FILE...      checks that clang-tidy has no warning about the files. clang-tidy reads
                                                     up to 16 files as one (a lump), so that it reads their headers only
                                                     once.
    scripts/check_sources.py headers FILE...         checks that each header of the SDK compiles alone, in each language
                                                     that the header supports: with g++ and clang, or in detail/ with g++.
                                                     clang compiles the headers in detail/ where others include them.

BUILD is a folder with compile_commands.json. The script skips a FILE that compile_commands.json does not name. If a
file has passed, the script checks it again only after a change of the file, of a header that it includes, of its
compiler command or of the checking tool. The same is true of the files that clang-tidy reads as one. ccache runs this
script like a compiler and stores the results, so all clones on this machine share them. ccache does not notice a new
header that hides a header further down the include path. CCACHE_RECACHE=1 checks everything again.
"""
import collections
import concurrent.futures
import contextlib
import functools
import hashlib
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEEDLESS = {"-c", "-MD", "-g", "-g1", "-O1", "-O2"}
WITH_VALUE = {"-o", "-MF", "-MT"}
TIDY = ["clang-tidy", "-quiet", f"--config-file={ROOT / '.clang-tidy'}"]
CLANG = ["-Wno-unknown-warning-option", "-Wno-ambiguous-reversed-operator"]  # see cmake/warnings.cmake
LUMP = 16  # files that clang-tidy reads as one
# Files that this script writes, at places that stay: ccache counts the path.
HEADERS = ROOT / "build/headers"  # a program for each header
LUMPS = ROOT / "build/tidy"
LANGUAGES = {".h": (("c", "c11"), ("cpp", "c++20"))}

# A file to check: `name` is for people, `command` compiles it in `directory`.
Job = collections.namedtuple("Job", "name file directory command")


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


def digest_of(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def said_by(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


@functools.lru_cache(maxsize=None)
def tool(kind, compiler):
    """What the verdict depends on besides the command and the files: this script, and the program that gives it."""
    if kind == "tidy":
        return " ".join([kind, digest_of(__file__), digest_of(ROOT / ".clang-tidy"), said_by("clang-tidy", "--version")])
    program = said_by(compiler, "-print-prog-name=cc1plus")
    if not os.path.isabs(program):  # clang compiles by itself
        program = shutil.which(compiler)
    return " ".join([kind, compiler, digest_of(__file__), digest_of(program), said_by(compiler, "--version")])


def as_compiler(words):
    """What ccache runs where it knows no verdict: `words` are those of a compiler. Passed is an output of one word."""
    kind, compiler, source, ran = json.loads(os.environ["TOOLPOST_CHECK"])
    pathlib.Path(ran).touch()
    output = words[words.index("-o") + 1]
    words = [word for at, word in enumerate(words) if word not in ("-o", "-c") and words[at - 1] != "-o"]
    if kind == "tidy":
        done = subprocess.run([*TIDY, f"--header-filter={checked_in(source)}", source, "--", *words], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            print(done.stdout or f"{source}: clang-tidy failed: {done.stderr}", file=sys.stderr)
            return 1
        words.append("-M")  # which writes the list of headers alone
    else:
        words.append("-fsyntax-only")
    done = subprocess.run([compiler, *words], check=False)
    if done.returncode == 0:
        pathlib.Path(output).write_text("passed\n", encoding="utf-8")
    return done.returncode


def check_one(kind, job, folder, number):
    """What the tool says if it fails, and whether it had to be asked."""
    compiler, *words = job.command
    ran = folder / f"{number}.ran"
    environment = os.environ | {
        "TOOLPOST_CHECK": json.dumps([kind, compiler, job.file, str(ran)]),
        "CCACHE_COMPILERCHECK": "string:" + tool(kind, compiler), "CCACHE_COMPILERTYPE": "gcc",
        "CCACHE_DIRECT": "1", "CCACHE_DEPEND": "1", "CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}
    if not shutil.which("ccache"):
        raise SystemExit("check_sources: ccache is missing: scripts/bootstrap installs it")
    done = subprocess.run(["ccache", __file__, *words, "-c", "-MD", "-MF", folder / f"{number}.d", "-MT", "verdict", "-o",
                           folder / f"{number}.o"], cwd=job.directory, env=environment, capture_output=True, text=True,
                          check=False)
    fault = "" if done.returncode == 0 else f"check: {job.name} fails\n{done.stdout}{done.stderr}"
    return fault, ran.exists()


def sources(build, files):
    """Of those that the build compiles."""
    entries = json.loads((pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8"))
    wanted = {str(ROOT / file) for file in files}
    jobs = [Job(os.path.relpath(entry["file"], ROOT), entry["file"], entry["directory"], command_for(entry))
            for entry in entries if entry["file"] in wanted]
    if not jobs:
        raise SystemExit(f"check_sources: {build} compiles none of these")
    return jobs


def lumps(jobs):
    """The jobs, in which up to LUMP files with the same options are one file that includes them."""
    alike = collections.defaultdict(list)
    for job in jobs:
        options = tuple(word for word in job.command if word != job.file)
        alike[options, job.directory].append(job)
    for (options, directory), group in alike.items():
        group.sort()
        count = -(-len(group) // LUMP)
        for part in range(count):
            members = group[part * len(group) // count:(part + 1) * len(group) // count]
            # clang-tidy has a warning about the inclusion of a source file.
            text = "".join(f'#include "{os.path.relpath(one.file, LUMPS)}"  // NOLINT\n' for one in members)
            name = hashlib.sha256(text.encode()).hexdigest()[:16]  # the text of a lump never changes
            lump = LUMPS / f"{name}{pathlib.Path(members[0].name).suffix}"
            write(lump, text)
            # In a lump, clang warns about equal names in different source files.
            yield Job(f"{members[0].name} to {members[-1].name}", str(lump), directory,
                      [*options, *CLANG, "-Wno-shadow", str(lump)])


def checked_in(lump):
    """For clang-tidy, the files of a lump are headers. The result is a pattern of those about which clang-tidy tells."""
    members = re.findall(r'^#include "(?:\.\./)*(.*)"', pathlib.Path(lump).read_text(encoding="utf-8"), re.M)
    return "/(host|plugins)/|/(" + "|".join(map(re.escape, members)) + ")$"


def with_clang(jobs):
    """The same jobs with clang, which has more warnings about what a file does not use."""
    return [job._replace(command=["clang++" if job.file.endswith(".cpp") else "clang", *job.command[1:], *CLANG])
            for job in jobs]


def write(file, text):
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        written = file.with_name(f"{file.name}.{os.getpid()}")
        written.write_text(text, encoding="utf-8")
        os.utime(written, (0, 0))  # ccache does not rely on files that have just been written
        written.replace(file)  # another run never reads a part of the text


def headers(files):
    """A program that includes no more than the header, for each compiler and language."""
    for file in files:
        name = pathlib.Path(file).relative_to("sdk/include")
        for ending, standard in LANGUAGES.get(name.suffix, (("cpp", "c++20"),)):
            program = HEADERS / f"{name}.{ending}"
            write(program, f"#include <{name}>\nint main(void) {{ return 0; }}\n")
            for compiler in ("gcc",) if "detail" in name.parts else ("gcc", "clang"):
                if shutil.which(compiler):
                    yield Job(f"{file} alone as {standard} ({compiler})", str(program), str(ROOT),
                              [compiler, f"-std={standard}", "-Isdk/include", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                               str(program.relative_to(ROOT))])


def check(kind, jobs):
    faults, checked = [], 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        numbered = list(enumerate(jobs))
        for fault, ran in pool.map(lambda it: check_one(kind, it[1], pathlib.Path(name), it[0]), numbered):
            checked += ran
            if fault:
                faults.append(fault)
    print(f"{checked} checked by {kind}, {len(numbered) - checked} unchanged since they passed")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def self_test():
    """A file is checked again exactly if something changed, and a fault is never remembered as passed."""
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as folder:
        os.environ["CCACHE_DIR"] = cache
        header, source = pathlib.Path(folder, "a.h"), pathlib.Path(folder, "a.cpp")

        def outcome(of_header, more="", kind="compile"):
            """Its verdict, and how many files it had to check."""
            write(header, of_header)
            job = Job("a.cpp", str(source), folder, ["c++", str(source), *more.split()])
            words = io.StringIO()
            with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
                verdict = check(kind, [job])
            return verdict, int(words.getvalue().split()[0])

        write(source, '#include "a.h"\nint one() { return kOne; }\n')
        good, bad = "constexpr int kOne = 1;\n", "// nothing\n"
        assert outcome(bad) == (1, 1)
        assert outcome(bad) == (1, 1)
        assert outcome(good) == (0, 1)
        assert outcome(good) == (0, 0)
        assert outcome(good, "-DMORE") == (0, 1)
        assert outcome(bad, "-DMORE") == (1, 1)
        assert outcome(good, "-DMORE") == (0, 0)
        write(source, '#include "a.h"\nint two() { return kOne; }\n')
        assert outcome(good) == (0, 1)
        os.environ["CCACHE_RECACHE"] = "1"
        assert outcome(good) == (0, 1)
        del os.environ["CCACHE_RECACHE"]
        second = pathlib.Path(folder, "b.cpp")
        both = [Job(file.name, str(file), folder, ["c++", str(file)]) for file in (source, second)]
        write(second, "class Fine {};\n")
        assert tidied(both, folder) == 0
        write(second, "class bad_name {};\n")
        assert tidied(both, folder) == 1
        write(second, "class Fine {};\n")
        assert tidied(both, folder) == 0
        write(second, "namespace { constexpr int kUnused = 1; }\n")
        strict = [job._replace(command=[*job.command, "-Wall", "-Werror"]) for job in both]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert check("compile", with_clang(strict)) == 1


def tidied(jobs, folder):
    """The verdict of clang-tidy, with lumps in the folder."""
    global LUMPS  # pylint: disable=global-statement
    LUMPS, kept = pathlib.Path(folder), LUMPS
    words = io.StringIO()
    with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
        status = check("tidy", list(lumps(jobs)))
    LUMPS = kept
    return status


def main():
    if "TOOLPOST_CHECK" in os.environ:
        return as_compiler(sys.argv[1:])
    kind, *words = sys.argv[1:] or [""]
    if kind == "--self-test" and not words:
        return self_test()
    if kind == "headers" and words:
        return check(kind, headers(words))
    if kind not in ("compile", "clang", "tidy") or len(words) < 2:
        raise SystemExit(__doc__)
    build, *files = words
    jobs = sources(build, files)
    if kind == "tidy":
        return check("tidy", list(lumps(jobs)))
    return check("compile", with_clang(jobs) if kind == "clang" else jobs)


if __name__ == "__main__":
    sys.exit(main())
