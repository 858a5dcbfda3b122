"""What a host shows to who watches it: /metrics, /healthz, /readyz, through the real binary."""
import json
import os
import signal
import socket
import unittest

import exposition
from exposition import value
from harness import PATIENCE_S, TestCase, message, text_of, wait_until

ALLOW = '[permission]\nmode = "bypass"\n'
DENY = ALLOW + '[[rule]]\ntool = "kv_set"\nbehavior = "deny"\n'


def get(host, path, method="GET", **headers):
    connection = host.connect()
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response, body


def scrape(host):
    response, body = get(host, "/metrics")
    if response.status != 200:
        raise AssertionError(f"{response.status}: {body}")
    return exposition.parse(body)


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def children_of(host):
    return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and parent_of(pid) == host.child.pid]


class Reader(unittest.TestCase):
    """The tests below are worth what their reader refuses."""

    HEAD = "# HELP a_total x\n# TYPE a_total counter\n"

    def test_it_takes_what_is_right(self):
        families = exposition.parse(self.HEAD + 'a_total{b="q\\"\\\\\\n",c=""} 1e3\na_total 2\n')
        self.assertEqual(value(families, "a_total", b='q"\\\n', c=""), 1000)
        self.assertEqual(value(families, "a_total"), 2)

    def test_it_refuses_what_is_not(self):
        histogram = "# HELP h x\n# TYPE h histogram\n"
        for bad in ("", self.HEAD + "a_total 1", self.HEAD + "a_total 1\na_total 1\n", self.HEAD + "b 1\n",
                    self.HEAD + 'a_total{b="x} 1\n', self.HEAD + 'a_total{b="x"c="y"} 1\n', self.HEAD + "a_total one\n",
                    self.HEAD + 'a_total{b="x",} 1\n', self.HEAD + "a_total -1\n", self.HEAD + self.HEAD, "a_total 1\n",
                    self.HEAD.replace("a_total", "a"), self.HEAD + "\na_total 1\n", self.HEAD + "a_total  1\n",
                    histogram + 'h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n',
                    histogram + 'h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
                    histogram + 'h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 1\nh_count 1\n',
                    histogram + 'h_bucket{le="+Inf"} 2\nh_count 2\n', histogram + "h_sum 1\nh_count 2\n"):
            with self.subTest(bad=bad), self.assertRaises(exposition.Malformed):
                exposition.parse(bad)


class Metrics(TestCase):
    def hosts(self, *plugins, config=ALLOW):
        for isolation in ("worker", "inline"):
            with self.subTest(isolation=isolation):
                workspace = self.workspace(*plugins, config=config, isolation=isolation)
                host = self.http_host(workspace)
                host.workspace, host.isolation = workspace, isolation
                yield host

    def test_calls_are_counted_by_tool_and_outcome_and_timed(self):
        for host in self.hosts("services", config=DENY):
            for _ in range(3):
                host.call("kv_get", {"key": "k"})
            host.call("kv_get", {})
            host.call("kv_set", {"key": "k", "value": "v"})
            for name in ("no_such", "nor_such"):
                host.call(name)
            families = scrape(host)
            calls = {labels: n for (_, labels), n in families["toolpost_calls_total"].samples.items()}
            counted = {(dict(labels)["tool"], dict(labels)["outcome"]): n for labels, n in calls.items()}
            self.assertEqual(counted, {("kv_get", "ok"): 3, ("kv_get", "bad_arguments"): 1, ("kv_set", "denied"): 1,
                                       ("", "not_found"): 2})
            self.assertEqual(
                value(families, "toolpost_call_duration_seconds_count", kind="tool", tool="kv_get"), 4)
            self.assertGreater(
                value(families, "toolpost_call_duration_seconds_sum", kind="tool", tool="kv_get"), 0)
            outcomes = [line["outcome"] for line in host.workspace.audit_lines()]
            self.assertEqual(sorted(outcomes), sorted(o for (_, o), n in counted.items() for _ in range(int(n))))

    def test_calls_under_way_and_waiting_are_shown(self):
        for host in self.hosts("services", config=ALLOW + "[plugin.services.tool.hang]\nconcurrency_safe = false\n"):
            busy = [host.connect() for _ in range(3)]
            for connection in busy:
                body, headers = message("tools/call", {"name": "hang", "arguments": {}}, "modern")
                connection.request("POST", "/mcp", json.dumps(body), {"Content-Type": "application/json", **headers})
            wait_until("three calls are there", lambda: value(scrape(host), "toolpost_calls_in_flight") == 3)
            self.assertEqual(value(scrape(host), "toolpost_calls_waiting"), 2)
            wait_until("closed ones are gone", lambda: value(scrape(host), "toolpost_connections") == 4)
            for connection in busy:
                connection.close()
            wait_until("they are gone", lambda: value(scrape(host), "toolpost_calls_in_flight") == 0)

    def test_sessions_are_shown(self):
        for host in self.hosts("services"):
            self.assertEqual(value(scrape(host), "toolpost_sessions"), 0)
            host.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
                {"Accept": "application/json, text/event-stream"})
            self.assertEqual(value(scrape(host), "toolpost_sessions"), 1)

    def test_plugins_are_shown_through_reloads_and_refusals(self):
        for host in self.hosts("services"):
            families = scrape(host)
            self.assertEqual(value(families, "toolpost_plugin_serving", plugin="services"), 1)
            self.assertEqual(value(families, "toolpost_plugin_generation", plugin="services"), 1)
            self.assertEqual(value(families, "toolpost_plugin_state", plugin="services", state="active"), 1)
            self.assertEqual(value(families, "toolpost_plugin_info", plugin="services", version="1.0.0",
                                   isolation=host.isolation), 1)
            library = (host.workspace.root / "plugins/services.so").read_bytes()
            newer = host.workspace.root / "newer.so"
            newer.write_bytes(library + b"another build")
            host.workspace.drop("services", newer)
            wait_until("the second serves",
                       lambda: value(scrape(host), "toolpost_plugin_generation", plugin="services") == 2)
            newer.write_bytes(b"no library at all")
            host.workspace.drop("services", newer)
            wait_until("the third is refused", lambda: value(scrape(host), "toolpost_plugin_builds_total",
                                                             plugin="services", outcome="refused") == 1)
            families = scrape(host)
            self.assertEqual(
                value(families, "toolpost_plugin_builds_total", plugin="services", outcome="accepted"), 2)
            self.assertEqual(value(families, "toolpost_plugin_state", plugin="services", state="rejected"), 1)
            self.assertEqual(value(families, "toolpost_plugin_serving", plugin="services"), 1)
            wait_until("the first has retired",
                       lambda: value(scrape(host), "toolpost_plugin_generations_alive") == 1)

    def test_a_crash_and_the_next_worker_are_counted(self):
        workspace = self.workspace("services", config=ALLOW, isolation="worker")
        host = self.http_host(workspace)
        host.call("kv_get", {"key": "k"})
        self.assertEqual(value(scrape(host), "toolpost_plugin_workers_started_total", plugin="services"), 1)
        wait_until("the process that tried the library has ended", lambda: len(children_of(host)) == 1)
        os.kill(children_of(host)[0], signal.SIGSEGV)
        wait_until("it is counted",
                   lambda: value(scrape(host), "toolpost_plugin_crashes_total", plugin="services") == 1)
        self.assertEqual(text_of(host.call("kv_get", {"key": "k"})), "nothing")
        self.assertEqual(value(scrape(host), "toolpost_plugin_workers_started_total", plugin="services"), 2)

    def test_the_process_is_shown(self):
        host = self.http_host(self.workspace())
        families = scrape(host)
        self.assertGreater(value(families, "process_resident_memory_bytes"), 1 << 20)
        self.assertGreater(value(families, "process_open_fds"), 3)
        self.assertGreater(value(families, "process_start_time_seconds"), 1.6e9)
        self.assertEqual(len(families["toolpost_build_info"].samples), 1)

    def test_the_pages_have_their_types_and_take_no_other_method(self):
        host = self.http_host(self.workspace())
        for path in ("/metrics", "/healthz", "/readyz"):
            response, body = get(host, path)
            self.assertEqual(response.status, 200, body)
            self.assertTrue(response.getheader("Content-Type").startswith("text/plain; "))
            self.assertEqual(get(host, path, "HEAD")[0].status, 200)
            refused, _ = get(host, path, "POST")
            self.assertEqual((refused.status, refused.getheader("Allow")), (405, "GET, HEAD"))
        self.assertEqual(get(host, "/metrics")[0].getheader("Content-Type"),
                         "text/plain; version=0.0.4; charset=utf-8")
        self.assertEqual(get(host, "/metrics?x=1")[0].status, 200)
        self.assertEqual(get(host, "/metric")[0].status, 404)

    def test_they_stand_behind_the_checks_of_all_others(self):
        host = self.http_host(self.workspace())
        for path in ("/metrics", "/healthz", "/readyz"):
            self.assertEqual(get(host, path, Host="evil.example")[0].status, 403)
            self.assertEqual(get(host, path, Origin="https://evil.example")[0].status, 403)

    def test_a_host_that_stops_lives_and_is_not_ready(self):
        host = self.http_host(self.workspace())
        heads = {path: socket.create_connection(("127.0.0.1", host.port), PATIENCE_S) for path in ("healthz", "readyz")}
        for path, half in heads.items():
            half.sendall(f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode())
        self.assertEqual(get(host, "/readyz")[0].status, 200)  # those before it have been read
        host.child.terminate()
        wait_until("it stops", lambda: "stopping" in host.error_text())
        for path, answer in (("healthz", b"HTTP/1.1 200 "), ("readyz", b"HTTP/1.1 503 ")):
            heads[path].sendall(b"\r\n")
            self.assertTrue(heads[path].recv(100).startswith(answer))
            heads[path].close()
        self.assertEqual(host.wait(), 0)

    def test_an_operator_can_do_without_metrics(self):
        host = self.http_host(self.workspace(config="[metrics]\nenabled = false"))
        self.assertEqual(get(host, "/metrics")[0].status, 404)
        self.assertEqual(get(host, "/healthz")[0].status, 200)


COUNTER, GAUGE, HISTOGRAM = 1, 2, 3


class PluginMetrics(TestCase):
    """tp.metrics/1, the same in a worker and inline."""

    hosts = Metrics.hosts

    def measure(self, host, act, kind, name, number=0.0, **more):
        labels = more.pop("labels", {})
        return text_of(host.call("measure", {"act": act, "kind": kind, "name": name, "value": number, "times": 1,
                                             "labels": list(labels), "values": list(labels.values()), **more}))

    def shown(self, host, name, number, **labels):
        wait_until(f"{name} is {number}", lambda: value(scrape(host), name, plugin="services", **labels) == number)

    def test_what_a_plugin_counts_is_shown(self):
        for host in self.hosts("services"):
            for loaves in (2, 3.5):
                host.call("bake", {"bread": 'r"y\\e\n', "loaves": loaves})
            self.shown(host, "plugin_loaves_sold_total", 5.5, bread='r"y\\e\n')
            self.shown(host, "plugin_oven_loaves", 2.5)
            self.shown(host, "plugin_baking_seconds_count", 2)
            families = scrape(host)
            self.assertEqual(families["plugin_loaves_sold_total"].kind, "counter")
            self.assertEqual(families["plugin_loaves_sold_total"].help, "Loaves that were sold")
            self.assertEqual(value(families, "plugin_baking_seconds_bucket", plugin="services", le="0.025"), 0)
            self.assertEqual(value(families, "plugin_baking_seconds_bucket", plugin="services", le="0.05"), 2)
            self.assertAlmostEqual(value(families, "plugin_baking_seconds_sum", plugin="services"), 0.06)
            self.assertEqual(
                value(families, "toolpost_plugin_metrics_dropped_total", plugin="services"), 0)

    def test_they_go_on_over_a_reload_and_lose_nothing_by_it(self):
        for host in self.hosts("services"):
            library = (host.workspace.root / "plugins/services.so").read_bytes()
            newer = host.workspace.root / "newer.so"
            for build in range(1, 4):
                for _ in range(10):
                    host.call("bake", {"bread": "rye", "loaves": 1})
                newer.write_bytes(library + b"build %d" % build)
                host.workspace.drop("services", newer)
                wait_until("the next serves", lambda build=build: value(
                    scrape(host), "toolpost_plugin_generation", plugin="services") == build + 1)
            self.shown(host, "plugin_loaves_sold_total", 30, bread="rye")

    def test_one_that_counts_all_the_time_reaches_nobody_but_itself(self):
        for host in self.hosts("services"):
            self.assertEqual(self.measure(host, "add", COUNTER, "spins_total", 1, times=300_000), "0")
            self.assertEqual(self.measure(host, "observe", HISTOGRAM, "spins", 7, bounds=[5, 10], times=3), "0")
            self.shown(host, "plugin_spins_total", 300_000)
            self.shown(host, "plugin_spins_bucket", 3, le="10")
            self.assertEqual(value(scrape(host), "plugin_spins_bucket", plugin="services", le="5"), 0)

    def test_what_is_malformed_is_refused_and_the_rest_goes_on(self):
        for host in self.hosts("services"):
            for bad in (("add", COUNTER, "no_ending", 1), ("add", COUNTER, "less_total", -1),
                        ("set", COUNTER, "s_total"), ("observe", GAUGE, "gauge", 1), ("set", GAUGE, "Upper", 1), ("set", 9, "kind", 1)):
                self.assertEqual(self.measure(host, *bad), "-1", bad)
            for labels in ({"plugin": "other"}, {"le": "1"}, {"x": "y" * 129}):
                name = "labelled_" + "_".join(labels)
                self.assertEqual(self.measure(host, "set", GAUGE, name, 1, labels=labels), "-1")
            self.assertEqual(self.measure(host, "set", GAUGE, "good", 4, labels={"x": "y"}), "0")
            self.shown(host, "plugin_good", 4, x="y")

    def test_series_are_bounded(self):
        for host in self.hosts("services"):
            answers = {self.measure(host, "set", GAUGE, "many", i, labels={"i": str(i)}) for i in range(0, 20)}
            self.assertEqual(answers, {"0"})
            bounds = list(range(24))
            refused = 0
            for i in range(80):
                refused += self.measure(host, "observe", HISTOGRAM, "wide", i, labels={"i": str(i)},
                                        bounds=bounds) == "-7"
            self.assertGreater(refused, 0)
            def wide():
                family = scrape(host).get("plugin_wide")
                return len([1 for name, _ in family.samples if name.endswith("_count")]) if family else 0
            wait_until("the rest is shown", lambda: wide() == 80 - refused)
            lines = sum(len(family.samples) for name, family in scrape(host).items() if name.startswith("plugin_"))
            self.assertLessEqual(lines, 2000)

    def test_two_plugins_share_a_name_of_one_kind_and_the_later_loses_one_of_another(self):
        for host in self.hosts("services", "services_serial"):
            host.call("bake", {"bread": "rye", "loaves": 1})
            host.call("serial_bake", {"bread": "rye", "loaves": 4})
            self.shown(host, "plugin_loaves_sold_total", 1, bread="rye")
            wait_until("the other's is shown", lambda: value(
                scrape(host), "plugin_loaves_sold_total", plugin="services_serial", bread="rye") == 4)
            self.measure(host, "set", GAUGE, "clash", 1)
            self.shown(host, "plugin_clash", 1)
            host.call("serial_measure", {"act": "observe", "kind": HISTOGRAM, "name": "clash", "value": 1, "times": 1})
            wait_until("it is dropped", lambda: value(
                scrape(host), "toolpost_plugin_metrics_dropped_total", plugin="services_serial") == 1)

    def test_without_metrics_a_plugin_is_told(self):
        for host in self.hosts("services", config=ALLOW + "[metrics]\nenabled = false"):
            wait_until("it knows", lambda: self.measure(host, "set", GAUGE, "gauge", 1) == "-2")
            self.assertEqual(text_of(host.call("bake", {"bread": "rye", "loaves": 1})), "baked")
