#!/usr/bin/env python3
"""Checks that names in unnamed namespaces are unique: no two files of host/, and no two files of a folder of tests/unit/,
may define the same name in the unnamed namespaces of one namespace. Functions with the same name and different parameters
are allowed.

All builds except dev compile several files as one, where a duplicate name is an error, or calls the wrong one of two
overloads. Which files are compiled together changes when a file is added, so an error can appear months later. Prints
each duplicate and exits with 1. `--self-test` checks that the script finds duplicates.
"""
import collections
import itertools
import re
import subprocess
import sys

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  $", re.S | re.M)
TYPE = re.compile(r"(?:struct|class|union|enum(?: class)?|concept) (\w+)")
ALIAS = re.compile(r"using (\w+) = (.*)|using (.*?(\w+))$", re.S)
VARIABLE = re.compile(r"[^(=]*?(\w+)(?:\[[^\]]*\])*\s*(?:=.*)?$", re.S)
FUNCTION = re.compile(r"[^(]*?(\w+)\((.*)\)[^()]*$", re.S)
BEFORE = re.compile(r"\A(?:template <.*?>\n|\[\[.*?\]\] ?|(?:static|inline|constexpr|thread_local) )+", re.S)
PARAMETER_NAME = re.compile(r"(?<=[ &*>])(?!const\b)\w+$")


def split(parameters):
    """Yields the parts between the commas that are not in brackets."""
    depth, begin = 0, 0
    for at, sign in enumerate(parameters):
        depth += (sign in "<([{") - (sign in ">)]}")
        if sign == "," and depth == 0:
            yield parameters[begin:at]
            begin = at + 1
    yield parameters[begin:]


def types(parameters):
    """Returns the types of the parameters, without names, defaults and spaces."""
    kept = (PARAMETER_NAME.sub("", one.split("=")[0].strip()) for one in split(parameters))
    return ",".join("".join(one.split()) for one in kept)


def names(text):
    """Yields (namespace, name, (kind, signature)) for each declaration in an unnamed namespace. `signature` has the types
    of a function's parameters or the target of an alias. Otherwise it is empty."""
    text = COMMENT_OR_TEXT.sub(lambda it: "" if it.group().startswith("/") else '""', text)
    outer = re.search(r"^namespace ([\w:]+) \{", text, re.M)
    for body in UNNAMED.findall(text):
        for head in re.findall(r"^(?![ }#]|namespace|using namespace)\S[^;{]*", body, re.M):
            head = BEFORE.sub("", head).strip()
            if "operator" in head:
                continue  # operators differ only in their parameters
            if found := TYPE.match(head):
                name, what = found.group(1), ("type", "")
            elif found := ALIAS.match(head):
                name, what = found.group(1) or found.group(4), ("alias", found.group(2) or found.group(3))
            elif found := VARIABLE.match(head):
                name, what = found.group(1), ("variable", "")
            elif found := FUNCTION.match(head):
                name, what = found.group(1), ("function", types(found.group(2)))
            else:
                continue
            yield (outer.group(1) if outer else ""), name, what


def clash(one, other):
    """Returns whether two declarations of the same name conflict. Functions with different parameters and aliases of the
    same type do not conflict."""
    if one[0] != other[0]:
        return True
    if one[0] == "alias":
        return not (one[1].endswith(other[1]) or other[1].endswith(one[1]))
    return one[1] == other[1]


def pairs(files):
    """Yields a line for each name that two files define. `files` has the text of each file by its path."""
    places = collections.defaultdict(set)
    for path, text in files.items():
        for namespace, name, what in names(text):
            places[namespace, name].add((path, what))
    for (namespace, name), given in sorted(places.items()):
        paths = {path for one, other in itertools.combinations(given, 2) if one[0] != other[0] and clash(one[1], other[1])
                 for path in (one[0], other[0])}
        if paths:
            yield f"{namespace}: {name} is in the unnamed namespaces of {' and '.join(sorted(paths))}"


def self_test():
    def found(first, second, namespace="host::a"):
        frame = "#include <x>\n\nnamespace {} {{\nnamespace {{\n\n{}\n\n}}  // namespace\n\nint one() {{\n  return 1;\n}}\n}}\n"
        return len(list(pairs({"a.cpp": frame.format("host::a", first), "b.cpp": frame.format(namespace, second)})))

    same = [("constexpr int kOne = 1;", "constexpr std::size_t kOne = 2;"),
            ("int one(int a) {\n  return a;\n}", "int one(int b) {\n  return b + 1;\n}"),
            ("int one(const std::map<int, int>& a,\n        int b = 1);", "bool one(const std::map<int, int>& b, int c) {\n}"),
            ("template <class T>\nT one(T a) {\n}", "// one\ntemplate <class T>\nT one(T b) {\n}"),
            ("struct One {\n  int a;\n};", "class One final {\n};"),
            ("enum class One { A };", "using One = int;"),
            ("constexpr std::string_view kOne[] = {\"a\"};", "const std::string kOne{\"b\"};"),
            ("int one(int a) {\n}", "constexpr int one = 1;"),
            ("using One = std::vector<int>;", "using One = std::set<int>;"), ("using b::One;", "using c::One;"),
            ("thread_local int one = 1;", "std::atomic<int> one;")]
    for first, second in same:
        assert found(first, second) == 1, (first, second)
        assert found(first, second, "host::b") == 0
    for first, second in (("int one(int a) {\n}", "int one(long a) {\n}"), ("constexpr int kOne = 1;", "constexpr int kTwo = kOne;"),
                          ("struct A {\n  void one() {}\n};", "struct B {\n  void one() {}\n};"),
                          ("int one() {\n  return two();\n}", "int three() {\n  return two();\n}"),
                          ("using One = int;", "using One = int;"), ("using b::c::One;", "using c::One;"),
                          ("namespace one = b;", "using namespace one;"),
                          ("/* int one(); */", "// int one();\nint one();")):
        assert found(first, second) == 0, (first, second)


def main():
    if "--self-test" in sys.argv:
        return self_test()
    tracked = subprocess.run(["git", "ls-files", "host/*.cpp", "tests/unit/*.cpp"], check=True, capture_output=True, text=True)
    programs = collections.defaultdict(dict)  # the files that can be compiled as one
    for path in tracked.stdout.split():
        try:
            with open(path, encoding="utf-8") as file:
                programs["host" if path.startswith("host/") else path.split("/")[2]][path] = file.read()
        except FileNotFoundError:
            continue  # the file was removed, but the removal is not committed
    faults = [fault for files in programs.values() for fault in pairs(files)]
    count = sum(len(files) for files in programs.values())
    print("\n".join(faults) or f"each name in an unnamed namespace is in one of {count} files")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
