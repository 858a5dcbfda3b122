"""What large texts took of memory is given back once there are no more of them: by the host and by a worker."""
import concurrent.futures
import pathlib

from harness import TestCase, text_of, wait_until

TEXT = "abcdefgh" * 400_000
AT_MOST_MORE_KB = 4096


def memory_kb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


class Memory(TestCase):
    def serve(self, isolation):
        place = self.workspace("hello", config=f'[plugin.hello]\nisolation = "{isolation}"\n')
        host = self.http_host(place)
        wait_until("hello is served", lambda: "result" in host.call("echo", {"text": "x"}))
        pid = host.child.pid
        children = lambda: pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        # The process of the validation load may need a moment to end.
        wait_until("only the worker runs", lambda: len(children()) == (isolation == "worker"))
        return host, [pid, *map(int, children())]

    def echo(self, host):
        self.assertTrue(text_of(host.call("echo", {"text": TEXT})) == TEXT)

    def goes_back(self, isolation):
        host, processes = self.serve(isolation)
        before = {pid: memory_kb(pid) for pid in processes}
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for call in [pool.submit(self.echo, host) for _ in range(12)]:
                call.result()
        more = lambda: {pid: memory_kb(pid) - before[pid] for pid in processes}
        self.assertTrue(any(kb > AT_MOST_MORE_KB for kb in more().values()), more())
        wait_until("it is given back", lambda: all(kb <= AT_MOST_MORE_KB for kb in more().values()))
        self.echo(host)

    def test_of_a_worker_and_its_host(self):
        self.goes_back("worker")

    def test_of_a_host_whose_plugin_runs_inline(self):
        self.goes_back("inline")
