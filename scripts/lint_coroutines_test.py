#!/usr/bin/env python3
"""Tests lint_coroutines.py with good and bad code."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

from lint_coroutines import faults_of

BAD = {
    "condition of if": "if (co_await f()) x();",
    "negated condition": "if (!(co_await f())) x();",
    "part of a condition": "if ((co_await g()).size() > 1) x();",
    "condition of while": "while (co_await f()) {}",
    "condition of switch": "switch (co_await f()) { case 1: break; }",
    "condition of for": "for (int i = 0; co_await f(i); ++i) {}",
    "range of for": "for (auto x : co_await f()) {}",
    "operand of ?:": "auto x = c ? co_await f() : g();",
    "condition of ?:": "co_return (co_await f()) ? 1 : 2;",
    "operand deeper": "auto x = h(c ? co_await f() : g());",
    "aggregate": 'co_await f(Agg{"a"});',
    "braced list": 'co_await f({"x", "y"});',
    "empty braces": "auto x = co_await f({});",
    "inside braces": "std::vector<int> v{co_await a(), co_await b()};",
    "returned braces": "co_return Agg{co_await a(), 1};",
    "braces after": 'h(co_await f(), Agg{"a"});',
    "capturing lambda": "co_await f([x] { return x; });",
    "capturing by reference": "co_await f([&](int y) { return y; });",
    "lambda after": "h(co_await f(), [this] { go(); });",
    "called in place": "co_spawn(ex, [&]() -> awaitable<void> { co_await f(); }(), detached);",
    "called in place without await": "auto a = [x]() -> awaitable<int> { co_return x; }();",
    "second statement": "auto x = co_await f(); if (co_await g()) x();",
    "in a nested lambda": "auto fn = [x]() -> awaitable<void> { if (co_await f()) x(); };",
    "a pointer's member": "co_await x->member->f({1, 2});",
    "a pointer's member, named": "const auto a = co_await x->member->f({.a = b->c()->d});",
    "a pointer to a member": "co_await (x->*member)(Agg{1});",
    "a call before the braces": "co_await x()->member->f(y()->z, {1});",
    "a pointer's member in a macro": "HOST_CO_TRY_ASSIGN(const auto a, co_await x->member->f({1}));",
    "a pointer's member in a lambda": "run([&]() -> awaitable<void> { co_await x->member->f({1}); });",
    "after a label": "switch (n) { case 1: co_await f({1}); }",
}

GOOD = {
    "a statement": "co_await f();",
    "an initialiser": "const bool ok = co_await f(); if (ok) x();",
    "structured binding": "auto [ec, n] = co_await f(a, as_tuple(use_awaitable));",
    "declared in the condition": "if (const bool ok = co_await f()) x();",
    "loop with a body": "for (;;) { const bool ok = co_await f(); if (!ok) break; }",
    "operators": "auto r = co_await (f() || timer.async_wait(use_awaitable));",
    "returned": "co_return co_await f();",
    "in a macro": "HOST_CO_TRY_ASSIGN(Slot slot, co_await enter(call));",
    "lambda that captures nothing": "co_await f([](int y) { return y; });",
    "lambda named first": "auto fn = [x] { return x; }; co_await f(fn);",
    "spawned uncalled": "co_spawn(ex, [x]() -> awaitable<void> { co_await f(x); }, detached);",
    "braces in the statement before": "Agg a{1, 2}; co_await f(a);",
    "braces in the statement after": "co_await f(a); Agg b{1, 2};",
    "branch": "if (c) { co_await f(); } else { co_await g(); }",
    "ternary elsewhere": "int x = a ? 1 : 2; co_await f(x);",
    "in a comment": "// if (co_await f())\ng();",
    "in a text": 'auto s = "if (co_await f())"; auto r = R"(while (co_await g()) {})";',
    "subscript": "co_await f(a[i]);",
    "try": "try { co_await f(); } catch (const E& e) { h({1}); }",
    "after a case": "switch (n) { case 1: co_await f(); break; default: g({1}); }",
    "template call": "auto x = co_await f<std::vector<int>>(a);",
    "lambda of the statement before": "run([x] { return x; }); co_await f();",
}


class LintCoroutines(unittest.TestCase):
    def test_finds_every_bad_shape(self):
        for name, body in BAD.items():
            with self.subTest(name):
                self.assertTrue(faults_of("awaitable<int> run(int n) {\n  " + body + "\n}\n"), body)

    def test_passes_every_good_shape(self):
        for name, body in GOOD.items():
            with self.subTest(name):
                self.assertEqual(faults_of("awaitable<int> T::run(int n) const {\n  " + body + "\n}\n"), [], body)

    def test_reads_files_that_are_not_added_yet(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            subprocess.run(["git", "init", "--quiet", folder], check=True)
            (root / ".gitignore").write_text("made.cpp\n")
            (root / "host").mkdir()
            for name in ("new.cpp", "made.cpp"):
                (root / "host" / name).write_text("awaitable<void> f() {\n  co_await x->member->g({1});\n}\n")
            lint = pathlib.Path(__file__).resolve().parent / "lint_coroutines.py"
            done = subprocess.run([sys.executable, str(lint)], cwd=root, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn("host/new.cpp:2: a braced temporary", done.stdout)
            self.assertNotIn("made.cpp", done.stdout)

    def test_tells_the_line(self):
        self.assertEqual(faults_of("void f() {\n\n  if (co_await g()) h();\n}\n")[0][0], 3)

    def test_sees_bodies_behind_trailing_return_types_and_initialisers(self):
        text = "struct S : B { S() : a_{1} { } awaitable<void> run(); int a_; };\nauto S::go() -> awaitable<void> { co_await f(); }\n"
        self.assertEqual(faults_of(text), [])


if __name__ == "__main__":
    unittest.main()
