"""Several hosts with one store, of which one does not answer: its process is stopped. The others are served all the same."""
import json
import signal
import sys

from harness import SOURCE, TestCase, run_toolpost, suspend, wait_until

DOUBLE = SOURCE / "tests/integration/upstreams/double.py"


class StoppedHosts(TestCase):
    def setUp(self):
        place = self.workspace()
        self.file = place.root / "tools.json"
        self.write("It reads")
        place.write_config(place.config.read_text() + f'[[upstream]]\nname = "u"\ncommand = "{sys.executable}"\n'
                           f'args = ["-B", "{DOUBLE}", "file={self.file}"]\n')
        self.place = place
        self.host = self.http_host(place)
        wait_until("the first host serves the tool", lambda: self.status()["tools"])
        self.other = self.http_host(place)

    def write(self, description):
        self.file.write_text(json.dumps([{"name": "a", "description": description, "inputSchema": {"type": "object"}}]))

    def upstream(self, *words, exit_code=0):
        done = run_toolpost(self.place, "upstream", *words, "--config", self.place.config, timeout_s=150)
        self.assertEqual(done.returncode, exit_code, done)
        return done

    def status(self):
        return json.loads(self.upstream("list", "--json").stdout)[0]

    def hold(self, description):
        """Both hosts hold the definition. Returns its digest."""
        self.write(description)
        self.assertEqual(self.upstream("refresh", "u").stdout.count("is read again by the host"), 2)
        return self.status()["held"][0]["digest"]

    def descriptions(self, host):
        tools = host.request("tools/list")["result"]["tools"]
        return [tool["description"] for tool in tools if tool["name"] == "mcp__u__a"]

    def resume(self):
        self.other.child.send_signal(signal.SIGCONT)

    def test_the_command_line_does_what_it_can_at_the_hosts_that_answer(self):
        digest = self.hold("It writes")
        suspend(self.place, self.other)
        self.addCleanup(self.resume)
        silent = f"the host at 127.0.0.1:{self.other.port} (process {self.other.child.pid}): it does not answer: "
        shown = self.upstream("diff", exit_code=6)
        self.assertIn("+ description: It writes", shown.stdout)
        self.assertIn(silent, shown.stderr)
        read = self.upstream("refresh", "u", exit_code=6)  # the stopped host is named each time
        self.assertIn(f"u is read again by the host at 127.0.0.1:{self.host.port}", read.stdout)
        self.assertIn(silent, read.stderr)
        accepted = self.upstream("accept", "u", "a", "--digest", digest, exit_code=6)
        self.assertIn(f"is accepted by the host at 127.0.0.1:{self.host.port}", accepted.stdout)
        self.assertNotIn(str(self.other.port), accepted.stdout)
        self.assertIn(silent + "its process is stopped, so the order was withdrawn: nothing was done there", accepted.stderr)
        self.assertEqual(self.descriptions(self.host), ["It writes"])
        self.resume()
        held = self.status()["held"]  # the other host has taken all of its orders when it takes this one
        self.assertEqual([one["digest"] for one in held], [digest], "the withdrawn order took effect later")
        self.assertEqual(self.descriptions(self.other), [])
        again = self.upstream("accept", "u", "a", "--digest", digest)
        self.assertIn(f"is accepted by the host at 127.0.0.1:{self.other.port}", again.stdout)
        self.assertEqual(self.descriptions(self.other), ["It writes"])
        self.assertEqual(self.status()["held"], [])

    def test_over_rest_a_host_does_not_wait_for_the_others(self):
        key = json.loads(run_toolpost(self.place, "key", "new", "root", "--scope", "admin", "--json", "--config",
                                      self.place.config).stdout)["key"]
        wait_until("the key is known", lambda: self.host.fetch("GET", "/v1/upstreams", key=key)[0] == 200)
        digest = self.hold("It writes")
        suspend(self.place, self.other)
        self.addCleanup(self.resume)
        post = lambda action, body=None: self.host.fetch("POST", f"/v1/upstreams/u/{action}", body, key=key)[0]
        self.assertEqual([post("refresh"), post("accept", {"tool": "a", "digest": digest})], [200, 200])
        self.resume()
        wait_until("the accepted definition is served by the other host", lambda: [
            tool for tool in self.other.fetch("GET", "/v1/upstreams", key=key)[2]["upstreams"][0]["tools"]])
