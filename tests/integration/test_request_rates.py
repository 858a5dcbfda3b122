"""Rates of requests: what a principal, an address and an agent may send, and how answers over MCP and REST say so."""
import json
import re

from harness import TestCase, message, problem, run_toolpost

LIMITS = """
[limits]
requests_per_principal = 20
requests_per_address = 5
requests_window_s = 3600

[agent.coder]
requests = 3

[agent.open]
requests = 4
needs_key = false
"""
REST, MCP = "/v1/skills", "/mcp"


def fields(text):
    """{"principal": {"r": 19, "t": 180}} of a list of structured fields."""
    return {name: {key: int(value) for key, value in re.findall(r";(\w+)=(\d+)", rest)}
            for name, rest in re.findall(r'"(\w+)"((?:;\w+=\d+)*)(?:, |$)', text)}


class RequestRates(TestCase):
    def serve(self, config=LIMITS):
        self.place = self.workspace("hello", config=config)
        self.keys = {name: self.key(name) for name in ("ada", "bob")}
        self.keys["coder"] = self.key("cleo", "--agent", "coder")
        self.host = self.http_host(self.place)

    def key(self, name, *words):
        done = run_toolpost(self.place, "key", "new", name, *words, "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)["key"]

    def ask(self, path, key=None):
        """(status, headers, body) of one request over REST or MCP."""
        connection = self.host.connect()
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        body = None if path.startswith(("/v1", "/api")) else json.dumps(message("tools/list", None, "bare")[0])
        connection.request("POST" if body else "GET", path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, json.loads(text)

    def test_answers_say_what_is_left_over_mcp_and_rest_alike(self):
        self.serve()
        for number, path in enumerate((REST, MCP, REST, MCP)):
            status, headers, _ = self.ask(path, self.keys["ada"])
            self.assertEqual(status, 200)
            self.assertEqual(headers["RateLimit-Policy"], '"principal";q=20;w=3600')
            self.assertEqual(fields(headers["RateLimit"])["principal"]["r"], 19 - number)
        status, headers, _ = self.ask("/v1/nothing", self.keys["ada"])
        self.assertEqual((status, fields(headers["RateLimit"])["principal"]["r"]), (404, 15))

    def test_a_principal_beyond_its_rate_is_refused_and_no_other(self):
        self.serve()
        self.assertEqual([self.ask(REST, self.keys["ada"])[0] for _ in range(21)], [200] * 20 + [429])
        status, headers, told = self.ask(REST, self.keys["ada"])
        self.assertEqual((status, told["type"], told["status"]), (429, problem("rate-limited"), 429))
        self.assertIn("limits.requests_per_principal", told["detail"])
        self.assertEqual(fields(headers["RateLimit"])["principal"]["r"], 0)
        self.assertTrue(0 < int(headers["Retry-After"]) <= 180, headers["Retry-After"])
        status, headers, told = self.ask(MCP, self.keys["ada"])
        self.assertEqual((status, told["jsonrpc"], told["error"]["code"]), (429, "2.0", -31001))
        self.assertEqual(told["error"]["data"], {"type": problem("rate-limited")})
        self.assertTrue(0 < int(headers["Retry-After"]) <= 180, headers["Retry-After"])
        self.assertEqual(self.ask(REST, self.keys["bob"])[0], 200)
        self.assertEqual(self.ask(REST)[0], 200)
        metrics = self.host.fetch("GET", "/metrics", key=self.keys["bob"])[2]
        self.assertIn('toolpost_refused_total{limit="limits.requests_per_principal"} 3', metrics)

    def test_clients_without_a_valid_key_share_the_rate_of_their_address(self):
        self.serve()
        self.assertEqual([self.ask(path)[0] for path in (REST, MCP, REST)], [200] * 3)
        self.assertEqual([self.ask(REST, "nonsense")[0] for _ in range(2)], [401, 401])
        for key in (None, "nonsense"):
            status, headers, told = self.ask(REST, key)
            self.assertEqual((status, told["type"]), (429, problem("rate-limited")))
            self.assertEqual(fields(headers["RateLimit-Policy"]), {"address": {"q": 5, "w": 3600}})
        self.assertEqual(self.ask(REST, self.keys["ada"])[0], 200)
        for path in ("/healthz", "/readyz", "/"):  # everybody needs them
            self.assertEqual(self.host.fetch("GET", path)[0], 200, path)

    def test_an_agent_has_a_rate_of_its_own_and_a_refusal_costs_nothing(self):
        self.serve()
        answers = [self.ask("/coder/mcp", self.keys["coder"]) for _ in range(5)]
        self.assertEqual([status for status, _, _ in answers], [200] * 3 + [429] * 2)
        last = answers[-1][1]
        self.assertEqual(fields(last["RateLimit-Policy"]), {"principal": {"q": 20, "w": 3600}, "agent": {"q": 3, "w": 3600}})
        left = {name: one["r"] for name, one in fields(last["RateLimit"]).items()}
        self.assertEqual(left, {"principal": 17, "agent": 0})
        for _, headers, _ in answers[2:]:  # each request takes 180 s of an hour
            self.assertTrue(0 < fields(headers["RateLimit"])["principal"]["t"] <= 3 * 180, headers["RateLimit"])
        self.assertIn("agent.requests", answers[-1][2]["error"]["message"])

    def test_each_request_of_an_array_counts(self):
        self.serve()
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                   "Authorization": f"Bearer {self.keys['coder']}"}

        def post(body):
            connection = self.host.connect()
            connection.request("POST", "/coder/mcp", json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            connection.close()
            return answer.status, answer.headers, text

        _, begun, _ = post(message("initialize", {
            "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}, 1)[0])
        headers["Mcp-Session-Id"] = begun["Mcp-Session-Id"]
        headers["Accept"] = "application/json"
        ping = {"jsonrpc": "2.0", "method": "ping"}
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}
        status, told, text = post([note] + [ping | {"id": n} for n in range(4)] + [note])
        answers = {one["id"]: one for one in json.loads(text)}
        self.assertEqual((status, sorted(answers)), (200, [0, 1, 2, 3]))
        self.assertEqual([n for n in answers if "result" in answers[n]], [0, 1])
        for refused in (answers[2]["error"], answers[3]["error"]):
            self.assertEqual((refused["code"], refused["data"]), (-31001, {"type": problem("rate-limited")}))
            self.assertRegex(refused["message"], r"agent\.requests allows 3\. Retry in \d+ s\.")
        left = {name: one["r"] for name, one in fields(told["RateLimit"]).items()}
        self.assertEqual(left, {"principal": 17, "agent": 0})
        self.assertEqual(post([ping | {"id": 1}])[0], 429)

    def test_rest_routes_of_a_session_count_for_its_agent(self):
        self.serve()
        made = self.host.fetch("POST", "/v1/sessions", {"customizations": {"agentId": "open"}}, key=self.keys["ada"])
        self.assertEqual(made[0], 201, made)
        session, requests = f"/v1/sessions/{made[2]['id']}", f"/v1/tools/request/{made[2]['id']}"
        status, headers, _ = self.ask(requests, self.keys["bob"])  # not a session of bob's
        self.assertEqual((status, list(fields(headers["RateLimit"]))), (404, ["principal"]))
        for left, path in zip((3, 2, 1, 0), (requests, "/api" + requests, session, f"/mcp/s/{made[2]['id']}")):
            status, headers, _ = self.ask(path, self.keys["ada"])
            self.assertEqual((status, fields(headers["RateLimit"])["agent"]["r"]), (200, left), path)
        for path in (requests, session + "/results", "/open/mcp"):
            status, _, told = self.ask(path, self.keys["ada"])
            self.assertEqual(status, 429, path)
            self.assertIn("agent.requests", json.dumps(told))
        self.assertEqual(self.ask(REST, self.keys["ada"])[0], 200)

    def test_a_valid_key_that_is_refused_is_charged_to_its_principal(self):
        self.serve()
        self.assertEqual([self.ask(REST)[0] for _ in range(6)], [200] * 5 + [429])
        for left, path in zip((19, 18), ("/v1/plugins", "/coder/mcp")):  # no such scope, and a key of no agent
            status, headers, _ = self.ask(path, self.keys["ada"])
            self.assertEqual((status, fields(headers["RateLimit-Policy"])), (403, {"principal": {"q": 20, "w": 3600}}), path)
            self.assertEqual(fields(headers["RateLimit"])["principal"]["r"], left, path)
        self.assertEqual([self.ask("/v1/plugins", self.keys["bob"])[0] for _ in range(21)], [403] * 20 + [429])
        self.assertEqual(self.ask("/coder/mcp", self.keys["coder"])[0], 200)

    def test_without_limits_nothing_is_counted(self):
        self.serve("[agent.coder]")
        for path in (REST, MCP):
            status, headers, _ = self.ask(path, self.keys["ada"])
            self.assertEqual((status, headers["RateLimit"], headers["RateLimit-Policy"]), (200, None, None))
