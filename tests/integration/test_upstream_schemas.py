"""The public JSON Schema Test Suite (draft 2020-12, required tests) through an upstream whose tools have its schemas: the
host accepts the arguments that the suite calls valid, and refuses the others. See tests/README.md for the suite's folder."""
import json
import os
import pathlib
import sys
import unittest
import urllib.parse

from harness import SOURCE, TestCase, text_of, wait_until

TESTDATA = pathlib.Path(os.environ.get("TP_TESTDATA", SOURCE.parent / "shared/testdata")) / "json-schema"
DOUBLE = SOURCE / "tests/integration/upstreams/double.py"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
REMOTES = "http://localhost:1234/"

# The host says why it does not serve their tools.
NOT_SERVED = {
    # names of members with hidden characters, such as a form feed
    "properties: properties with escaped characters", "required: required with escaped characters",
    "dependentRequired: dependencies with escaped characters",
    # a dialect of the author's own
    "vocabulary: schema that uses custom metaschema with with no validation vocabulary",
    "vocabulary: ignore unrecognized optional vocabulary",
}


def remotes():
    """{URL: document}, as the suite wants them served."""
    folder = TESTDATA / "remotes"
    return {REMOTES + str(path.relative_to(folder)): json.loads(path.read_text()) for path in folder.rglob("*.json")}


def references(value, base):
    """The URLs, without fragments, of all references in a schema."""
    if isinstance(value, list):
        for one in value:
            yield from references(one, base)
    elif isinstance(value, dict):
        base = urllib.parse.urljoin(base, value["$id"]) if isinstance(value.get("$id"), str) else base
        for name, one in value.items():
            if name in ("$ref", "$dynamicRef", "$schema") and isinstance(one, str):
                yield urllib.parse.urljoin(base, one).split("#")[0]
            yield from references(one, base)


def embedded(document, url):
    """A document as a part of another one. A document with an $id of its own keeps that too."""
    if isinstance(document, bool):
        return {"$id": url, **({} if document else {"not": {}})}
    if document.get("$id", url) == url:
        return {**document, "$id": url}
    return {"$id": url, "$ref": urllib.parse.urljoin(url, document["$id"]), "$defs": {"own": document}}


def tool(name, schema, known):
    """A tool whose argument v has the schema. Nothing is fetched, so the documents that it refers to are in it."""
    base = f"https://suite.example/{name}"
    needed, waiting = {}, list(references(schema, base))
    while waiting:
        url = waiting.pop()
        if url in known and url not in needed:
            needed[url] = embedded(known[url], url)
            waiting += references(known[url], url)
    part = schema if isinstance(schema, bool) else {"$id": base, **schema}
    return {"name": name, "description": name, "annotations": {"readOnlyHint": True}, "inputSchema": {
        "$schema": DIALECT, "type": "object", "properties": {"v": part}, "required": ["v"],
        **({"$defs": needed} if needed else {})}}


class Schemas(TestCase):
    def setUp(self):
        if not TESTDATA.exists():
            self.skipTest(f"no {TESTDATA}, see tests/README.md")

    def test_arguments_of_an_upstream_s_tools_are_judged_as_the_suite_does(self):
        known, tools, groups = remotes(), [], {}
        for path in sorted((TESTDATA / "tests/draft2020-12").glob("*.json")):
            for group in json.loads(path.read_text()):
                name = f"{path.stem}_{len(tools)}".replace("-", "_")
                tools.append(tool(name, group["schema"], known))
                groups[name] = group | {"about": f"{path.stem}: {group['description']}"}
        place = self.workspace(config='[permission]\nmode = "bypass"\n')
        definitions = place.root / "tools.json"
        definitions.write_text(json.dumps(tools))
        place.write_config(place.config.read_text() + f"""
[[upstream]]
name = "s"
command = "{sys.executable}"
args = ["-B", "{DOUBLE}", "file={definitions}"]
lazy = false
""")
        host = self.stdio_host(place)
        host.initialize()
        listed = wait_until("they are listed", lambda: self.listed(host, "mcp__s__"))
        left_out = {group["about"] for name, group in groups.items() if f"mcp__s__{name}" not in listed}
        self.assertEqual(left_out, NOT_SERVED)
        judged, wrong = 0, []
        for name, group in groups.items():
            if group["about"] in left_out:
                continue
            for test in group["tests"]:
                answer = host.call(f"mcp__s__{name}", {"v": test["data"]})
                said = name if test["valid"] else f'Invalid arguments for "mcp__s__{name}"'
                judged += 1
                if "result" not in answer or not text_of(answer).startswith(said) or answer["result"].get("isError", False) == test["valid"]:
                    wrong.append(f"{group['about']} | {test['description']}: {answer}")
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(judged, 1049)

    def listed(self, host, prefix):
        names, cursor = set(), None
        while True:
            page = host.request("tools/list", {"cursor": cursor} if cursor else {})["result"]
            names |= {one["name"] for one in page["tools"]}
            cursor = page.get("nextCursor")
            if not cursor:
                return {name for name in names if name.startswith(prefix)}


if __name__ == "__main__":
    unittest.main()
