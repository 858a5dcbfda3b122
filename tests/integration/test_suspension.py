"""A machine that was suspended: other machines have forgotten its connections, and nobody told it."""
import json
import os
import socket
import threading
import unittest

from harness import BUILD, TestCase, text_of, wait_until
from test_upstream_openapi import BASE, document
from test_upstreams_http import section
from upstreams.api_double import ApiDouble
from upstreams.http_double import HttpDouble

CLOCK = BUILD / "tests/plugins/suspended_clock.so"


class Network:
    """Passes connections on to a server. forget() drops the bytes of all present connections and tells nobody."""

    def __init__(self, port):
        self.to, self.age, self.sockets = port, 0, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.to))
            self.sockets += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(one, other, self.age), daemon=True).start()

    def _pass_on(self, one, other, age):
        try:
            while data := one.recv(65536):
                if age == self.age:
                    other.sendall(data)
        except OSError:
            pass
        if age == self.age:  # otherwise not even its end is told
            try:
                other.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def forget(self):
        self.age += 1

    def close(self):
        for one in (self.listener, *self.sockets):
            one.close()


class Suspension(TestCase):
    def network(self, port):
        made = Network(port)
        self.addCleanup(made.close)
        return made

    def start(self, config):
        self.place = self.workspace(config=BASE + config)
        self.clock = self.place.root / "suspended"
        self.clock.write_text("0")
        self.host = self.http_host(self.place, within=("env", f"LD_PRELOAD={CLOCK}", f"SUSPENDED_CLOCK={self.clock}"))

    def listed(self, name):
        wait_until(f"{name} is listed", lambda: name in {one["name"] for one in self.host.request("tools/list")["result"]["tools"]})

    def suspend(self, *networks, seconds=8 * 3600):
        for one in networks:
            one.forget()
        new = self.clock.with_suffix(".new")
        new.write_text(str(int(self.clock.read_text()) + seconds))
        os.replace(new, self.clock)

    def test_the_next_call_of_each_kind_of_server_arrives_once(self):
        doubles = {kind: HttpDouble(kind) for kind in ("modern", "session", "sse")}
        for double in doubles.values():
            self.addCleanup(double.close)
        networks = {kind: self.network(double.port) for kind, double in doubles.items()}
        self.start("".join(section(kind, networks[kind].url) for kind in doubles))
        for kind, double in doubles.items():
            self.listed(f"mcp__{kind}__act")
            call = lambda kind=kind: text_of(self.host.call(f"mcp__{kind}__act"))
            self.assertEqual(call(), "did it")
            self.suspend(networks[kind])
            self.assertEqual(call(), "did it", kind)  # it would wait for a dead connection
            self.assertEqual(double.done, ["act", "act"], kind)  # and no call was sent twice
            begun = double.methods().count("initialize")
            self.assertEqual(call(), "did it")
            self.assertEqual(double.done, ["act"] * 3)
            self.assertEqual(double.methods().count("initialize"), begun)  # what was opened since then is used again

    def test_a_server_that_forgot_the_session_meanwhile(self):
        double = HttpDouble("session")
        self.addCleanup(double.close)
        network = self.network(double.port)
        self.start(section("one", network.url))
        self.listed("mcp__one__act")
        self.assertEqual(text_of(self.host.call("mcp__one__act")), "did it")
        double.sessions.clear()
        self.suspend(network)
        self.assertEqual(text_of(self.host.call("mcp__one__act")), "did it")
        self.assertEqual(double.done, ["act", "act"])

    def test_an_http_api(self):
        api = ApiDouble()
        self.addCleanup(api.close)
        network = self.network(int(api.origin.rpartition(":")[2]))
        origin = f"http://127.0.0.1:{network.port}"
        self.start("")
        self.host.stop()
        (self.place.root / "pets.json").write_text(json.dumps(document(origin, security=[])))
        self.place.write_config(self.place.config.read_text() + f'[[upstream]]\nname = "pets"\nopenapi = "pets.json"\norigins = ["{origin}"]\n')
        self.host = self.http_host(self.place, within=self.host.command[:3])
        self.listed("mcp__pets__getPet")
        for _ in range(2):
            read = self.host.call("mcp__pets__getPet", {"petId": "rex"})["result"]
            self.assertEqual(read["structuredContent"]["path"], "/v1/pets/rex")
            self.suspend(network)
        self.assertEqual(len(api.seen), 2)


if __name__ == "__main__":
    unittest.main()
