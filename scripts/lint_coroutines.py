#!/usr/bin/env python3
"""Finds coroutine code that g++ 12 miscompiles or rejects.

The rule: a co_await must be a whole statement or the whole initialiser of a named variable. The script finds a co_await
  - in the condition of if, while, switch or for (except as the initialiser of a variable that is declared there),
  - as an operand of ?:,
  - inside a braced temporary, or in the same statement as a braced temporary,
  - in the same statement as a lambda with captures.
It also finds a lambda with captures that is a coroutine and is called at once: its captures are destroyed before it ends.

Usage: lint_coroutines.py FILE...   (without FILE: every file of host/, sdk/, plugins/, tests/ and bench/ that Git does
not ignore, also files that are not added yet)
"""
import re
import subprocess
import sys

TOKEN = re.compile(
    r"""(?P<skip>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*|\s+)
      |(?P<raw>(?:u8|[uUL])?R"(?P<delim>[^()\s\\]*)\(.*?\)(?P=delim)")
      |(?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      |(?P<word>[A-Za-z_]\w*|\d(?:[\w.]|'\w|[eEpP][+-])*)
      |(?P<sign>->|::|[^\w\s])""",
    re.X | re.S | re.M,
)
PAIRS = {"(": ")", "[": "]", "{": "}"}
CONDITIONS = ("if", "while", "switch", "for")


class Source:
    """The tokens of one file, the matching brackets, and the braces that contain statements."""

    def __init__(self, text):
        self.tokens, self.lines = [], []
        line, last = 1, 0
        for match in TOKEN.finditer(text):
            line += text.count("\n", last, match.start())
            last = match.start()
            if match.lastgroup == "skip":
                continue
            kind = match.lastgroup
            self.tokens.append('""' if kind in ("raw", "text", "delim") else match.group())
            self.lines.append(line)
        self.partner, self.parent = {}, []
        stack = []
        for i, token in enumerate(self.tokens):
            if token in PAIRS.values() and stack and PAIRS[self.tokens[stack[-1]]] == token:
                self.partner[i] = stack[-1]
                self.partner[stack.pop()] = i
            self.parent.append(stack[-1] if stack else None)
            if token in PAIRS:
                stack.append(i)

    def at(self, i):
        return self.tokens[i] if 0 <= i < len(self.tokens) else ""

    def is_lambda(self, i):
        """Returns whether the capture list of a lambda begins at token i."""
        if self.at(i) != "[" or i not in self.partner:
            return False
        before = self.at(i - 1)
        if before == "[" or self.at(i + 1) == "[":  # an attribute
            return False
        follows = self.at(self.partner[i] + 1) in ("(", "{", "<")
        return follows and (not re.match(r"[\w)\]\"]", before) or before in ("return", "co_return", "co_await"))

    def captures(self, i):
        return self.partner[i] > i + 1

    def lambda_body(self, i):
        """Returns the opening brace of the body of the lambda whose capture list begins at token i, or None."""
        j = self.partner[i] + 1
        while self.at(j) not in ("{", ";", ""):
            j = self.partner.get(j, j) + 1 if self.at(j) in "([" else j + 1
        return j if self.at(j) == "{" else None

    def is_block(self, i):
        """Returns whether the brace at token i contains statements or members, not an initialiser."""
        before = self.at(i - 1)
        if before in ("", ";", "{", "}", ")", ":", "else", "do", "try", "noexcept", "const", "override", "mutable", "final"):
            # A brace after `)` counts as the beginning of a body, although it is none in an element such as `(a){`. A brace
            # directly after another brace is of the same kind as that brace.
            if before == "{":
                return self.is_block(i - 1)
            return True
        j = i - 1
        while j >= 0 and self.tokens[j] not in (";", "{", "}", "(", "="):
            if self.tokens[j] in (")", "]"):
                j = self.partner.get(j, j)
            elif self.tokens[j] == "->" and re.match(r"\)|mutable|noexcept|\]", self.at(j - 1)):
                return self.is_return_type(j + 1, i)
            elif self.tokens[j] in ("namespace", "class", "struct", "union", "enum", "extern"):
                return True
            j -= 1
        return False

    def is_return_type(self, first, last):
        return all(re.match(r"[\w:<>,*&()]|::", t) for t in self.tokens[first:last])


def faults_of(text):
    """Returns (line, message) for each fault, in the order of the lines."""
    source = Source(text)
    found = set()
    for i, token in enumerate(source.tokens):
        if token == "co_await" and source.at(i - 1) != "operator":
            found |= {(source.lines[i], what) for what in faults_of_await(source, i)}
        if source.is_lambda(i) and source.captures(i):
            body = source.lambda_body(i)
            if body is None or body not in source.partner:
                continue
            end = source.partner[body]
            inside = source.tokens[body:end]
            if source.at(end + 1) == "(" and ("co_await" in inside or "co_return" in inside):
                found.add((source.lines[i], "a capturing lambda is a coroutine and called in place"))
    return sorted(found)


def faults_of_await(source, i):
    first, last, level = i, i, i
    while True:  # outward, bracket by bracket, to the block that contains the statement
        group = source.parent[level]
        first, last = span_of(source, level, group)
        if any(source.at(j) == "?" for j in direct(source, first, last)):
            yield "co_await in an operand of ?:"
        if group is None:
            break
        if source.at(group) == "{":
            if source.is_block(group):
                break
            yield "co_await inside braces"
        elif source.at(group) == "(" and head_of(source, group) in CONDITIONS:
            declares = level == i and source.at(i - 1) == "="
            if not declares:
                yield f"co_await in the condition of {head_of(source, group)}"
            break
        level = group
    j = first
    while j <= last:  # search the rest of this full expression
        if source.is_lambda(j):
            if source.captures(j):
                yield "a capturing lambda in one statement with co_await"
            body = source.lambda_body(j)
            j = source.partner.get(body, j) if body else source.partner[j]
        elif source.at(j) == "{":
            if source.is_block(j) and source.parent[j] == group:
                return  # this brace is the block of the statement
            yield "a braced temporary in one statement with co_await"
            j = source.partner.get(j, j)
        j += 1


def head_of(source, paren):
    before = source.at(paren - 1)
    return source.at(paren - 2) if before == "constexpr" else before


def span_of(source, i, group):
    """Returns the first and the last token of the statement, directly within `group`."""
    stop = len(source.tokens) if group is None else source.partner.get(group, len(source.tokens))
    in_block = group is None or (source.at(group) == "{" and source.is_block(group))
    first = i
    while first - 1 > (-1 if group is None else group):
        before = source.at(first - 1)
        if in_block and before in (";", ":") and not (before == ":" and "?" in source.tokens[max(0, first - 40) : first]):
            break
        if before == "}" and in_block and source.is_block(source.partner.get(first - 1, 0)) and not is_lambda_end(source, first - 1):
            break
        first = source.partner[first - 1] if before in ")]}" and first - 1 in source.partner else first - 1
    last = i
    while last + 1 < stop and not (in_block and source.at(last) == ";"):
        last = source.partner[last] + 1 if source.at(last) in PAIRS and last in source.partner else last + 1
    return first, min(last, stop - 1)


def is_lambda_end(source, brace):
    opening = source.partner.get(brace)
    j = opening - 1 if opening is not None else -1
    while j >= 0 and source.at(j) not in (";", "{", "}"):
        if source.is_lambda(j):
            return source.lambda_body(j) == opening
        j = source.partner[j] - 0 if source.at(j) in ")]" and j in source.partner else j
        if source.is_lambda(j):
            return source.lambda_body(j) == opening
        j -= 1
    return False


def direct(source, first, last):
    """Yields the indices of the tokens from first to last that are in no inner bracket."""
    j = first
    while j <= last:
        yield j
        j = source.partner.get(j, j) + 1 if source.at(j) in PAIRS else j + 1


def main():
    paths = sys.argv[1:]
    if not paths:
        folders = ["host", "sdk", "plugins", "tests", "bench"]
        listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders]
        listed = subprocess.run(listing, check=True, capture_output=True, text=True)
        paths = [p for p in sorted(set(listed.stdout.split())) if p.endswith((".h", ".hpp", ".cpp"))]
    faults = 0
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            continue  # the file was removed, but the removal is not committed
        if "co_" not in text:
            continue
        for line, what in faults_of(text):
            faults += 1
            print(f"{path}:{line}: {what}: name it first, then co_await")
    print(f"{faults} faults" if faults else "no coroutine faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
