#!/usr/bin/env python3
"""Writes the pages of docs/reference/ that can be generated from the code.

    scripts/reference.py [PART...]          writes these pages: cli rest configuration (default: all three)
    scripts/reference.py --check [PART...]  writes no page; exits with 1 if a page is out of date

cli            the page is made from the help of build/dev/toolpost (or of the build folder that TP_BUILD names)
rest           the tables of routes and of problem types are made from host/rest/; each route must have its own section
configuration  the page is made from config.toml
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs/reference"
MADE = "<!-- Made by scripts/reference.py: do not edit. -->\n"


# ---- cli: the help of every command

def help_of(words):
    binary = pathlib.Path(os.environ.get("TP_BUILD", ROOT / "build/dev")) / "toolpost"
    done = subprocess.run([binary, *words, "--help"], capture_output=True, text=True, check=True)
    return re.sub(r"[ \t]+\n", "\n", done.stdout).strip("\n")


def subcommands(text):
    block = re.search(r"^Subcommands:\n((?:[ ]+.*\n?)*)", text, re.M)
    return re.findall(r"^  (\S+)", block.group(1), re.M) if block else []


def verbs(words=()):
    """Yields (words, help) for each command. A command comes before its subcommands."""
    text = help_of(words)
    yield words, text
    for name in subcommands(text):
        yield from verbs((*words, name))


def cli_page():
    out = [MADE, "# Command line\n", "This page has the help of every command, as `toolpost COMMAND --help` prints it. With `--json`, commands",
           "print JSON. If a command with `--json` fails, it prints `{\"error\": {\"kind\", \"message\"}}` on standard\n"
           "output, with `diagnostics` if the configuration is not valid. The failed command also prints the error\n"
           "as text on standard error. With `--json`, the exit code is the same as without `--json`. If the command\n"
           "line itself is not valid (exit code 2), the command prints the error only as text.\n"
           "[config.toml](../../config.toml) explains the settings that the commands read.\n"]
    for words, text in verbs():
        if words:  # only the help of `toolpost` itself keeps the exit codes
            text = re.sub(r"\n\nExit codes:.*", "", text)
        out += [f"## {' '.join(('toolpost', *words))}\n", "```text", text, "```\n"]
    return "\n".join(out)


# ---- rest: the script writes the table of routes between two marks; the sections are written by hand

ROUTE = re.compile(r'^\s*Route\{\s*"(?P<path>/v1/[^"]*)",\s*"(?P<method>[A-Z]+)",\s*Scope::(?P<scope>\w+),\s*&\w+::\w+'
                   r'(,\s*(?:Scope|identity)::(?P<instead>\w+))?', re.M)
PROBLEM = re.compile(r'ProblemType\{\s*Problem::\w+,\s*(?P<status>\d+),\s*"(?P<name>[a-z-]+)",\s*"(?P<title>[^"]+)",'
                     r'\s*(?P<meaning>(?:"(?:[^"\\]|\\.)*"\s*)+)\}')
BEGIN, END = "<!-- routes: made by scripts/reference.py -->\n", "<!-- end of routes -->"


PROBLEMS, END_PROBLEMS = "<!-- problem types: made by scripts/reference.py -->\n", "<!-- end of problem types -->"


METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def named(path):
    """Returns the path with a name instead of each `*`: {id} for a single `*`, {session} and {request} for two."""
    if path.count("*") < 2:
        return path.replace("*", "{id}")
    for name in ("{session}", "{request}"):
        path = path.replace("*", name, 1)
    return path


def scopes(route):
    """Returns the scopes of which a client needs one, as Markdown within backquotes: call` or `admin."""
    if route["instead"] == "kEveryScope":
        return "call` or `approve` or `admin"
    return "` or `".join(m.lower() for m in (route["scope"], route["instead"]) if m)


def routes():
    texts = [header.read_text() for header in sorted((ROOT / "host/rest").rglob("*.h"))]
    found = [(m["method"], named(m["path"]), scopes(m)) for text in texts for m in ROUTE.finditer(text)]
    if len(found) < 10:
        sys.exit("reference: host/rest has no tables of routes that this script can read")
    return sorted(found, key=lambda route: (route[1], METHODS.index(route[0])))


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def rest_page():
    page = (PAGES / "rest.md").read_text()
    rows = ["| route | scope |", "| --- | --- |"]
    for method, path, scope in routes():
        rows.append(f"| [`{method} {path}`](#{anchor(f'{method} {path}')}) | `{scope}` |")
    return filled(filled(page, BEGIN, rows, END), PROBLEMS, problems(), END_PROBLEMS)


def problems():
    """Returns the lines of the table of problem types, from host/transport/http/problem.cpp."""
    text = (ROOT / "host/transport/http/problem.cpp").read_text()
    found = [(m["status"], m["name"], "".join(re.findall(r'"([^"]*)"', m["meaning"]))) for m in PROBLEM.finditer(text)]
    if len(found) != len(re.findall(r"ProblemType\{\s*Problem::", text)):
        sys.exit("reference: host/transport/http/problem.cpp has rows that this script cannot read")
    return ["| status | `type` | meaning |", "| --- | --- | --- |"] + [
        f"| {status} | `/v1/problems/{name}` | {meaning} |" for status, name, meaning in found]


def filled(page, begin, rows, end):
    """Returns the page with `rows` between the marks `begin` and `end`."""
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return before + begin + "\n" + "\n".join(rows) + "\n\n" + end + after


def missing_sections(page):
    """Returns a line for each route without a section, and for each section whose route does not exist."""
    known = {f"{method} {path}" for method, path, _ in routes()}
    told = set(re.findall(r"^### ((?:GET|POST|PUT|DELETE|PATCH) /v1/\S+)$", page, re.M))
    told -= {name for name in told if name.split(" ")[1] == "/v1/login"}  # the console serves it, so it is not in the table
    return [f"docs/reference/rest.md: no section ### {name}" for name in sorted(known - told)] + \
           [f"docs/reference/rest.md: ### {name} is no route" for name in sorted(told - known)]


# ---- configuration: sections of config.toml as tables

KEY = re.compile(r"^(#?)([a-z_]+) = (.*)$")
EXAMPLE = re.compile(r"^# Example: ([a-z_]+) = (.*)$")
SECTION = re.compile(r"^(#?)(\[\[?[A-Za-z_.]+\]\]?)$")
PART = re.compile(r"^# ---- (.*?) ?-*$")


def cell(text):
    return text.replace("|", "\\|")


class Section:
    def __init__(self, title):
        self.title = title
        self.note = []  # the comments directly below the heading, before a blank line or a key
        self.rows = []  # each row is ([(key, default)], text, [examples])

    def table(self):
        out = ["| key | default | meaning |", "| --- | --- | --- |"]
        for keys, text, examples in self.rows:
            if not text:
                sys.exit(f"reference: config.toml says nothing about {keys[0][0]} in {self.title}")
            names = "<br>".join(f"`{key}`" for key, _ in keys)
            values = "<br>".join("unset" if value is None else f"`{cell(value)}`" for _, value in keys)
            shown = "".join(f" Example: `{cell(example)}`." for example in examples)
            out.append(f"| {names} | {values} | {cell(' '.join(text))}{shown} |")
        return out


def read_sections(text):
    """Returns the parts of config.toml: the texts of `# ----` lines, and the sections."""
    parts, section, comment, fresh = [], None, [], False
    for line in text.splitlines():
        if (match := PART.match(line)):
            parts.append("## " + match.group(1).rstrip(" -") + "\n\n")
            comment, section = [], None
        elif (match := SECTION.match(line)):
            section = Section(match.group(2))
            section.note = comment if match.group(1) else []
            parts.append(section)
            comment, fresh = [], True
        elif section is not None and (match := EXAMPLE.match(line)):
            key, value = match.groups()
            row = next(row for row in section.rows if any(name == key for name, _ in row[0]))
            row[2].append(f"{key} = {value}")
        elif section is not None and (match := KEY.match(line)):
            hidden, key, value = match.groups()
            if comment or not section.rows or fresh:
                section.rows.append(([], comment, []))
            section.rows[-1][0].append((key, None if hidden else value))
            if hidden:
                section.rows[-1][2].append(f"{key} = {value}")
            comment, fresh = [], False
        elif line.startswith("# "):
            comment = [*comment, line[2:].strip()]
        elif not line:
            if comment and isinstance(parts[-1] if parts else None, str):
                parts[-1] += " ".join(comment)
            comment = []
    return parts


def configuration_page():
    out = [MADE, "# Configuration reference\n", "Every key of [config.toml](../../config.toml), from that file.",
           "[Configuration](../operate/configuration.md) explains where the file is and how to check it.\n"]
    level = "##"
    for part in read_sections((ROOT / "config.toml").read_text()):
        if isinstance(part, str):
            out += [part + "\n"]
            level = "###"
            continue
        if not part.rows:
            continue
        out += [f"{level} {part.title}\n", *([" ".join(part.note) + "\n"] if part.note else []), *part.table(), ""]
    return "\n".join(out)


MAKERS = {"cli": cli_page, "rest": rest_page, "configuration": configuration_page}


def main(arguments):
    check = "--check" in arguments
    wanted = [word for word in arguments if word != "--check"] or list(MAKERS)
    if any(word not in MAKERS for word in wanted):
        sys.exit(__doc__)
    faults = []
    for name in wanted:
        page, text = PAGES / f"{name}.md", MAKERS[name]()
        if not check:
            page.write_text(text)
        elif not page.exists() or page.read_text() != text:
            faults.append(f"docs/reference/{name}.md is out of date: run scripts/reference.py {name}")
    if "rest" in wanted:
        faults += missing_sections((PAGES / "rest.md").read_text())
    print("\n".join(faults) if faults else "the reference is current")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
