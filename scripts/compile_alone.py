#!/usr/bin/env python3
"""Compiles source files one by one and keeps nothing. All builds but dev put several files into one, where a file can use
what the file before it includes.

    scripts/compile_alone.py BUILD FILE...   BUILD has compile_commands.json; a FILE that is not in there is passed over
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEEDLESS = {"-c", "-MD", "-g", "-g1", "-O1", "-O2"}
WITH_VALUE = {"-o", "-MF", "-MT"}


def command_for(entry):
    """Without what only a compiler that keeps its output needs."""
    words = iter(shlex.split(entry["command"]))
    kept = []
    for word in words:
        if word in WITH_VALUE:
            next(words)
        elif word not in NEEDLESS and not word.endswith("ccache"):
            kept.append(word)
    return [*kept, "-fsyntax-only"]


def fault_of(entry):
    done = subprocess.run(command_for(entry), cwd=entry["directory"], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode != 0 else ""


def main(build, files):
    entries = json.loads((pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8"))
    wanted = {str(ROOT / file) for file in files}
    entries = [entry for entry in entries if entry["file"] in wanted]
    if not entries:
        raise SystemExit(f"compile_alone: {build} compiles none of these")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [fault for fault in pool.map(fault_of, entries) if fault]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
