"""XDG_STATE_HOME, XDG_CONFIG_HOME and their kin: one rule for where a host keeps and reads things."""
import json
import shutil
import subprocess
import unittest

from harness import PATIENCE_S, TOOLPOST, TestCase, environment


class StateFolder(TestCase):
    def setUp(self):
        self.place = self.workspace("invoices")
        self.home = self.place.root / "home"
        self.elsewhere = self.place.root / "elsewhere"

    def run_with(self, *arguments, exit_code=0, **variables):
        done = subprocess.run([str(TOOLPOST), *map(str, arguments)],
                              env=environment(self.place.root) | {k: str(v) for k, v in variables.items()},
                              text=True, capture_output=True, timeout=PATIENCE_S, check=False,
                              stdin=subprocess.DEVNULL, cwd=self.place.root)
        self.assertEqual(done.returncode, exit_code, done)
        return done

    def config_without_audit_file(self):
        kept = [line for line in self.place.config.read_text().splitlines()
                if line != "[audit]" and not line.startswith("file = ")]
        self.place.write_config("\n".join(kept))
        return "--config", self.place.config

    def test_database_audit_and_invoices_are_in_xdg_state_home(self):
        config = self.config_without_audit_file()
        self.run_with("key", "new", "anna", *config, XDG_STATE_HOME=self.elsewhere)
        rows = json.dumps({"filename": "march", "rows": [{"vendor": "Acme"}]})
        for isolation in ("worker", "inline"):
            with self.subTest(isolation):
                done = self.run_with("call", *config, "save_csv", rows, XDG_STATE_HOME=self.elsewhere,
                                     TOOLPOST_PLUGIN__INVOICES__ISOLATION=isolation)
                self.assertIn(f"CSV saved to {self.elsewhere}/toolpost/invoices/march.csv", done.stdout)
                (self.elsewhere / "toolpost/invoices/march.csv").unlink()
        self.assertLessEqual({"toolpost.db", "audit.jsonl", "invoices"},
                             {file.name for file in (self.elsewhere / "toolpost").iterdir()})
        self.assertFalse((self.home / ".local/state").exists())

    def test_a_state_home_that_is_not_absolute_is_ignored_and_reported(self):
        config = self.config_without_audit_file()
        for value in ("relative/folder", "~/state"):
            shown = self.run_with("config", "show", *config, XDG_STATE_HOME=value).stdout
            self.assertIn(f'"{self.home}/.local/state/toolpost/toolpost.db"', shown)
            said = self.run_with("doctor", *config, XDG_STATE_HOME=value).stdout
            self.assertRegex(said, r"warning +folders: the environment variable XDG_STATE_HOME is not an absolute path")
        self.assertNotIn("folders:", self.run_with("doctor", *config, XDG_STATE_HOME="").stdout)

    def test_a_database_that_an_earlier_host_left_is_reported(self):
        config = self.config_without_audit_file()
        self.run_with("key", "new", "anna", *config)
        old = self.home / ".local/state/toolpost/toolpost.db"
        said = self.run_with("doctor", *config, XDG_STATE_HOME=self.elsewhere).stdout
        self.assertRegex(said, rf"warning +folders: an earlier host left its database {old}, ")
        served = self.run_with("serve", "--stdio", *config, XDG_STATE_HOME=self.elsewhere).stderr
        self.assertIn(f"an earlier host left its database {old}", served)
        shutil.rmtree(self.elsewhere, ignore_errors=True)  # with the empty folder of invoices
        self.elsewhere.mkdir(mode=0o700)
        old.parent.rename(self.elsewhere / "toolpost")
        said = self.run_with("doctor", *config, XDG_STATE_HOME=self.elsewhere).stdout
        self.assertNotIn("folders:", said)
        self.assertIn("1 key that may call", said)

    def test_each_variable_names_its_folder(self):
        shown = self.run_with("config", "show", XDG_STATE_HOME="/s", XDG_CACHE_HOME="/c", XDG_DATA_HOME="/d").stdout
        for path in ("/s/toolpost/toolpost.db", "/s/toolpost/audit.jsonl", "/c/toolpost/manifests",
                     "/d/toolpost/plugins", "/d/toolpost/skills"):
            self.assertIn(f'"{path}"', shown)
        for name, folder in (("XDG_CONFIG_HOME", self.elsewhere), ("HOME", self.home / ".config")):
            file = folder / "toolpost/config.toml"
            file.parent.mkdir(parents=True)
            file.write_text('[server]\nlisten = "127.0.0.1:4711"\n')
            variables = {"XDG_CONFIG_HOME": folder} if name == "XDG_CONFIG_HOME" else {"XDG_CONFIG_HOME": "not/absolute"}
            self.assertIn("127.0.0.1:4711", self.run_with("config", "show", **variables).stdout)
            file.unlink()

    def test_a_misspelt_word_is_an_error_with_the_nearest(self):
        self.place.write_config('[store]\nfile = "@sate/toolpost.db"\n[audit]\nfile = "@shipped"\n'
                                '[plugin.invoices]\nfs = ["rw:@stat"]')
        done = self.run_with("config", "check", "--config", self.place.config, exit_code=3)
        said = done.stdout + done.stderr
        self.assertIn('config.toml:2:8: error[C017]: file in [store]: no folder is called "@sate" '
                      '(did you mean "@state"?): if you mean a folder of that name, write ./@sate', said)
        self.assertIn('file in [audit]: no folder is called "@shipped"', said)
        self.assertIn('no folder is called "@stat" (did you mean "@state"?)', said)


if __name__ == "__main__":
    unittest.main()
