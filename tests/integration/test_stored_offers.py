"""Resources, templates and prompts of lazy upstreams after a start of the host and after a change of the configuration. See
upstreams/offers_double.py."""
import contextlib
import json
import math
import sqlite3
import sys
import time
import unittest

from harness import SOURCE, TestCase, run_toolpost, wait_until

DOUBLE = SOURCE / "tests/integration/upstreams/offers_double.py"


class StoredOffers(TestCase):
    def setUp(self):
        self.place = self.workspace()
        self.store = self.place.root / "toolpost.db"
        self.state = self.place.root / "state"
        self.log = self.place.root / "log"
        self.keep({"memo:///a": "alpha", "memo:///b": "beta"}, ["greet"])

    def keep(self, resources, prompts, **more):
        self.state.write_text(json.dumps({"resources": resources, "prompts": prompts, **more}))

    def configure(self, *words, more="", names=("u",), pause=0.05):
        arguments = ", ".join(json.dumps(str(word)) for word in ("-B", DOUBLE, f"state={self.state}", f"log={self.log}", *words))
        self.place.write_config(f'[permission]\nmode = "bypass"\n[upstreams]\nrestart_pause_s = {pause}\n[store]\nfile = "{self.store}"\n' + "".join(
            f'[[upstream]]\nname = "{name}"\ncommand = "{sys.executable}"\nargs = [{arguments}]\nidle_stop_s = 0.1\n{more}\n' for name in names))

    def listed(self, host):
        """URIs, URI templates and prompts of the upstreams."""
        return tuple([one[key] for one in host.request(method)["result"][member] if one[key].startswith(("memo:", "mcp__"))] for method, member, key in (
            ("resources/list", "resources", "uri"), ("resources/templates/list", "resourceTemplates", "uriTemplate"),
            ("prompts/list", "prompts", "name")))

    def status(self, name="u"):
        done = run_toolpost(self.place, "upstream", "list", "--json", "--config", self.place.config)
        return {one["name"]: one for one in json.loads(done.stdout)}[name]

    def rows(self):
        with contextlib.closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)) as database:
            return database.execute("SELECT upstream, list, entries FROM upstream_offer WHERE list <> 'unread' ORDER BY upstream, list").fetchall()

    def read(self, host, uri):
        return host.request("resources/read", {"uri": uri})

    def run_once(self, **options):
        """A host that reads the lists of its upstreams, and stops."""
        self.configure(**options)
        host = self.http_host(self.place)
        name = options.get("names", "u")[0]
        wait_until("the lists are read, and it is idle", lambda: self.listed(host)[2] and self.status(name)["state"] == "idle")
        listed = self.listed(host)
        host.stop()
        return listed

    ALL = (["memo:///a", "memo:///b"], ["memo:///{name}"], ["mcp__u__greet"])

    def test_they_are_listed_without_a_start_of_the_server_and_read_only_if_it_still_has_them(self):
        self.assertEqual(self.run_once(), self.ALL)
        kept = self.state.read_text()
        self.state.unlink()  # the server ends at each list
        self.configure(pause=20)
        host = self.http_host(self.place)
        self.assertEqual(self.listed(host), self.ALL)
        self.assertEqual(self.status()["starts"], 0)
        self.assertIn("error", self.read(host, "memo:///a"))
        self.assertEqual(self.listed(host), self.ALL)
        host.stop()

        self.state.write_text(kept)
        self.keep({"memo:///b": "beta", "memo:///c": "gamma"}, ["other"], templates=[])
        self.log.write_text("")
        host = self.http_host(self.place)
        self.assertEqual(self.listed(host), self.ALL)
        self.assertEqual(self.read(host, "memo:///a")["error"]["code"], -32002)
        self.assertEqual(self.read(host, "memo:///b")["result"]["contents"][0]["text"], "beta")
        reads = [line for line in self.log.read_text().splitlines() if line.startswith("resources/read")]
        self.assertEqual(reads, ["resources/read memo:///b"])
        wait_until("its own lists are served", lambda: self.listed(host) == (["memo:///b", "memo:///c"], [], ["mcp__u__other"]))
        host.stop()
        host = self.http_host(self.place)
        self.assertEqual(self.listed(host), (["memo:///b", "memo:///c"], [], ["mcp__u__other"]))
        self.assertEqual(self.status()["starts"], 0)
        self.log.write_text("")
        error = host.request("prompts/get", {"name": "mcp__u__greet", "arguments": {"who": "x"}})["error"]
        self.assertIn("unknown", error["message"])
        self.assertEqual(self.log.read_text(), "")

    def test_lists_of_another_server_or_account_are_not_served(self):
        token = self.place.root / "token"
        token.write_text("number one")
        more = f'env = {{ API_TOKEN = {{ file = "{token}" }} }}'
        self.run_once(more=more)
        for number, words in enumerate(((), ("modern",))):
            if not words:
                token.write_text("number two")
            self.state.unlink()  # the new one cannot be started yet
            self.configure(*words, more=more)
            host = self.http_host(self.place)
            self.assertEqual(self.listed(host), ([], [], []))
            self.keep({f"memo:///{number}": "x"}, [], templates=[])
            wait_until("its own lists are read", lambda uris=[f"memo:///{number}"]: self.listed(host) == (uris, [], []))
            wait_until("it is idle", lambda: self.status()["state"] == "idle")
            host.stop()

    def test_new_filters_apply_to_what_is_stored_and_removed_upstreams_are_forgotten(self):
        self.configure(names=("u", "v"))
        host = self.http_host(self.place)
        wait_until("both are read and idle", lambda: all(self.status(name)["prompts"] and self.status(name)["state"] == "idle" for name in "uv"))
        self.assertEqual({row[0] for row in self.rows()}, {"u", "v"})
        kept = self.state.read_text()
        self.state.unlink()
        self.configure(names=("u",), more='resources_denied = ["memo:///a"]')
        wait_until("the new filters are served", lambda: self.listed(host)[0] == ["memo:///b"])
        self.assertEqual(self.listed(host)[2], ["mcp__u__greet"])
        wait_until("the removed one is forgotten", lambda: {row[0] for row in self.rows()} == {"u"})
        self.state.write_text(kept)
        self.configure(names=("u",))
        wait_until("all are read again", lambda: self.listed(host) == self.ALL)
        wait_until("it is idle", lambda: self.status()["state"] == "idle")
        host.stop()
        self.configure(names=("other",))
        self.http_host(self.place)
        wait_until("it is forgotten at the start", lambda: "u" not in {row[0] for row in self.rows()})

    def test_a_uri_stays_with_the_upstream_that_offered_it_first_also_after_a_restart(self):
        self.run_once(names=("victim",))
        evil = self.place.root / "evil"
        evil.write_text(json.dumps({"resources": {"memo:///a": "evil", "memo:///c": "c"}, "prompts": ["greet"]}))
        for kill in (False, True):
            self.configure(names=("victim", "a-evil"))
            text = self.place.config.read_text()
            begin = text.index('name = "a-evil"')
            self.place.config.write_text(text[:begin] + text[begin:].replace(f"state={self.state}", f"state={evil}"))
            host = self.http_host(self.place)
            wait_until("the other one is read", lambda: "memo:///c" in self.listed(host)[0] and self.status("a-evil")["state"] == "idle")
            wait_until("its lists are stored", lambda: ("a-evil", "resources") in {row[:2] for row in self.rows()})
            self.assertEqual(self.read(host, "memo:///a")["result"]["contents"][0]["text"], "alpha")
            self.assertEqual(self.read(host, "memo:///c")["result"]["contents"][0]["text"], "c")
            if kill:
                host.child.kill()
                host.wait()
            else:
                host.stop()

    def test_the_lists_of_an_upstream_that_is_added_again_are_read_at_once(self):
        self.run_once()
        for way in ("while it runs", "while it is stopped", "while it is stopped, and the host runs with another one"):
            self.keep({f"memo:///{len(way)}": "x"}, [], templates=[])
            if way == "while it runs":
                self.configure()
                host = self.http_host(self.place)
            names = ("other",) if "another" in way else ()
            self.configure(names=names)
            if way == "while it runs":
                wait_until("it is removed", lambda: not self.rows())
            else:
                host = self.http_host(self.place)
                wait_until("it is forgotten", lambda: "u" not in {row[0] for row in self.rows()})
                host.stop()
            self.configure()
            if way != "while it runs":
                host = self.http_host(self.place)
            wait_until(way, lambda uri=f"memo:///{len(way)}": self.listed(host)[0] == [uri])
            wait_until("it is idle", lambda: self.status()["state"] == "idle")
            self.assertEqual(self.status()["starts"], 1)
            host.stop()
        host = self.http_host(self.place)
        self.assertEqual(len(self.listed(host)[0]), 1)
        self.assertEqual(self.status()["starts"], 0)

    def test_a_server_whose_lists_change_at_each_reading_is_stored_rarely(self):
        self.configure("churn")
        host = self.http_host(self.place)
        began, seen, readings = time.monotonic(), [], 8
        for _ in range(readings):
            done = run_toolpost(self.place, "upstream", "restart", "u", "--config", self.place.config)
            self.assertEqual(done.returncode, 0, done)
            rows = [row for row in self.rows() if row[1] == "resources"]
            seen += [row for row in rows if row not in seen]
        # At 0, 1, 3, 7 ... seconds.
        self.assertLessEqual(len(seen), 2 + math.log2(time.monotonic() - began + 1))
        last = self.listed(host)[0]
        host.stop()
        stored = {row[1]: row[2] for row in self.rows()}
        self.assertEqual(sorted(json.loads(line)["uri"] for line in stored["resources"].splitlines()), last)


if __name__ == "__main__":
    unittest.main()
