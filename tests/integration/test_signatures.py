"""Libraries that are checked before they are loaded: NAME.so.sha256 and NAME.so.minisig next to them."""
import hashlib
import json
import os
import unittest

from harness import TestCase, plugin_file, run_toolpost, text_of, wait_until
from minisign import Signer

OURS = Signer(1)
THEIRS = Signer(2)


class Signatures(TestCase):
    def place_for(self, *signers):
        keys = json.dumps([signer.public_key() for signer in signers])
        place = self.workspace(config="[plugin.hello]\nenabled = true")
        place.write_config(place.config.read_text().replace("[plugins]", f"[plugins]\nrequire_signature = {keys}"))
        return place

    def beside(self, place, ending, text):
        """Whole, by rename: a host that looks meanwhile sees the old file or the new one."""
        fresh = place.root / "fresh"
        fresh.write_text(text)
        os.replace(fresh, place.root / f"plugins/hello.so.{ending}")

    def listed(self, place):
        done = run_toolpost(place, "plugins", "--json", "--config", place.config)
        return {one["name"]: one for one in json.loads(done.stdout)}["hello"]

    def refused(self, place, *words):
        told = self.listed(place)
        self.assertEqual((told["state"], told["serving"], told["tools"]), ("rejected", False, []), told)
        for word in words:
            self.assertIn(word, told["error"])

    def served(self, place):
        told = self.listed(place)
        self.assertEqual((told["state"], told["error"]), ("active", ""), told)

    def test_a_checksum_next_to_a_library_must_be_its_own(self):
        place = self.workspace("hello")
        good = hashlib.sha256(plugin_file("hello").read_bytes()).hexdigest()
        self.served(place)  # none is needed
        self.beside(place, "sha256", f"{good}  hello.so\n")
        self.served(place)
        self.beside(place, "sha256", f"{good[::-1]}  hello.so\n")
        self.refused(place, "does not match hello.so.sha256", good)
        self.beside(place, "sha256", f"{good}  other.so\n")
        self.refused(place, "hello.so.sha256: no line names hello.so")
        self.beside(place, "sha256", "\x1b[31m\n")
        self.refused(place, "hello.so.sha256: line 1: expected a SHA-256")

    def test_a_byte_that_flipped_is_noticed(self):
        place = self.workspace("hello")
        library = place.root / "plugins/hello.so"
        whole = library.read_bytes()
        self.beside(place, "sha256", f"{hashlib.sha256(whole).hexdigest()}  hello.so\n")
        at = whole.index(b"Hello, ")
        library.write_bytes(whole[:at] + b"J" + whole[at + 1:])
        self.refused(place, "does not match hello.so.sha256")

    def test_a_required_signature_is_of_these_bytes_and_by_a_listed_key(self):
        place = self.place_for(OURS)
        place.drop("hello")
        data = plugin_file("hello").read_bytes()
        self.refused(place, "is not signed", "hello.so.minisig")
        for legacy in (False, True):
            self.beside(place, "minisig", OURS.minisig(data, legacy))
            self.served(place)
            self.beside(place, "minisig", OURS.minisig(data + b"\0", legacy))
            self.refused(place, "was changed after it was signed")
        self.beside(place, "minisig", THEIRS.minisig(data))
        self.refused(place, "is signed by the key 0202020202020202", "it lists 0101010101010101")
        self.beside(place, "minisig", OURS.minisig(data, comment="file:hello.so", covered="file:shell.so"))
        self.refused(place, "the trusted comment was changed")
        self.beside(place, "minisig", "untrusted comment: nothing more\n")
        self.refused(place, "hello.so.minisig: line 2")

    def test_a_signature_names_the_file(self):
        place = self.place_for(OURS)
        place.drop("hello")
        data = plugin_file("hello").read_bytes()
        self.beside(place, "minisig", OURS.minisig(data, comment="timestamp:1\tfile:shell.so\thashed"))
        self.refused(place, 'hello.so.minisig was made for the file "shell.so"', "sign hello.so")
        self.beside(place, "minisig", OURS.minisig(data, comment="file:hello.so\tfile:shell.so"))
        self.refused(place, 'made for the file "shell.so"')
        self.beside(place, "minisig", OURS.minisig(data, comment="timestamp:1\tfile:hello.so\thashed"))
        self.served(place)
        self.beside(place, "minisig", OURS.minisig(data, comment="build 12 of profile:test"))  # names none
        self.served(place)

    def test_one_of_several_keys_is_enough(self):
        place = self.place_for(THEIRS, OURS)
        place.drop("hello")
        self.beside(place, "minisig", OURS.minisig(plugin_file("hello").read_bytes()))
        self.served(place)

    def test_a_key_that_is_none_stops_the_start(self):
        place = self.workspace(config="")
        place.write_config('[plugins]\nrequire_signature = ["RWQf"]')
        done = run_toolpost(place, "config", "check", "--config", place.config)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("a public key of minisign", done.stdout + done.stderr)

    def test_a_bad_build_leaves_the_good_one_serving(self):
        place = self.place_for(OURS)
        place.drop("hello")
        self.beside(place, "minisig", OURS.minisig(plugin_file("hello").read_bytes()))
        host = self.http_host(place)

        def greets(words):
            return text_of(host.call("greet", {"name": "you"})) == words

        self.assertTrue(greets("Hello, you!"))
        place.drop("hello", plugin_file("hello_next"))  # signed is the one before it
        wait_until("it is refused", lambda: "was changed after it was signed" in host.error_text())
        self.assertTrue(greets("Hello, you!"))
        # The library stays as it is: its signature alone makes the host look again.
        self.beside(place, "minisig", OURS.minisig(plugin_file("hello_next").read_bytes()))
        wait_until("the new build serves", lambda: greets("Good day, you!"))


if __name__ == "__main__":
    unittest.main()
