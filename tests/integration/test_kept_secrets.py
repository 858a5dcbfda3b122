"""Secrets that the store has to keep are sealed: a copy of the database alone opens nothing."""
import base64
import json
import pathlib
import sqlite3
import subprocess
import unittest

from harness import TOOLPOST, TestCase, environment, run_toolpost

CLEAR = b"a seed in clear text"  # 20 bytes, as long as any


class KeptSecrets(TestCase):
    def setUp(self):
        self.place = self.workspace()
        self.state = self.place.root / "state"
        self.store = self.state / "toolpost.db"
        self.key = pathlib.Path(f"{self.store}.key")
        self.place.write_config(f'[store]\nfile = "{self.store}"\n[audit]\nfile = "{self.state}/audit.jsonl"')
        made = json.loads(self.run_verb("totp", "enroll", "anna", "--json").stdout)
        self.secret = base64.b32decode(made["secret"] if "secret" in made else
                                       made["uri"].split("secret=")[1].split("&")[0])

    def run_verb(self, *words):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, (words, done))
        return done

    def on_disk(self, secret):
        return [file.name for file in self.state.iterdir() if secret in file.read_bytes()]

    def refused(self, *parts):
        done = subprocess.run([TOOLPOST, "serve", "--listen", "127.0.0.1:0", "--config", self.place.config], text=True,
                              env=environment(self.place.root), stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=30, check=False)
        listed = run_toolpost(self.place, "totp", "list", "--config", self.place.config)
        for result in (done, listed):
            self.assertGreater(result.returncode, 0, result)
            self.assertEqual(len([line for line in result.stderr.splitlines()
                                  if line.startswith("toolpost: ") or " error app: " in line]), 1, result)
            for part in parts:
                self.assertIn(part, result.stderr)

    def test_no_file_has_the_seed(self):
        self.assertEqual(len(self.secret), 20)
        self.assertEqual(self.on_disk(self.secret), [])
        self.assertEqual(self.on_disk(base64.b32encode(self.secret)), [])
        self.assertEqual(self.key.stat().st_mode & 0o777, 0o600)

    def test_without_its_key_or_with_another_it_does_not_start(self):
        key = self.key.read_bytes()
        self.key.unlink()
        self.refused(f"key file {self.key} is missing", "put back")
        self.key.write_bytes(base64.b64encode(bytes(32)))
        self.key.chmod(0o600)
        self.refused("does not have the key")
        self.key.write_bytes(key)
        self.key.chmod(0o644)
        self.refused(f"chmod 600 {self.key}")
        self.key.chmod(0o600)
        self.run_verb("totp", "list")
        self.http_host(self.place)

    def test_the_secret_of_a_webhook_is_sealed_and_sealed_again_with_a_new_key(self):
        made = json.loads(self.run_verb("webhooks", "add", "https://hooks.example/", "--events", "call.finished", "--json").stdout)
        secret = base64.b64decode(made["secret"].removeprefix("whsec_"))
        for form in (secret, made["secret"].encode(), made["secret"][6:].encode()):
            self.assertEqual(self.on_disk(form), [])
        old = self.key.read_bytes()
        self.key.write_bytes(base64.b64encode(bytes(range(32))) + b"\n" + old)
        self.http_host(self.place).stop()
        self.key.write_bytes(self.key.read_bytes().removesuffix(old))
        self.assertEqual(json.loads(self.run_verb("webhooks", "--json").stdout)[0]["id"], made["id"])
        self.assertEqual(self.on_disk(secret), [])
        self.key.write_bytes(old)
        self.refused("does not have the key")

    def test_what_an_older_host_kept_in_clear_is_sealed_at_the_next_start(self):
        with sqlite3.connect(self.store) as database:
            database.execute("UPDATE totp SET secret = ?", (CLEAR,))
            # As that host had it: without what the store has learned since.
            database.execute("DROP INDEX approval_settled")
            for table in ("idempotency", "host", "plugin_order", "session", "call_record", "call_transition", "call_counter",
                          "upstream_pin", "file", "signing_key", "webhook", "webhook_delivery", "idempotency_used",
                          "upstream_login", "upstream_offer", "removed_file", "upstream_held"):
                database.execute(f"DROP TABLE {table}")
            database.executescript("""
                ALTER TABLE client_context DROP COLUMN session;
                DROP INDEX client_context_by_use;
                ALTER TABLE client_context RENAME TO session;
                CREATE INDEX session_by_use ON session (used);
                CREATE TABLE task (
                  id TEXT PRIMARY KEY, principal TEXT NOT NULL, tool TEXT NOT NULL, status INTEGER NOT NULL,
                  created INTEGER NOT NULL, updated INTEGER NOT NULL, ttl INTEGER NOT NULL,
                  poll_interval INTEGER NOT NULL, questions TEXT NOT NULL, asked INTEGER NOT NULL,
                  outcome TEXT NOT NULL, owner TEXT NOT NULL) STRICT;""")
            for table, columns in (("totp", ["seal_key"]), ("approval", ["build", "input_schema", "presets", "question", "answer", "context"]),
                                   ("api_key", ["expires", "used", "successor"]), ("rule", ["principal"])):
                for column in columns:
                    database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
            database.execute("PRAGMA user_version = 7")
        database.close()
        self.key.unlink()
        self.assertNotEqual(self.on_disk(CLEAR), [])
        self.http_host(self.place).stop()
        self.assertEqual(self.on_disk(CLEAR), [])
        self.assertIn("anna", self.run_verb("totp", "list").stdout)


if __name__ == "__main__":
    unittest.main()
