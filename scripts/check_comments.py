#!/usr/bin/env python3
"""Checks the layout of comments in C and C++ files.

A comment line may not be longer than the column limit of .clang-format, which does not wrap comments itself
(ReflowComments). In the C headers of sdk/include, each contract word (shape, units, returns, ...) begins a line. A
word occurs at most once in a comment, in the order of WORDS, and its text is aligned behind the word:

    /* Reads a file.
     * returns TP_OK; TP_E_INVALID if there is no such file,
     *         or TP_E_NOMEM.
     * thread  [any-thread] */

Prints each fault as file:line and exits with 1. `--self-test` checks that the script finds such faults.
"""
import pathlib
import re
import subprocess
import sys

FOLDERS = ["host", "sdk", "plugins", "tests", "bench"]
WORDS = ["shape", "units", "returns", "answer", "owner", "thread", "source"]
INDENT = max(map(len, WORDS)) + 1

# Strings and character literals come first, because a // in a literal does not begin a comment.
TOKEN = re.compile(
    r'R"(?P<end>[^()\\\s]{0,16})\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)", re.DOTALL)
CONTRACT = re.compile(rf"(?:{'|'.join(WORDS)})(?= |$)")
# A contract word within a line: after the end of a sentence, or before the spaces or the tag that follow such a word.
GLUED = re.compile(rf"[.;)\]] (?:{'|'.join(WORDS)})(?: |$)|(?<=\S) (?:{'|'.join(WORDS)})(?:  | \[)")


def comments(text):
    """Yields the number of the first line and the text of each comment."""
    for match in TOKEN.finditer(text):
        if match.group("comment"):
            yield text.count("\n", 0, match.start()) + 1, match.group("comment")


def without_marks(comment):
    """Returns the lines of a comment without /*, * and */. Aligned text stays aligned."""
    lines = comment.removesuffix("*/").split("\n")
    return [re.sub(r"^(?:\s*\*(?!/) ?|/\*\*? ?|// ?)", "", line).rstrip() for line in lines]


def faults_of_contract(lines):
    """Yields each fault of a comment that can contain a contract, with the index of the line."""
    last = None  # the last contract word; None: the line is not part of a contract
    for index, line in enumerate(lines):
        glued = GLUED.search(line)
        if glued:
            yield index, f'"{glued.group().strip(" .;)[]")}" must begin a line of its own'
        word = CONTRACT.match(line)
        if not line:
            last = None
        elif word:
            if len(line) > INDENT and (line[INDENT - 1] != " " or line[INDENT] == " "):
                yield index, f'the text of "{word.group()}" must begin after {INDENT} columns'
            if last is not None and WORDS.index(word.group()) <= WORDS.index(last):
                yield index, f'"{word.group()}" {"is there twice" if word.group() == last else f"belongs before {last}"}'
            last = word.group()
        elif last is not None and not re.match(rf" {{{INDENT}}}", line):
            yield index, f'this line continues "{last}": align it after {INDENT} columns'


def faults_of(path, text, columns):
    lines = text.split("\n")
    has_contracts = path.startswith("sdk/include/") and path.endswith(".h")
    for first, comment in comments(text):
        for number in range(first, first + comment.count("\n") + 1):
            if len(lines[number - 1]) > columns:
                yield f"{path}:{number}: a comment line has {len(lines[number - 1])} columns, at most {columns} are allowed"
        if has_contracts and comment.startswith("/*"):
            for index, fault in faults_of_contract(without_marks(comment)):
                yield f"{path}:{first + index}: {fault}"


def self_test():
    def found(path, text):
        return list(faults_of(path, text, 100))

    header = "sdk/include/toolpost/ext/x.h"
    contract = ("/* Reads a file.\n * returns TP_OK; TP_E_INVALID if there is\n *         none.\n"
                " *\n * A file returns to its owner. The thread\n * that reads it is not told.\n"
                " * owner   bytes are borrowed.\n * thread  [call] never twice. */\n")
    good = [contract, contract.replace("\n *", "\n   *").replace("/*", "  /*"), "int thread; /* the thread */\n",
            'const char* s = "/* a. returns b */";\n', "/* [call] in a call. */\n",
            'auto s = R"(' + "x" * 200 + ' // y)";\n', "int grown = 1'000'000; /* one. */\n"]
    for text in good:
        assert not found(header, text), (text, found(header, text))
    bad = ["/* Reads. returns TP_OK. */\n", "/* Reads.\n * returns TP_OK. owner   the caller.\n * thread  [call] */\n",
           "/* shape   an id\n * of a file.\n * thread  [call] */\n", "/* Reads.\n * thread [call] */\n",
           "/* Reads.\n * thread  [call]\n * owner   the caller. */\n", "/* Reads; the end. thread\n * [call] */\n",
           "/* Reads a file thread  [call] */\n", "/* returns TP_OK.\n * returns TP_E_BUSY. */\n",
           "int a; /* " + "x" * 100 + " */\n", "// " + "x" * 100 + "\n", "/* short\n * " + "x" * 100 + " */\n"]
    for text in bad:
        assert found(header, text), f"not found: {text}"
    assert found("host/x.cpp", bad[-2]) and not found("host/x.cpp", bad[0])
    assert found("host/x.cpp", "char c = '\"';\n// " + "x" * 100 + "\n")


def main():
    if "--self-test" in sys.argv:
        return self_test()
    columns = int(re.search(r"^ColumnLimit: (\d+)$", pathlib.Path(".clang-format").read_text(), re.MULTILINE).group(1))
    tracked = subprocess.run(["git", "ls-files", *FOLDERS], check=True, capture_output=True, text=True).stdout.split("\n")
    paths = [path for path in tracked if path.endswith((".h", ".hpp", ".ipp", ".c", ".cpp"))]
    faults = []
    for path in map(pathlib.Path, paths):
        if path.exists():  # false: the file was removed, but the removal is not committed
            faults += faults_of(str(path), path.read_text(encoding="utf-8"), columns)
    print("\n".join(faults) if faults else "all comments have the right layout")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
