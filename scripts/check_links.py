#!/usr/bin/env python3
"""Checks the links of every Markdown page in Git: the file must exist, and the page must have the heading that an
anchor names. The script does not check links to other servers.

Prints each broken link as file:line and exits with 1. `--self-test` checks that the script finds broken links.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

LINK = re.compile(r"\]\(([^()\s]+)\)")
FENCE = re.compile(r"^ {0,3}(```|~~~)")
HEADING = re.compile(r"^ {0,3}#{1,6} +(.*?)[ #]*$")


def prose(text):
    """Yields the lines outside of code blocks, with their numbers."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(text):
    """Returns the anchors of the page's headings, in the form that common hosting platforms use."""
    found = set()
    for _, line in prose(text):
        heading = HEADING.match(line)
        if not heading:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
        slug = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        count = 0
        while (slug if count == 0 else f"{slug}-{count}") in found:
            count += 1
        found.add(slug if count == 0 else f"{slug}-{count}")
    return found


def faults_of(root, page):
    text = (root / page).read_text()
    for number, line in prose(text):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            path, _, anchor = target.partition("#")
            at = (root / page).parent / path if path else root / page
            if not at.exists():
                yield f"{page}:{number}: there is no {path}"
            elif anchor and at.suffix == ".md" and anchor not in anchors(at.read_text()):
                yield f"{page}:{number}: {path or page} has no heading #{anchor}"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "other.md").write_text("# The `call` verb, in short\n\n```sh\n# not a heading\n```\n## Twice\n## Twice\n")
        good = ("[a](other.md) [b](other.md#the-call-verb-in-short) [c](other.md#twice-1) [d](https://example.org/x)\n"
                "# Here\n[e](#here) `[f](gone.md)`\n```\n[g](gone.md)\n```\n[![h](other.md)](other.md)\n")
        (root / "good.md").write_text(good)
        assert list(faults_of(root, "good.md")) == [], list(faults_of(root, "good.md"))
        for bad in ["[a](gone.md)", "[a](other.md#not-a-heading)", "[a](#nowhere)", "[![a](gone.png)](other.md)"]:
            (root / "bad.md").write_text(bad + "\n")
            assert list(faults_of(root, "bad.md")), f"not found: {bad}"


def main():
    if "--self-test" in sys.argv:
        return self_test()
    root = pathlib.Path.cwd()
    pages = subprocess.run(["git", "ls-files", "*.md"], check=True, capture_output=True, text=True).stdout.split("\n")
    faults = [fault for page in pages if page and (root / page).exists() for fault in faults_of(root, page)]
    print("\n".join(faults) if faults else "no broken links")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
