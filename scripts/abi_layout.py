#!/usr/bin/env python3
"""Checks that the ABI is unchanged: the structs of sdk/include/toolpost/*.h and ext/*.h, the offset and type of each
field, and the value of each constant.

    scripts/abi_layout.py             compares the headers with tests/abi/layout.golden; exits with 1 if they differ
    scripts/abi_layout.py --update    adds new structs, fields and constants to layout.golden. The script refuses this
                                      if an entry of layout.golden has moved, changed or disappeared
    scripts/abi_layout.py --self-test

Existing plugins depend on the entries of layout.golden. Headers of ext/draft/ may still change, so the script does not
check them.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "sdk/include"
GOLDEN = ROOT / "tests/abi/layout.golden"


def headers():
    return sorted([*INCLUDE.glob("toolpost/*.h"), *INCLUDE.glob("toolpost/ext/*.h")])


def plain(text):
    """Returns the text without comments. Lines that a backslash continues are joined."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"//[^\n]*", " ", text).replace("\\\n", " ")


def structs(text):
    """Yields (name, [(field, type as written)]) for each `typedef struct NAME { ... } NAME;`."""
    for name, body in re.findall(r"typedef\s+struct\s+\w+\s*\{(.*?)\}\s*(\w+)\s*;", plain(text), re.S):
        name, body = body, name
        fields = []
        for member in body.split(";"):
            member = " ".join(member.split())
            if not member:
                continue
            function = re.search(r"\(\s*\*\s*(\w+)\s*\)", member)
            if function:
                result, parameters = member.replace(function.group(0), "(*)").split("(*)(")
                # The names of parameters are not part of the ABI, and may change.
                types = [re.sub(r"(\S.*[\s*])\w+$", r"\1", one.strip()).strip()
                         for one in parameters.rstrip(")").split(",")]
                fields.append((function.group(1), f"{result}(*)({', '.join(types)})"))
                continue
            first, *others = member.split(",")  # such as `uint32_t a, b`
            kind, field = re.match(r"(.*?)(\w+)$", first).groups()
            fields.append((field, kind.strip()))
            fields += [(other.strip(), kind.strip()) for other in others]
        yield name, fields


def constants(text):
    """Yields (name, value as written) for each TP_ macro that is a number or a text."""
    for name, value in re.findall(r"^#define[ \t]+(TP_\w+)[ \t]+(.+)$", plain(text), re.M):
        value = " ".join(value.split())
        if re.fullmatch(r'\(?\s*(-?\d+|0x[0-9a-fA-F]+|"[^"]*"|\d+u\s*<<\s*\d+|-?\d+u|0x[0-9a-fA-F]+u'
                        r'|UINT64_C\(\d+\)\s*<<\s*\d+)\s*\)?', value):
            yield name, value


def layout(files):
    """Returns the lines for layout.golden. A compiled program prints the sizes and offsets."""
    found = [(path, structs(path.read_text()), constants(path.read_text())) for path in files]
    program = ["#include <stdio.h>"]
    program += [f'#include "{path.relative_to(INCLUDE)}"' for path in files]
    program.append("int main(void) {")
    numbers = []
    for _, types, values in found:
        for name, fields in types:
            program.append(f'printf("size {name} %zu\\n", sizeof({name}));')
            for field, kind in fields:
                kind = kind.replace("\\", "\\\\").replace('"', '\\"')
                program.append(f'printf("at {name}.{field} %zu {kind}\\n", offsetof({name}, {field}));')
        numbers += [f"value {name} {value}" for name, value in values if name != "TP_ABI_MINOR"]
    program.append("return 0; }")
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, "layout.c"), pathlib.Path(folder, "layout")
        source.write_text("\n".join(program))
        subprocess.run(["cc", "-std=c11", f"-I{INCLUDE}", source, "-o", binary], check=True)
        out = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    return out.splitlines() + numbers


def differences(shipped, now):
    """Returns two lists: the changes that break the ABI, as sentences, and the new lines of layout.golden."""
    def parse(lines):
        return {tuple(line.split(" ", 2)[:2]): line.split(" ", 2)[2] for line in lines}
    before, after = parse(shipped), parse(now)
    broken = []
    for key, value in before.items():
        what = " ".join(key)
        if key not in after:
            broken.append(f"{what} was shipped and is gone")
        elif after[key] != value:
            grown = key[0] == "size" and int(after[key]) > int(value)
            if not grown:
                broken.append(f"{what} was {value} and is {after[key]}")
    new = [f"{' '.join(key)} {after[key]}" for key in after if key not in before]
    # New fields are allowed only after the last shipped field of a struct.
    for line in new:
        kind, name, rest = line.split(" ", 2)
        size = before.get(("size", name.split(".")[0]))
        if kind == "at" and size is not None and int(rest.split(" ", 1)[0]) < int(size):
            broken.append(f"{name} stands in the middle of a shipped struct: append it")
    new += [f"{' '.join(key)} {after[key]}" for key in before if after.get(key, before[key]) != before[key]]
    return broken, new


def self_test():
    text = "typedef struct a { uint32_t n, m; /* x; */ const tp_str* s; void (*f)(int x, const char* y); } a;\n#define TP_A (-1)\n"
    assert list(structs(text)) == [("a", [("n", "uint32_t"), ("m", "uint32_t"), ("s", "const tp_str*"),
                                          ("f", "void (*)(int, const char*)")])], list(structs(text))
    assert list(constants(text)) == [("TP_A", "(-1)")]
    shipped = ["size a 16", "at a.n 0 int", "at a.m 8 int", "value X 1"]
    assert differences(shipped, shipped) == ([], [])
    assert differences(shipped, [*shipped[:3], "value X 2"])[0]           # a changed value
    assert differences(shipped, ["size a 16", "at a.n 0 int", "value X 1"])[0]  # a removed field
    assert differences(shipped, ["size a 16", "at a.m 0 int", "at a.n 8 int", "value X 1"])[0]  # two exchanged fields
    assert differences(shipped, ["size a 16", "at a.n 0 long", "at a.m 8 int", "value X 1"])[0]  # a changed type
    assert differences(shipped, [*shipped, "at a.k 4 int"])[0]            # a new field in the middle
    grown = ["size a 24", "at a.n 0 int", "at a.m 8 int", "at a.k 16 int", "value X 1"]
    assert differences(shipped, grown) == ([], ["at a.k 16 int", "size a 24"])


def main():
    if "--self-test" in sys.argv:
        return self_test()
    shipped = GOLDEN.read_text().splitlines() if GOLDEN.exists() else []
    now = layout(headers())
    broken, new = differences(shipped, now)
    for line in broken:
        print(f"the ABI breaks: {line}")
    if broken:
        print("A shipped layout never changes: append, or make an extension of a new id (docs/reference/abi.md).")
        return 1
    if "--update" in sys.argv:
        GOLDEN.write_text("\n".join(now) + "\n")
        return 0
    for line in new:
        print(f"new in the ABI: {line}")
    if new:
        print("Where this is meant to ship: scripts/abi_layout.py --update")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
