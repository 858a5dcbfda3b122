"""A Git repository with skills, for tests, and its section of the configuration."""
import json
import os
import subprocess

SKILL = "---\nname: {0}\ndescription: {1}\n---\n{2}\n"


def git(folder, *arguments):
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com",
                 "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com"}
    return subprocess.run(["git", *arguments], cwd=folder, env=variables, check=True, capture_output=True, text=True).stdout.strip()


class Repository:
    """A Git repository with skills, in a folder `source` of the workspace."""

    def __init__(self, root, name="source"):
        self.folder = root / name
        self.folder.mkdir()
        git(self.folder, "init", "--quiet", "--initial-branch=main")
        self.url = f"file://{self.folder}"

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def skill(self, name, description="Does things.", body="Text."):
        self.write(f"skills/{name}/SKILL.md", SKILL.format(name, description, body))

    def commit(self):
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--allow-empty", "--message=c")
        return git(self.folder, "rev-parse", "HEAD")


def section(url, name="team", **keys):
    lines = ["[[skill_repository]]", f'name = "{name}"', f'git = "{url}"']
    keys = {"path": "skills"} | keys
    return "\n".join(lines + [f"{key} = {json.dumps(value)}" for key, value in keys.items()]) + "\n"
