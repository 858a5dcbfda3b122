#!/usr/bin/env python3
"""Checks the direction of includes: a file may include files of its own folder and of lower layers (FLOORS), but no
files of higher layers or of other folders in the same layer.

Prints each wrong include and exits with 1. `--self-test` checks that the script finds wrong includes.
"""
import posixpath
import re
import subprocess
import sys

# The layers, from the lowest to the highest. Folders in the same line must not include each other.
FLOORS = [
    "base",
    "json sandbox metrics",
    "yaml",
    "config",  # below skill, which reports faults as config does, and below tool, whose flags config restricts
    "tool transport skill",
    "protocol store outbound",
    "identity",  # above store, which stores the keys
    "permission approval executor file task plugin upstream builtin webhook",
    "session checkout",  # checkout uses store, skill, and pins and processes of upstream; session restricts modes and folders of permission
    "router",
    "mcp rest admin",
    "app",
    "cli",  # the commands run the parts that app connects
    "main.cpp",
]
FLOOR = {folder: level for level, line in enumerate(FLOORS) for folder in line.split()}

# The layers of subfolders ("rooms") within a folder. "." means the files directly in the folder. If "." is missing, no
# file may be directly in the folder.
ROOMS = {
    "base": ["text", ".", "process"],
    "config": [".", "document key", "name", "reader", "change"],
    "tool": ["definition", "call", "provider"],
    "transport": [".", "http"],
    "store": ["sqlite", "part audit", "."],
    "app": [".", "core", "orders door", "serve"],  # "." has only the generated version.h
    "plugin": [
        "wire",
        "instance declared file services",
        "answer worker",  # worker is the worker's program; it uses only the folders below it
        "process",
        "serving",
        "lifecycle",
    ],
    "upstream": ["keeper connection", "confine", "stdio http", "oauth openapi", "pins provider", "call", "offer", "manager"],
    "permission": ["path rule", "shell", "decision"],
    "mcp": ["peer", "method", "http stdio"],
    "router": ["view live", "step", "toolkit", "dispatch"],
    "rest": ["wire", "route", "call session feed review catalog file describe webhook", "api"],
    "cli": ["output", "command", "access", "operate author client", "dev", "run"],
}
ROOM = {folder: {room: level for level, line in enumerate(lines) for room in line.split()} for folder, lines in ROOMS.items()}

# The layers of the console's modules. "." has main.js.
PAGE = "host/admin/page/"
PAGE_ROOMS = ["part", "server", "view", "."]

# The folders that may include the headers of each library of another project, so that a library can be replaced easily.
DOORS = {
    r"rapidjson/": ["json"],
    r"toml\+\+|toml\.hpp": ["config"],
    r"yaml-cpp/": ["yaml"],
    r"md4c\.h": ["skill"],
    r"CLI/": ["cli"],
    r"spdlog/": ["base"],
    r"pcre2\.h": ["json"],
    r"sqlite3\.h": ["store"],
    r"zlib\.h": ["store"],
    r"boost/beast": ["transport"],
    r"openssl/": ["transport", "identity", "base"],
    r"xxhash\.h": ["base"],
    r"seccomp\.h": ["sandbox"],
    r"boost/dll|dlfcn\.h": ["plugin", "outbound"],  # to load plugins; to load libcurl when it is first needed
    r"liboath/|qrencode\.h": ["identity"],
    r"backtrace\.h": ["plugin"],
    r"curl/": ["outbound"],
    r"regex$": [],  # std::regex overflows the stack on untrusted text
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
IMPORT = re.compile(r"^\s*(?:import|export)\b[^;]*?\bfrom\s*'([^']+)'", re.M)


def wrong_rooms(at, level, path, target):
    """Yields the faults of one include within a folder that has rooms."""
    here, there = (parts[0] if len(parts) > 1 else "." for parts in (path, target))
    for room in (here, there):
        if room not in level:
            yield f"{at}: {room} is no room in {__file__}"
            return
    if here != there and level[there] >= level[here]:
        yield f"{at}: the room {here} includes {'sideways to' if level[there] == level[here] else 'up to'} {'/'.join(target)}"


def faults_of(path, text):
    """Yields a line for each wrong include of one file."""
    parts = path.split("/")
    for match in INCLUDE.finditer(text):
        target = match.group(1)
        at = f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}"
        if parts[0] in ("sdk", "plugins"):
            if target.split("/")[0] in FLOOR and "/" in target:
                yield f"{at}: {parts[0]}/ includes <toolpost/...> alone, not {target}"
            continue
        here, there = parts[1], target.split("/")[0]
        if there == "toolpost" and here != "plugin":
            yield f"{at}: only host/plugin includes <toolpost/...>"
        for door, folders in DOORS.items():
            if re.match(door, target) and here not in folders:
                yield f"{at}: {target} belongs behind {' or '.join('host/' + f for f in folders) or 'no door'}"
        if here == there and here in ROOM:
            yield from wrong_rooms(at, ROOM[here], parts[2:], target.split("/")[1:])
        if "/" not in target or there not in FLOOR or there == here:
            continue
        if here not in FLOOR:
            yield f"{at}: host/{here} has no floor in {__file__}"
        elif FLOOR[there] >= FLOOR[here]:
            arrow = "sideways to" if FLOOR[there] == FLOOR[here] else "up to"
            yield f"{at}: {here} includes {arrow} {target}"


def faults_of_module(path, text):
    """Yields a line for each wrong import of one module of the console."""
    level = {room: number for number, room in enumerate(PAGE_ROOMS)}
    at = posixpath.dirname(path.removeprefix(PAGE)) or "."
    if at not in level:
        yield f"{path}: {at} is no room in {__file__}"
        return
    for match in IMPORT.finditer(text):
        there = posixpath.dirname(posixpath.normpath(posixpath.join(at, match.group(1)))) or "."
        if not match.group(1).startswith(".") or there not in level:
            yield f"{path}: {match.group(1)} is in no room of the console"
        elif level[there] > level[at]:
            yield f"{path}: the room {at} imports up to {match.group(1)}"


def self_test():
    bad = ['#include "skill/a.h"', '#include "router/a.h"', "#include <toolpost/plugin.h>", "#include <regex>"]
    good = ['#include "tool/call/a.h"', '#include "json/a.h"', "#include <vector>", "#include <boost/asio/post.hpp>"]
    assert all(list(faults_of("host/tool/call/x.cpp", line)) for line in bad)
    assert not any(list(faults_of("host/tool/call/x.cpp", line)) for line in good)
    assert list(faults_of("sdk/include/toolpost/x.h", '#include "json/json.h"'))
    assert not list(faults_of("host/plugin/wire/x.cpp", "#include <toolpost/plugin.h>"))
    assert list(faults_of("host/base/text/x.cpp", '#include "base/a.h"'))
    assert not list(faults_of("host/base/x.cpp", '#include "base/text/a.h"'))
    for line in ('#include "plugin/serving/a.h"', '#include "plugin/worker/a.h"', '#include "plugin/a.h"'):
        assert list(faults_of("host/plugin/answer/x.cpp", line))
    assert not list(faults_of("host/plugin/answer/x.cpp", '#include "plugin/instance/a.h"'))
    for path, line in (("part/x.js", "import { a } from '../view/y.js';"), ("part/x.js", "import {\n  a } from '../main.js';"),
                       ("part/x.js", "import { a } from 'y.js';"), ("other/x.js", "import { a } from './y.js';")):
        assert list(faults_of_module(PAGE + path, line))
    for path, line in (("view/x.js", "import { a } from '../part/y.js';"), ("main.js", "import { a } from './view/y.js';")):
        assert not list(faults_of_module(PAGE + path, line))


def main():
    if "--self-test" in sys.argv:
        return self_test()
    tracked = subprocess.run(["git", "ls-files", "host", "sdk", "plugins"], check=True, capture_output=True, text=True)
    faults = []
    for path in tracked.stdout.split():
        is_module = path.startswith(PAGE) and path.endswith(".js")
        if is_module or path.endswith((".h", ".hpp", ".c", ".cpp")):
            try:
                with open(path, encoding="utf-8") as file:
                    faults += (faults_of_module if is_module else faults_of)(path, file.read())
            except FileNotFoundError:
                continue  # the file was removed, but the removal is not committed
    print("\n".join(faults) or "the floors hold")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
