"""What the conformance suite runs as the client under test: a host whose upstream is the suite's server makes one call.

    python3 conformance_client.py TOOLPOST FOLDER URL        the scenario is in MCP_CONFORMANCE_SCENARIO
"""
import os
import pathlib
import subprocess
import sys

CALLS = {"initialize": None, "tools_call": ["add_numbers", "a=5", "b=3"], "sse-retry": ["test_reconnection"]}


def main(toolpost, folder, url):
    scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
    config = pathlib.Path(folder) / f"{scenario}.toml"
    config.write_text(f'[permission]\nmode = "bypass"\n[store]\nfile = ""\n[plugins]\ndirs = []\n[skills]\ndirs = []\n'
                      f'[[upstream]]\nname = "suite"\nurl = "{url}"\n')
    if CALLS[scenario] is None:
        words = ["upstream", "test", "suite"]
    else:
        tool, *arguments = CALLS[scenario]
        words = ["call", f"mcp__suite__{tool}", *arguments]
    return subprocess.run([toolpost, *words, "--config", config], timeout=60).returncode


sys.exit(main(*sys.argv[1:]))
