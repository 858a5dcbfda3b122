"""check_labels.py LABEL PROGRAM...: fails if ctest knows no test of a program with this label. Runs in the build folder.

A label that gets lost makes `ctest -L` skip tests without a word.
"""
import json
import os
import subprocess
import sys

label, *programs = sys.argv[1:]
listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1", "-L", f"^{label}$"],
                                   check=True, capture_output=True, text=True).stdout)
labelled = {os.path.basename(test["command"][0]) for test in listed["tests"] if "command" in test}
missing = [name for name in programs if name not in labelled]
for name in missing:
    print(f"{name}: none of its tests has the label {label}")
sys.exit(1 if missing or not programs else 0)
