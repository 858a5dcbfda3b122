"""Skills are read live: edited, added, broken and removed while the host serves."""
import unittest

from harness import TestCase, text_of, wait_until

INVOICES = """---
name: invoices
description: How invoices are filed.
---
# Filing invoices
Number them by year.
"""


class Skills(TestCase):
    def setUp(self):
        self.place = self.workspace()
        self.place.skill("invoices", INVOICES)
        self.host = self.http_host(self.place)

    def read(self, skill="invoices", **more):
        return self.host.call("Skill", {"skill": skill, **more})

    def catalogue(self):
        """Where models see what skills there are: the instructions, and the description of `Skill`."""
        instructions = self.host.request("server/discover", {}, era="modern")["result"].get("instructions", "")
        tools = self.host.request("tools/list")["result"]["tools"]
        return instructions, next((tool["description"] for tool in tools if tool["name"] == "Skill"), None)

    def test_a_skill_is_read_with_its_files(self):
        (self.place.root / "skills/invoices/references").mkdir()
        (self.place.root / "skills/invoices/references/vat.md").write_text("19 %\n")
        wait_until("the file list shows it", lambda: "references/vat.md" in text_of(self.read()))
        self.assertIn("Number them by year.", text_of(self.read()))
        self.assertIn("19 %", text_of(self.read(path="references/vat.md")))

    def test_an_edit_shows_in_the_next_read_and_in_the_catalogue(self):
        for text in self.catalogue():
            self.assertIn("How invoices are filed.", text)
        self.place.skill("invoices", INVOICES.replace("by year", "by month").replace("are filed", "are filed today"))
        wait_until("the next read shows the edit", lambda: "by month" in text_of(self.read()))
        for text in wait_until("the catalogue shows the edit",
                               lambda: (c := self.catalogue()) and all("filed today" in t for t in c) and c):
            self.assertNotIn("How invoices are filed.", text)

    def test_a_new_skill_appears_and_a_removed_one_goes(self):
        self.place.skill("travel", INVOICES.replace("invoices", "travel").replace("are filed", "are booked"))
        wait_until("the new skill is in the catalogue", lambda: all("are booked" in t for t in self.catalogue()))
        (self.place.root / "skills/travel/SKILL.md").unlink()
        wait_until("it is gone", lambda: self.read("travel")["result"].get("isError"))
        self.assertIn("invoices", text_of(self.read("travel")), "an unknown skill's error lists what there is")

    def test_a_broken_skill_hides_no_other_and_is_served_once_mended(self):
        self.place.skill("broken", "---\nname: broken\n---\nno description\n")
        wait_until("the log names the file", lambda: "broken/SKILL.md" in self.host.error_text())
        self.assertIn("Number them by year.", text_of(self.read()))
        self.assertTrue(self.read("broken")["result"]["isError"])
        self.place.skill("broken", INVOICES.replace("invoices", "broken"))
        wait_until("the mended skill is served", lambda: not self.read("broken")["result"].get("isError"))

    def test_no_path_leads_out_of_the_skill(self):
        secret = self.place.root / "secret.txt"
        secret.write_text("do not tell")
        (self.place.root / "skills/invoices/link.txt").symlink_to(secret)
        for path in ("../../secret.txt", str(secret), "link.txt", "references/../../../secret.txt", "", "a\0b"):
            with self.subTest(path):
                answer = self.read(path=path)
                self.assertNotIn("do not tell", str(answer))
                self.assertTrue("error" in answer or answer["result"].get("isError") or path == "")
        self.assertIn("Number them by year.", text_of(self.read()))

    def test_without_a_skill_there_is_no_skill_tool(self):
        place = self.workspace("hello")
        tools = self.http_host(place).request("tools/list")["result"]["tools"]
        self.assertEqual([tool["name"] for tool in tools if tool["name"] == "Skill"], [])


if __name__ == "__main__":
    unittest.main()
