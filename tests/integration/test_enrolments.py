"""One-time codes over REST: a person enrols alone, keeps and ends what it has; the operator sees and ends."""
import json
import unittest

from harness import TestCase, files_below, run_toolpost, text_of
from one_time_codes import code_of, first_code_of


class Enrolments(TestCase):
    def setUp(self):
        self.place = self.workspace("warehouse", config="\n".join([
            '[log]\nlevel = "debug"', "[approval]\nwait_s = 30", "[plugin.warehouse]\nenabled = true"]))
        self.anna = self.key("anna", "call", "approve")
        self.boss = self.key("boss", "approve", "admin")
        self.bot = self.key("anna", "call")  # what a model's harness holds
        self.host = self.http_host(self.place)

    def key(self, principal, *scopes):
        words = [word for scope in scopes for word in ("--scope", scope)]
        return json.loads(self.verb("key", "new", principal, *words, "--json"))["key"]

    def verb(self, *words):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def ask(self, method, path, body=None, key=None, status=200):
        got, headers, answer = self.host.fetch(method, f"/v1/totp{path}", body, key or self.anna)
        self.assertEqual(got, status, answer)
        if status != 204:
            self.assertEqual(headers["Cache-Control"], "no-store")
        return answer

    def refused(self, *words, **options):
        return self.ask(*words, **options)["detail"]

    def state(self):
        return self.ask("GET", "")["state"]

    def enrolled(self):
        self.made = self.ask("POST", "")
        return self.ask("POST", "/confirm", {"code": self.code(-1)})["recovery"]

    def code(self, ahead=0):
        return code_of(self.made["secret"], ahead)

    def noted(self):
        return [(line["principal"], line["by"], line["outcome"]) for line in self.place.audit_lines("totp")]

    def test_a_person_enrols_alone_and_the_codes_count(self):
        self.assertEqual(self.ask("GET", ""), {"principal": "anna", "state": "none"})
        made = self.made = self.ask("POST", "")
        self.assertTrue(made["uri"].startswith(f"otpauth://totp/Toolpost:anna?secret={made['secret']}&"), made)
        self.assertEqual({len(row) for row in made["qr"]}, {len(made["qr"])})
        self.assertEqual(self.state(), "to be confirmed")
        self.assertNotIn(made["secret"], json.dumps(self.ask("GET", "")))
        self.assertIn("is wrong", self.refused("POST", "/confirm", {"code": "000000"}, status=403))
        self.assertEqual(self.state(), "to be confirmed")
        recovery = self.ask("POST", "/confirm", {"code": self.code(-1)})["recovery"]
        self.assertEqual(len(set(recovery)), 8)
        own = self.ask("GET", "")
        self.assertEqual((own["state"], own["recovery_codes"]), ("valid", 8))
        answer = self.host.call("priv_approve_order", {"order": "none"}, headers={
            "Authorization": f"Bearer {self.bot}", "X-Toolpost-TOTP": self.code()})
        self.assertIn("order none", text_of(answer))  # it ran, and there is no such order
        # What counts is replaced by nobody who has no code.
        self.assertIn("remove them first", self.refused("POST", "", status=409))
        self.assertEqual(self.state(), "valid")
        self.assertEqual(self.noted(), [("anna", "rest:anna", "enrolled"), ("anna", "rest:anna", "denied"),
                                        ("anna", "rest:anna", "confirmed")])
        self.host.stop()
        told = self.host.error_text() + self.place.audit.read_text()
        for secret in (made["secret"], self.code(), *recovery):
            self.assertNotIn(secret, told)
        files = b"".join(path.read_bytes() for path in files_below(self.place.root) if path.is_file())
        for secret in recovery:
            self.assertNotIn(secret.encode(), files)

    def test_recovery_codes_are_renewed_and_codes_removed_by_a_code(self):
        old = self.enrolled()
        self.assertIn("is wrong", self.refused("POST", "/recovery", {"code": "000000"}, status=403))
        fresh = self.ask("POST", "/recovery", {"code": old[0]})["recovery"]
        self.assertIn("is wrong", self.refused("POST", "/remove", {"code": old[1]}, status=403))
        self.assertEqual(self.ask("GET", "")["recovery_codes"], 8)
        self.ask("POST", "/remove", {"code": fresh[7]}, status=204)
        self.assertEqual(self.state(), "none")
        self.assertIn("has no one-time codes", self.refused("POST", "/remove", {"code": fresh[6]}, status=403))
        self.assertEqual([outcome for _, _, outcome in self.noted()],
                         ["enrolled", "confirmed", "denied", "renewed", "denied", "removed", "denied"])
        # One that was not confirmed counts for nothing, and takes no code to drop or to begin again.
        first = self.ask("POST", "")
        self.assertNotEqual(self.ask("POST", "")["secret"], first["secret"])
        self.ask("POST", "/remove", {"code": ""}, status=204)
        self.assertEqual(self.state(), "none")

    def test_guessing_locks_and_the_operator_unlocks_and_removes(self):
        self.enrolled()
        for _ in range(5):
            self.refused("POST", "/remove", {"code": "000000"}, status=403)
        told = self.refused("POST", "/remove", {"code": self.code()}, status=403)
        self.assertIn("none is taken for 15 minutes", told)
        self.assertEqual(self.state(), "locked")
        listed = self.ask("GET", "/principals", key=self.boss)["principals"]
        self.assertEqual([(one["principal"], one["state"]) for one in listed], [("anna", "locked")])
        self.ask("POST", "/principals/anna", {"act": "unlock"}, key=self.boss, status=204)
        self.assertEqual(self.state(), "valid")
        self.ask("DELETE", "/principals/anna", key=self.boss, status=204)
        self.assertEqual(self.state(), "none")
        self.assertEqual(self.noted()[-2:], [("anna", "rest:boss", "unlocked"), ("anna", "rest:boss", "removed")])
        for method, body in (("POST", {"act": "unlock"}), ("DELETE", None)):
            told = self.refused(method, "/principals/anna", body, key=self.boss, status=404)
            self.assertIn("has no one-time codes", told)

    def test_who_may_not_and_what_is_wrong_is_told(self):
        self.enrolled()
        acts = [("GET", "", None), ("POST", "", None), ("POST", "/confirm", {"code": "1"}),
                ("POST", "/recovery", {"code": "1"}), ("POST", "/remove", {"code": "1"})]
        operators = [("GET", "/principals", None), ("POST", "/principals/anna", {"act": "unlock"}),
                     ("DELETE", "/principals/anna", None)]
        for method, path, body in acts + operators:
            self.assertIn("no scope", self.refused(method, path, body, key=self.bot, status=403))
            self.assertEqual(self.host.fetch(method, f"/v1/totp{path}", body)[0], 401, path)  # local
        for method, path, body in operators:
            self.refused(method, path, body, status=403)
        for body, why in ((None, "not valid JSON"), ([], "expected an object"), ({}, "/code: is missing"),
                          ({"code": 1}, "/code: expected a string"), ({"code": "1", "more": "1"}, "/more: unknown"),
                          ({"cod": "1"}, "/code: is missing"),
                          ({"code": json.loads("[" * 128 + "]" * 128)}, "limits.json_depth")):
            self.assertIn(why, self.refused("POST", "/remove", body, status=422))
        self.assertIn("/act", self.refused("POST", "/principals/anna", {"act": "lock"}, key=self.boss, status=422))
        self.assertEqual(self.host.fetch("PUT", "/v1/totp", {}, self.anna)[0], 405)
        self.assertEqual(self.state(), "valid")

    def test_the_command_line_and_rest_are_of_one_mind(self):
        made = json.loads(self.verb("totp", "enroll", "anna", "--json"))
        self.assertEqual(self.state(), "to be confirmed")
        self.verb("totp", "confirm", "anna", first_code_of(made["secret"]))
        self.assertEqual(self.ask("GET", "")["recovery_codes"], 8)
        listed = json.loads(self.verb("totp", "list", "--json"))
        self.assertEqual(listed, self.ask("GET", "/principals", key=self.boss)["principals"])

    def test_without_a_store_there_are_no_codes(self):
        self.host.stop()
        place = self.workspace("hello", config='[store]\nfile = ""')
        host = self.http_host(place)
        self.assertEqual(host.fetch("GET", "/v1/totp")[0], 401)


if __name__ == "__main__":
    unittest.main()
