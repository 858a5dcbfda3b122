"""Official servers from npm as upstreams in a sandbox: they answer through the host as they answer without it."""
import json
import subprocess
import unittest

from harness import NPM, wait_until
from test_upstreams import BYPASS, Upstreams

NODE = NPM / "node_modules/.bin/node"


def index_of(server):
    return NPM / f"node_modules/@modelcontextprotocol/{server}/dist/index.js"


class Direct:
    """A client of a few lines, over stdio."""

    def __init__(self, server, env):
        self.child = subprocess.Popen([NODE, index_of(server)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, env=env)
        self.ids = 0
        self.ask("initialize", {"protocolVersion": "2025-11-25", "clientInfo": {"name": "t", "version": "1"}, "capabilities": {}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()

    def ask(self, method, params):
        self.ids += 1
        self.send({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params})
        while True:
            answer = json.loads(self.child.stdout.readline())
            if answer.get("id") == self.ids and "method" not in answer:
                return answer["result"]

    def close(self):
        self.child.stdin.close()
        self.child.kill()
        self.child.wait(30)
        self.child.stdout.close()


class RealServers(Upstreams):
    def differential(self, server, calls, sandbox="", env=None):
        """The same tools and the same results, with and without the host."""
        self.assertTrue(index_of(server).exists(), f"no {server} here: run scripts/bootstrap --tests")
        env = env or (lambda which: {})
        pairs = ", ".join(f'{name} = "{value}"' for name, value in env("host").items())
        self.place.write_config(self.place.config.read_text() + BYPASS + f'[[upstream]]\nname = "real"\ncommand = "{NODE}"\n'
                                f'args = ["{index_of(server)}"]\nenv = {{ {pairs} }}\n'
                                f'[upstream.sandbox]\nfs = ["ro:{NPM}"{sandbox}]\n')
        direct = Direct(server, env("direct"))
        self.addCleanup(direct.close)
        host = self.http_host(self.place)
        tools = {tool["name"] for tool in direct.ask("tools/list", {})["tools"]}
        wait_until("all tools are listed", lambda: set(self.tools(host)) == {f"mcp__real__{name}" for name in tools})
        for name, arguments in calls:
            expected = direct.ask("tools/call", {"name": name, "arguments": arguments})
            result = host.call(f"mcp__real__{name}", arguments)["result"]
            self.assertEqual(result["content"], expected["content"], (name, arguments))
            self.assertEqual(result.get("structuredContent"), expected.get("structuredContent"), (name, arguments))
            self.assertFalse(result.get("isError", False), result)
        return host

    def test_memory(self):
        self.place = self.workspace()
        folders = {which: self.place.root / which for which in ("host", "direct")}
        for folder in folders.values():
            folder.mkdir()
        entities = [{"name": "Ada", "entityType": "person", "observations": ["writes programs"]},
                    {"name": "Engine", "entityType": "machine", "observations": []}]
        calls = [("create_entities", {"entities": entities}),
                 ("create_relations", {"relations": [{"from": "Ada", "to": "Engine", "relationType": "programs"}]}),
                 ("add_observations", {"observations": [{"entityName": "Engine", "contents": ["is of brass"]}]}),
                 ("search_nodes", {"query": "brass"}), ("open_nodes", {"names": ["Ada"]}), ("read_graph", {}),
                 ("delete_observations", {"deletions": [{"entityName": "Engine", "observations": ["is of brass"]}]}),
                 ("delete_relations", {"relations": [{"from": "Ada", "to": "Engine", "relationType": "programs"}]}),
                 ("delete_entities", {"entityNames": ["Engine"]}), ("read_graph", {})]
        host = self.differential("server-memory", calls, sandbox=f', "rw:{folders["host"]}"',
                                 env=lambda which: {"MEMORY_FILE_PATH": str(folders[which] / "memory.jsonl")})
        files = [(folder / "memory.jsonl").read_text() for folder in folders.values()]
        self.assertEqual(*files)
        self.assertIn("Ada", files[0])
        self.assertEqual(self.cli("restart", "real").returncode, 0)  # what it wrote is there again
        self.assertIn("writes programs", json.dumps(host.call("mcp__real__read_graph")))

    def test_sequential_thinking(self):
        self.place = self.workspace()
        thought = {"thought": "one", "thoughtNumber": 1, "totalThoughts": 3, "nextThoughtNeeded": True}
        calls = [("sequentialthinking", thought), ("sequentialthinking", thought | {"thought": "two", "thoughtNumber": 2}),
                 ("sequentialthinking", thought | {"thought": "other", "thoughtNumber": 3, "branchFromThought": 1, "branchId": "b"}),
                 ("sequentialthinking", thought | {"thought": "done", "thoughtNumber": 4, "nextThoughtNeeded": False})]
        self.differential("server-sequential-thinking", calls)


if __name__ == "__main__":
    unittest.main()
