"""Repositories of skills: folders of the operator, the folder next to a plugin, and which of them an agent reads."""
import json
import os

from harness import TestCase, last_message, message, run_toolpost, text_of, wait_until
from minisign import Signer

CONFIG = """
[agent.team]
needs_key = false
skill_repositories = ["plugin:clock"]
[agent.house]
needs_key = false
skill_repositories = ["{root}/skills"]
[agent.greeter]
needs_key = false
plugins = ["hello"]
[agent.wrong]
skill_repositories = ["plugin:clok", "{root}/skils"]
"""
SKILL = """---
name: {0}
description: About {0}, {1}.
---
Text of {0}, {1}.
"""


class SkillRepositories(TestCase):
    def setUp(self):
        self.place = self.workspace("clock")
        root = self.place.root
        self.place.write_config(self.place.config.read_text() + CONFIG.format(root=root))
        # Another plugin in a folder of its own, as a package has it.
        (root / "package").mkdir()
        self.place.write_config(self.place.config.read_text().replace(
            f'dirs = ["{root}/plugins"]', f'dirs = ["{root}/plugins", "{root}/package"]'))
        self.place.skill("time", SKILL.format("time", "of the house"))
        self.ship("plugins", "time", "of the plugin")
        self.ship("plugins", "zones", "of the plugin")
        self.ship("package", "manners", "of the package")
        self.host = self.http_host(self.place)

    def ship(self, folder, name, text):
        at = self.place.root / folder / "skills" / name
        at.mkdir(parents=True, exist_ok=True)
        (at / "SKILL.md").write_text(SKILL.format(name, text))

    def drop_hello(self):
        os.replace(self.place.drop("hello"), self.place.root / "package/hello.so")

    def skills(self, path="/mcp"):
        """Name: description, as the skills extension lists them."""
        body, fields = message("skills/list", {}, "modern", 1, None)
        connection = self.host.connect()
        connection.request("POST", path, json.dumps(body), fields | {
            "Accept": "application/json, text/event-stream", "Content-Type": "application/json"})
        listed = last_message(connection.getresponse().read().decode())["result"]["skills"]
        connection.close()
        return {one["frontmatter"]["name"]: one["frontmatter"]["description"] for one in listed}

    def read(self, name):
        return self.host.call("Skill", {"skill": name})

    def toolpost(self, *words):
        return run_toolpost(self.place, *words, "--config", self.place.config)

    def test_skills_come_and_go_with_their_plugin(self):
        self.assertEqual(set(self.skills()), {"time", "zones"})
        self.assertIn("Text of zones", text_of(self.read("zones")))
        self.drop_hello()
        wait_until("the skill of the new plugin is served", lambda: "manners" in self.skills())
        (self.place.root / "package/hello.so").unlink()
        wait_until("it is withdrawn", lambda: "manners" not in self.skills())
        self.assertTrue(self.read("manners")["result"]["isError"])
        (self.place.root / "plugins/clock.so").unlink()
        wait_until("the folder of the other goes too", lambda: set(self.skills()) == {"time"})

    def test_a_plugin_shadows_no_skill_of_the_operator(self):
        self.assertEqual(self.skills()["time"], "About time, of the house.")
        self.assertIn("of the house", text_of(self.read("time")))
        listed = json.loads(self.toolpost("skills", "--json").stdout)
        plugins, house = str(self.place.root / "plugins/skills"), str(self.place.root / "skills")
        self.assertEqual(listed["shadowed"], [{"name": "time", "source": plugins, "by": house}])
        self.assertEqual(listed["repositories"], [{"source": plugins, "plugins": ["clock"], "skills": 2},
                                                  {"source": house, "plugins": [], "skills": 1}])
        told = self.toolpost("skills").stdout
        self.assertIn(f"time of {plugins} is shadowed by {house}", told)
        self.assertRegex(told, rf"REPOSITORY, LOWEST PRIORITY FIRST +OF +SKILLS\n{plugins} +clock +2\n{house} +operator +1\n")
        (self.place.root / "skills/time/SKILL.md").unlink()
        wait_until("the plugin's is served", lambda: self.skills()["time"] == "About time, of the plugin.")

    def test_an_agent_reads_the_repositories_of_its_profile(self):
        self.assertEqual(self.skills("/team/mcp"), {"time": "About time, of the plugin.", "zones": "About zones, of the plugin."})
        self.assertEqual(self.skills("/house/mcp"), {"time": "About time, of the house."})
        # An agent that does not see a plugin does not see its skills.
        self.assertEqual(self.skills("/greeter/mcp"), {"time": "About time, of the house."})
        self.drop_hello()
        wait_until("its own plugin's are served", lambda: set(self.skills("/greeter/mcp")) == {"manners", "time"})
        prompt = self.toolpost("skills", "--prompt", "--agent", "house").stdout
        self.assertIn("About time, of the house.", prompt)
        self.assertNotIn("zones", prompt)

    def test_unknown_repositories_are_reported(self):
        told = self.toolpost("doctor").stdout
        self.assertIn('skill_repositories in [agent.wrong]: no repository of skills is "plugin:clok"', told)
        self.assertIn('did you mean "plugin:clock"?', told)
        self.assertIn(f'no repository of skills is "{self.place.root}/skils"', told)
        self.assertNotIn("[agent.team]", told)

    def test_a_folder_that_others_can_write_is_not_read(self):
        folder = self.place.root / "plugins/skills"
        folder.chmod(0o777)
        wait_until("its skills are withdrawn", lambda: set(self.skills()) == {"time"})
        problems = self.host.fetch("GET", "/v1/skills")[2]["problems"]
        self.assertTrue([one for one in problems if f"{folder}: " in one and "can be written by other users" in one], problems)
        wait_until("the log says so", lambda: "can be written by other users" in self.host.error_text())
        folder.chmod(0o755)
        wait_until("they are served again", lambda: "zones" in self.skills())

    def test_the_prompt_over_rest(self):
        status, _, answer = self.host.fetch("GET", "/v1/skills/prompt")
        self.assertEqual(status, 200)
        self.assertIn("not tools to be called", answer["prompt"])
        self.assertIn("- zones: About zones, of the plugin.\n", answer["prompt"])
        self.assertEqual(answer["prompt"].strip(), self.toolpost("skills", "--prompt").stdout.strip())
        self.assertEqual(self.host.fetch("GET", "/v1/skills/prompt?session=nope")[0], 404)
        self.assertEqual(self.host.fetch("GET", "/v1/skills/prompt?seson=x")[0], 422)


class SignedPlugins(TestCase):
    def test_where_plugins_must_be_signed_their_skills_are_not_served(self):
        """The signature is of the library alone."""
        ours = Signer(1)
        place = self.workspace()
        folder = place.root / "plugins/skills/zones"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL.format("zones", "of the plugin"))
        library = place.drop("hello")
        (place.root / "plugins/hello.so.minisig").write_text(ours.minisig(library.read_bytes()))
        listed = lambda: json.loads(run_toolpost(place, "skills", "--json", "--config", place.config).stdout)
        self.assertEqual([one["name"] for one in listed()["skills"]], ["zones"])
        place.write_config(place.config.read_text().replace("[plugins]", f'[plugins]\nrequire_signature = ["{ours.public_key()}"]'))
        tools = json.loads(run_toolpost(place, "tools", "--json", "--config", place.config).stdout)
        self.assertIn("greet", [one["name"] for one in tools])
        self.assertEqual(listed()["skills"], [])
