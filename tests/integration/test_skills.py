"""Skills are read live: edited, added, broken and removed while the host serves."""
import os
import threading
import unittest

from harness import TestCase, run_toolpost, text_of, wait_until

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

    def test_reads_during_edits_in_place_never_fail(self):
        file = self.place.root / "skills/invoices/SKILL.md"
        done = threading.Event()

        def edit():
            number = 0
            while not done.is_set():
                number += 1
                with open(file, "w") as out:  # empties it, as editors do that write in place
                    out.flush()
                    os.fsync(out.fileno())
                    out.write(INVOICES.replace("by year", f"by year {number}"))
        writer = threading.Thread(target=edit)
        writer.start()
        try:
            for _ in range(400):
                answer = self.read()
                self.assertFalse(answer["result"].get("isError"), answer)
                self.assertIn("Number them by year", text_of(answer))
        finally:
            done.set()
            writer.join()
        file.write_text(INVOICES.replace("by year", "by week"))
        wait_until("the last edit is served", lambda: "by week" in text_of(self.read()))

    def problems(self):
        return self.host.fetch("GET", "/v1/skills")[2]["problems"]

    def test_a_broken_edit_leaves_the_last_valid_text_and_is_reported(self):
        self.assertEqual(self.problems(), [])
        self.place.skill("invoices", INVOICES.replace("description:", "descriptoin:").replace("by year", "by day"))
        wait_until("the fault is reported", self.problems)
        self.assertIn("Number them by year.", text_of(self.read()))
        for text in self.catalogue():
            self.assertIn("How invoices are filed.", text)
        said = "\n".join(self.problems())
        for part in ("SKILL.md: error[S007]: description is missing", 'unknown key "descriptoin"',
                     'warning[S013]: the last valid text of the skill "invoices" is still served'):
            self.assertIn(part, said)
            wait_until("the log has it", lambda: part.split(": ")[-1] in self.host.error_text())
        checked = run_toolpost(self.place, "skill", "check", self.place.root / "skills/invoices")
        self.assertEqual(checked.returncode, 3, checked)
        self.assertIn("description is missing", checked.stdout)
        self.place.skill("invoices", INVOICES.replace("by year", "by day"))
        wait_until("the corrected text is served", lambda: "by day" in text_of(self.read()))
        self.assertEqual(self.problems(), [])
        self.place.skill("travel", INVOICES.replace("invoices", "travel"))  # without any skill there is no tool `Skill`
        wait_until("the other is served", lambda: not self.read("travel")["result"].get("isError"))
        (self.place.root / "skills/invoices/SKILL.md").unlink()
        wait_until("a removed file withdraws it", lambda: self.read()["result"].get("isError"))

    def test_a_name_that_breaks_the_format_is_refused(self):
        names = ["../../etc/cron.d/x", "/etc/passwd", "a/b", "In voices"]
        for number, name in enumerate(names):
            self.place.skill(f"s{number}", INVOICES.replace("name: invoices", f"name: {name}"))
        wait_until("all are reported", lambda: len(self.problems()) == len(names))
        for number, name in enumerate(names):
            self.assertTrue(self.read(name)["result"]["isError"])
            self.assertTrue(self.read(f"s{number}")["result"]["isError"])
        for text in self.catalogue():
            self.assertNotIn("/etc", text)
        listed = self.host.request("skills/list", {}, era="modern")["result"]["skills"]
        self.assertEqual([skill["frontmatter"]["name"] for skill in listed], ["invoices"])

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a file to another user")
    def test_a_hard_link_to_a_file_of_another_user_is_not_served(self):
        theirs = self.place.root / "theirs.txt"
        theirs.write_text("do not tell")
        os.chown(theirs, 12345, 12345)
        ours = self.place.root / "ours.txt"
        ours.write_text("the fee table")
        for file in (theirs, ours):
            os.link(file, self.place.root / "skills/invoices" / file.name)
        self.assertIn("the fee table", text_of(self.read(path="ours.txt")))
        answer = self.read(path="theirs.txt")
        self.assertTrue(answer["result"]["isError"])
        self.assertNotIn("do not tell", str(answer))
        self.assertIn("hard link to a file of another user", text_of(answer))
        self.assertNotIn("theirs.txt", text_of(self.read()))
        by_uri = self.host.request("resources/read", {"uri": "skill://invoices/theirs.txt"})
        self.assertNotIn("do not tell", str(by_uri))

    def test_listed_front_matter_has_no_hidden_characters(self):
        self.place.skill("sly", INVOICES.replace("name: invoices", 'name: sly').replace(
            "description: How", 'hint: "a\\e[31m\\u202Eb\\u200B"\ndescription: How'))
        def listed():
            skills = self.host.request("skills/list", {}, era="modern")["result"]["skills"]
            return next((skill["frontmatter"] for skill in skills if skill["frontmatter"]["name"] == "sly"), None)
        self.assertEqual(wait_until("it is listed", listed)["hint"], "a<U+001B>[31m<U+202E>b<U+200B>")

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
