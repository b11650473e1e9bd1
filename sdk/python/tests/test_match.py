"""Globs of paths and regular expressions, as hookway.yaml has them."""

import json
import os
import unittest
from pathlib import Path
from unittest import mock

from hookway._expression import expression
from hookway._glob import names, paths
from hookway._match import compile


class Match(unittest.TestCase):
    def test_paths(self):
        for pattern, yes, no in (
            ("*.go", ["a.go", "x/y/a.go"], ["a.gox", "a.go/x"]),
            ("src/**", ["src/a", "src/a/b"], ["src2/a", "a/src/b"]),
            ("./src/", ["src/a"], ["src2"]),
            ("**/test/*.{js,ts}", ["test/a.js", "a/b/test/c.ts"], ["test/a/b.js", "test/a.go"]),
            ("a/**/b/**/c", ["a/b/c", "a/x/b/b/y/c"], ["a/c", "a/b/x"]),
            ("/etc/**", ["/etc/passwd"], ["etc/passwd"]),
            ("~/.ssh/*", ["/home/me/.ssh/id"], ["/home/you/.ssh/id"]),
            ("[!a]?.x", ["bc.x"], ["ac.x", "b/.x"]),
            ("C:/**", ["C:/a/b"], ["D:/a"]),
        ):
            test = paths(pattern, "/home/me")
            # An absolute path is one that lies outside of the workspace.
            file = {p: ("" if p[0] == "/" or p[1:2] == ":" else p, p if p[0] == "/" or p[1:2] == ":" else "/work/" + p) for p in yes + no}
            self.assertEqual(([p for p in yes if not test(*file[p])], [p for p in no if test(*file[p])]), ([], []), pattern)

    def test_an_absolute_pattern_is_also_of_files_in_the_workspace(self):
        self.assertTrue(paths("/work/*.go", "/home/me")("a.go", "/work/a.go"))

    def test_globs_that_cannot_be(self):
        many = "{a,b}" * 7
        for bad, want in {"": "an empty pattern", "!x": "put the pattern under not", "a/{b": "is not closed", many: "more than 64", "x/[a": "is not closed"}.items():
            with self.subTest(bad), self.assertRaisesRegex(ValueError, want):
                paths(bad, "/")
        with self.assertRaisesRegex(ValueError, "more than 64"):
            names([many])

    def test_expressions_mean_what_they_mean_to_hookway(self):
        for pattern, yes, no in (
            (r"\brm\b", "örm", "farm"), (r"a$", "a", "a\n"), (r"(?m)^a$", "b\na\nc", "b\nab"), (r"\Aa\z", "a", "a\n"), (r"[$]\$", "$$", "$"),
            (r"(?i)LÖSCH", "lösch", "losch"), (r"\w", "w", "ö"), (r"\s", "\t", "\xa0"), (r"\d", "5", "٥"), (r"[^\s\d]", "\xa0", " 5"),
            (r"^[]a]+$", "]a", "b"), (r"^[^]a]$", "b", "]"), (r"[[]", "[", "]"), (r"^[\]x]$", "]", "\\"), (r"(?P<n>a)(?<m>b)", "ab", "a"), (r"a.b", "axb", "a\nb"),
            (r"(?s)a.b", "a\nb", "ab"),
        ):
            with self.subTest(pattern):
                self.assertIsNotNone(expression(pattern).search(yes))
                self.assertIsNone(expression(pattern).search(no))

    def test_expressions_that_cannot_be(self):
        for bad, want in {"(": r"expression '\(': missing", "[[:alpha:]]": "write a set such as", r"\p{L}": "bad escape", "a\\": "bad escape", "a**": "multiple repeat"}.items():
            with self.subTest(bad), self.assertRaisesRegex(ValueError, want):
                expression(bad)

    def test_facts_mean_what_they_mean_to_hookway(self):
        rows = Path(__file__).parents[2] / "internal" / "testdata" / "facts.jsonl"
        with mock.patch.dict(os.environ, {"HOOKWAY_PROJECT_DIR": "/w/p"}):
            for line in rows.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                with self.subTest(line):
                    tests = compile(row["match"], guard=row.get("guard", False))
                    self.assertEqual(all(test({"cwd": "/w/p/sub", "facts": row["facts"]}) for test in tests), row["want"])

    def test_facts_that_cannot_be(self):
        for bad, want in {
            "deletes=['a/{b']": "deletes: glob 'a/{b': a '{' is not closed", "runs=5": "runs is 5", "unknown=False": "unknown is False; it can only be True",
            "where='any(facts, true)'": "in Python it is a function", "sends=['!x']": "put the pattern under not", "reads=['']": "an empty pattern",
        }.items():
            with self.subTest(bad), self.assertRaisesRegex((TypeError, ValueError), want.replace("{", r"\{").replace("(", r"\(")):
                compile(eval(f"dict({bad})"))


if __name__ == "__main__":
    unittest.main()
