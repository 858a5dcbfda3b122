"""Bare calls as plain scripts make them, to the letter: the JSON of two platforms' manuals."""
import json
import os
import pathlib
import subprocess
import unittest

from harness import TestCase, text_of

LIST = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'

SAVE = """{
"jsonrpc": "2.0",
"id": 2,
"method": "tools/call",
"params": {
"name": "save_csv",
"arguments": {
"filename": "invoice-2024-001",
"rows": [
{ "date": "2024-01-15", "amount": 1250.00, "vendor": "Acme Corp" },
{ "date": "2024-01-16", "amount": 890.50, "vendor": "Widget Inc" }
]
}
}
}"""

# The manual's tools/list, as it stands there.
LISTED = json.loads("""{
"name": "save_csv",
"description": "Save parsed invoice data as a CSV file to the shared drive",
"inputSchema": {
"type": "object",
"properties": {
"filename": {
"type": "string",
"description": "Output filename without extension"
},
"rows": {
"type": "array",
"items": {
"type": "object",
"properties": {
"date": { "type": "string" },
"amount": { "type": "number" },
"vendor": { "type": "string" }
}
}
}
},
"required": ["filename", "rows"]
}
}""")


def includes(whole, part):
    """Whether `whole` has everything of `part`, maybe more."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and includes(whole[k], v) for k, v in part.items())
    return whole == part


class InvoiceManual(TestCase):
    """A skill server that lists and saves: request, answer text and error shape."""

    def serve(self, folder, auto_approve="true"):
        self.folder = pathlib.Path(folder)
        self.place = self.workspace("invoices", config=f"[approval]\nwait_s = 0\n[plugin.invoices]\nauto_approve = {auto_approve}\n"
                                    f'fs = ["rw:{folder}"]\n'
                                    f'settings = {{ folder = "{folder}" }}')
        return self.http_host(self.place)

    def fresh_folder(self):
        made = self.workspace().root / "invoices"
        made.mkdir()
        return made

    def test_the_list_has_the_tool_as_the_manual_shows_it(self):
        status, headers, text = self.serve(self.fresh_folder()).post(LIST)
        self.assertEqual((status, headers["content-type"].split(";")[0]), (200, "application/json"))
        answer = json.loads(text)
        self.assertEqual((answer["jsonrpc"], answer["id"]), ("2.0", 1))
        tool = next(tool for tool in answer["result"]["tools"] if tool["name"] == "save_csv")
        self.assertTrue(includes(tool, LISTED), tool)

    def check_saved(self, folder):
        status, _, text = self.serve(folder).post(SAVE)
        self.assertEqual(status, 200)
        answer = json.loads(text)
        self.assertEqual(answer, {"jsonrpc": "2.0", "id": 2, "result": {"content": [
            {"type": "text", "text": f"CSV saved to {folder}/invoice-2024-001.csv (2 rows)"}]}})
        file = pathlib.Path(folder) / "invoice-2024-001.csv"
        self.assertEqual(file.stat().st_mode & 0o777, 0o644, "a shared drive's readers are others")
        written = file.read_text()
        self.assertEqual(written.splitlines()[0], "date,amount,vendor")
        self.assertRegex(written, r"2024-01-15,1250(\.0+)?,Acme Corp")
        self.assertRegex(written, r"2024-01-16,890\.50?,Widget Inc")
        self.assertEqual(len(written.splitlines()), 3)

    def test_saving_writes_the_file_and_answers_in_the_manuals_words(self):
        self.check_saved(self.fresh_folder())

    @unittest.skipIf(os.geteuid() != 0, "only a fresh container's root may make /shared")
    def test_saving_to_the_manuals_own_folder(self):
        try:
            pathlib.Path("/shared").mkdir()
        except FileExistsError:
            self.skipTest("/shared is there: somebody's, or that of a second run of this test")
        try:
            pathlib.Path("/shared/invoices").mkdir()
            self.check_saved("/shared/invoices")
        finally:
            (pathlib.Path("/shared/invoices") / "invoice-2024-001.csv").unlink(missing_ok=True)
            pathlib.Path("/shared/invoices").rmdir()
            pathlib.Path("/shared").rmdir()

    def test_a_folder_that_cannot_be_written_is_an_error_result_in_the_manuals_shape(self):
        blocker = self.workspace().root / "file"
        blocker.write_text("not a folder")
        folder = blocker / "invoices"
        _, _, text = self.serve(folder).post(SAVE)
        answer = json.loads(text)
        self.assertEqual(set(answer), {"jsonrpc", "id", "result"})
        self.assertIs(answer["result"]["isError"], True)
        self.assertEqual([block["type"] for block in answer["result"]["content"]], ["text"])
        self.assertRegex(answer["result"]["content"][0]["text"], rf"^Failed to save CSV: .+ on {folder}/$")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_without_permission_answers_in_the_manuals_words(self):
        folder = self.fresh_folder()
        folder.chmod(0o500)
        _, _, text = self.serve(folder).post(SAVE)
        self.assertEqual(json.loads(text)["result"]["content"][0]["text"],
                         f"Failed to save CSV: permission denied on {folder}/")

    def test_without_auto_approve_the_call_is_held_and_writes_nothing(self):
        folder = self.fresh_folder()
        for value in ("false",):
            _, _, text = self.serve(folder, value).post(SAVE)
            answer = json.loads(text)
            self.assertIs(answer["result"]["isError"], True)
            self.assertIn("approv", text_of(answer))
            self.assertEqual(list(folder.iterdir()), [])

    def test_the_same_over_stdio(self):
        folder = self.fresh_folder()
        self.serve(folder)
        host = self.stdio_host(self.place)
        host.initialize()
        answer = host.request("tools/call", json.loads(SAVE)["params"])
        self.assertEqual(text_of(answer), f"CSV saved to {folder}/invoice-2024-001.csv (2 rows)")


# The manual's own lines, but for the address and the tool: no web_search is shipped, so `echo` stands in.
CURL_LIST = """curl -s -X POST "https://mcp.beeos.ai/${AGENT_ID}/mcp" \\
  -H "X-Agent-API-Key: bak_YOUR_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'"""

CURL_CALL = """curl -s -X POST "https://mcp.beeos.ai/${AGENT_ID}/mcp" \\
  -H "X-Agent-API-Key: bak_YOUR_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "jsonrpc":"2.0",
    "id":2,
    "method":"tools/call",
    "params":{
      "name":"web_search",
      "arguments":{"query":"BeeOS"}
    }
  }'"""


# Of its section on idempotency, word for word.
MANUAL_ATTACHMENT = """{
  "jsonrpc": "2.0",
  "id": 42,
  "method": "tools/call",
  "params": {
    "name": "summarize_pdf",
    "arguments": {
      "attachments": [{ "file_id": "file_abc123", "filename": "q3.pdf" }],
      "idempotency_key": "user_7:q3_summary"
    }
  }
}"""


class AgentManual(TestCase):
    """Bare curl lines with a key header and no Accept."""

    def setUp(self):
        self.host = self.http_host(self.workspace("hello"))

    def curl(self, line, replace=()):
        line = line.replace("https://mcp.beeos.ai/${AGENT_ID}/mcp", self.host.url)
        for old, new in replace:
            self.assertIn(old, line)
            line = line.replace(old, new)
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=30, check=True)
        return json.loads(done.stdout)

    def test_the_list(self):
        answer = self.curl(CURL_LIST)
        self.assertEqual((answer["jsonrpc"], answer["id"]), ("2.0", 1))
        for tool in answer["result"]["tools"]:
            self.assertLessEqual({"name", "description", "inputSchema"}, set(tool))
            self.assertEqual(tool["inputSchema"]["type"], "object")
        self.assertIn("echo", [tool["name"] for tool in answer["result"]["tools"]])

    def test_the_call(self):
        answer = self.curl(CURL_CALL, [("web_search", "echo"), ('"query"', '"text"')])
        self.assertEqual(answer, {"jsonrpc": "2.0", "id": 2,
                                  "result": {"content": [{"type": "text", "text": "BeeOS"}]}})

    def test_the_call_of_a_tool_that_is_not_there(self):
        answer = self.curl(CURL_CALL)
        self.assertEqual(answer["id"], 2)
        self.assertEqual(answer["error"]["code"], -32602)

    def test_the_accept_header_changes_nothing(self):
        for accept in ("*/*", "text/event-stream", "application/json, text/event-stream"):
            with self.subTest(accept):
                _, headers, text = self.host.post(LIST, {"Accept": accept})
                self.assertEqual(headers["content-type"].split(";")[0], "application/json")
                self.assertIn("result", json.loads(text))

    def test_the_manuals_attachment_with_its_idempotency_key(self):
        host = self.http_host(self.workspace("services"))
        presign = f"curl -s -X POST {host.url.replace('/mcp', '/api/v1/files/presign-upload')}"
        made = self.curl(presign)
        stored = self.curl(f"curl -s -T {__file__} '{made['upload_url']}'")
        self.assertEqual(stored["file_id"], made["file_id"])
        request = MANUAL_ATTACHMENT.replace("summarize_pdf", "attached_list").replace("file_abc123", made["file_id"])
        line = f"curl -s -X POST {host.url} -H 'X-Agent-API-Key: bak_YOUR_KEY' -H 'Content-Type: application/json' -d '{request}'"
        first, again = self.curl(line), self.curl(line)
        self.assertEqual(first["id"], 42)
        self.assertEqual(text_of(first), f"{made['file_id']} q3.pdf application/octet-stream {stored['bytes']}|")
        self.assertEqual(text_of(again), text_of(first))
        self.assertTrue(again["result"]["_meta"]["io.toolpost/replayed"])

    def test_the_manuals_own_file_id_is_not_known_here(self):
        answer = self.host.call("echo", {"text": "once", "attachments": [{"file_id": "file_abc123"}]})
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("file_abc123", text_of(answer))

    def test_the_manuals_idempotency_key_gives_the_first_answer_again(self):
        first, again = (self.host.call("echo", {"text": "once", "idempotency_key": "user_7:q3_summary"}) for _ in "12")
        self.assertEqual(text_of(first), text_of(again))
        self.assertTrue(again["result"]["_meta"]["io.toolpost/replayed"])

    def test_a_timed_out_call_is_an_error_of_the_manuals_code(self):
        host = self.http_host(self.workspace("overlap", config="[call]\ntimeout_s = 0.2"))
        answer = host.call("slow", {"ms": 30000})
        self.assertEqual((answer["error"]["code"], answer["id"]), (-32003, 1))


if __name__ == "__main__":
    unittest.main()
