"""Servers and loads as the benchmarks start them: the server on core 1, who loads it on core 0."""
import json
import os
import pathlib
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def pinned(core, command):
    return ["taskset", "-c", str(core), *map(str, command)]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port, process):
    for _ in range(1000):
        if process.poll() is not None:
            raise SystemExit(f"bench: {process.args} ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.01)
    raise SystemExit("bench: the server does not listen")


def load(build, *arguments, key=None):
    """What bench_load measured; with an API key in each request where one is given."""
    environment = os.environ | ({"LOAD_KEY": key} if key else {})
    out = subprocess.run(pinned(0, [build / "bench/bench_load", *arguments]), capture_output=True, text=True,
                         timeout=60, env=environment)
    if out.returncode != 0:
        raise SystemExit(f"bench: {' '.join(map(str, arguments))}: {out.stderr}")
    return json.loads(out.stdout)


def release_build():
    """The release preset, built as the tree is now."""
    subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release"], cwd=ROOT, check=True)
    return ROOT / "build/release"
