"""One plugin, unchanged, asks the person and the model of clients of two eras: while the request is open (2025-06-18), and
by a result that the client answers with its next request (2026-07-28)."""
from harness import MODERN, TestCase, text_of

CAPABILITIES = {"elicitation": {}, "sampling": {}}
PERSON = {"action": "accept", "content": {"username": "ada", "email": "ada@example.org"}}
MODEL = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"}}
CONFIG = '[permission]\nmode = "bypass"'


def answer_to(method):
    return {"elicitation/create": PERSON, "sampling/createMessage": MODEL}[method]


class Questions(TestCase):
    def hosts(self):
        return [self.stdio_host(self.workspace("conformance", config=CONFIG, isolation=isolation))
                for isolation in ("worker", "inline")]

    def call_with_session(self, host, tool, arguments):
        host.send({"jsonrpc": "2.0", "id": "call", "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments}})
        asked = []
        while True:
            message = host.receive()
            if message.get("id") == "call":
                return asked, text_of(message)
            if "method" in message and "id" in message:
                asked.append(message)
                host.send({"jsonrpc": "2.0", "id": message["id"], "result": answer_to(message["method"])})

    def call_stateless(self, host, tool, arguments):
        params = {"name": tool, "arguments": arguments, "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": CAPABILITIES}}
        asked = []
        for _ in range(4):
            result = host.request("tools/call", params)["result"]
            if result["resultType"] == "complete":
                return asked, text_of({"result": result})
            asked += result["inputRequests"].values()
            params = params | {"requestState": result["requestState"], "inputResponses": {
                key: answer_to(request["method"]) for key, request in result["inputRequests"].items()}}
        self.fail("it went on asking")

    def check(self, call, host, modes):
        asked, text = call(host, "test_elicitation", {"message": "Who?"})
        self.assertEqual([request["method"] for request in asked], ["elicitation/create"])
        self.assertEqual(asked[0]["params"]["message"], "Who?")
        self.assertEqual("mode" in asked[0]["params"], modes)
        self.assertIn("ada@example.org", text)
        asked, text = call(host, "test_sampling", {"prompt": "Capital of France?"})
        self.assertEqual([request["method"] for request in asked], ["sampling/createMessage"])
        self.assertEqual(text, "LLM response: Paris")

    def test_a_client_with_a_session(self):
        for host in self.hosts():
            host.initialize("2025-06-18", CAPABILITIES)
            self.check(self.call_with_session, host, modes=False)

    def test_a_stateless_client(self):
        for host in self.hosts():
            self.check(self.call_stateless, host, modes=True)

    def test_an_answer_that_breaks_the_form_is_no_answer(self):
        for host in self.hosts():
            host.initialize("2025-06-18", CAPABILITIES)
            host.send({"jsonrpc": "2.0", "id": "call", "method": "tools/call",
                       "params": {"name": "test_elicitation", "arguments": {"message": "Who?"}}})
            request = host.receive()
            host.send({"jsonrpc": "2.0", "id": request["id"],
                       "result": {"action": "accept", "content": {"username": 7}}})
            answer = host.receive()["result"]
            self.assertTrue(answer["isError"])
            self.assertIn("/username", text_of({"result": answer}))
