"""A kernel without Landlock: the host says so, serves, and its workers are still no danger to it.

What the kernel has is masked by a filter of system calls that the host inherits.
"""
import ctypes
import struct
import subprocess
import unittest

from harness import TOOLPOST, HttpHost, Process, TestCase, environment, plugin_file, text_of, wait_until

ENOSYS = 38
LANDLOCK_CALLS = (444, 445, 446)  # the same on every architecture
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_NUMBER, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def mask_landlock():
    """In the child, before the host's program: its children have it too."""
    last = len(LANDLOCK_CALLS)
    steps = [(LOAD_NUMBER, 0, 0, 0)]
    steps += [(JUMP_IF_EQUAL, last - at, 0, number) for at, number in enumerate(LANDLOCK_CALLS)]
    steps += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, ERRNO | ENOSYS)]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    program = Program(len(steps), ctypes.cast(ctypes.create_string_buffer(code, len(code)), ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or \
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot mask Landlock")


class MaskedHost(HttpHost):
    def __init__(self, place):
        Process.__init__(self, [TOOLPOST, "serve", "--config", place.config, "--listen", "127.0.0.1:0"], place.root,
                         environment(place.root), preexec_fn=mask_landlock,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.url = wait_until("the host says where it listens", self._address)
        self.port = int(self.url.split(":")[2].split("/")[0])


class WithoutLandlock(TestCase):
    def place(self, config=""):
        place = self.workspace(config='[permission]\nmode = "bypass"\n' + config)
        place.drop("escape", plugin_file("escape"))
        return place

    def masked_host(self, place):
        return self._kept(MaskedHost(place))

    def attempt(self, host, what):
        return text_of(host.call("attempt", {"what": what}))

    def test_the_host_says_so_at_its_start_and_serves(self):
        host = self.masked_host(self.place())
        self.assertIn("this kernel has no Landlock", host.error_text())
        self.assertEqual(self.attempt(host, "thread"), "done")

    def test_a_host_on_a_kernel_that_has_it_says_nothing(self):
        host = self.http_host(self.place())
        if "no Landlock" in host.error_text():
            self.skipTest("this kernel has none")
        self.assertEqual(self.attempt(host, "thread"), "done")

    def test_no_signal_of_a_worker_reaches_the_host(self):
        host = self.masked_host(self.place())
        for road in ("signal_parent", "signal_all", "queue_to_parent", "own_by_parent", "aim_at_parent"):
            self.assertEqual(self.attempt(host, road), "EPERM", road)
        self.assertTrue(host.running())

    def test_nor_of_one_with_every_grant(self):
        host = self.masked_host(self.place("[plugin.escape]\nexec = true\nsockets = true"))
        for road in ("signal_parent", "signal_all", "queue_to_parent", "own_by_parent", "aim_at_parent"):
            self.assertEqual(self.attempt(host, road), "EPERM", road)
        self.assertTrue(host.running())

    def test_where_it_is_required_plugins_are_refused(self):
        host = self.masked_host(self.place('[sandbox]\nrequire = ["landlock"]'))
        self.assertIn('the sandbox lacks "landlock"', host.error_text())

    def test_doctor_reports_it(self):
        place = self.place()
        done = subprocess.run([TOOLPOST, "doctor", "--config", place.config], env=environment(place.root), text=True,
                              capture_output=True, preexec_fn=mask_landlock, check=False)
        self.assertRegex(done.stdout, "warning +sandbox: the kernel has no Landlock")


if __name__ == "__main__":
    unittest.main()
