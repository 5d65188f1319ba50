#!/usr/bin/env python3
"""Tests that each rule of prose.py finds the wording that it prohibits, and that no rule rejects standard English."""
import pathlib
import unittest

import prose


def found(source: str, name: str = "Sources/A.swift", kinds: list[str] = prose.KINDS) -> list[str]:
    return list(prose.findings(pathlib.Path(name), source, kinds))


class Rules(unittest.TestCase):
    # One sentence per rule, in the order of the rules.
    WRONG = [
        "Nobody reads it twice.", "The child is told of it.", "The frame says how many follow.", "The master hears of it.",
        "It is read anew.", "An operator mends it.", "The attempt comes to nothing.", "The others go on.",
        "It stands in the table.", "Where the row is missing, it is made.", "It holds what became of the message.",
        "A file the name of which is known.", "It reports that there is work.", "At most so many messages.",
        "Allowed are 1 to 5.", "This is no id.",
        "The message has gone.", "Of a body, in bytes.", "It is as good as closed.", "A copy is dear.",
        "A small grant is not worth its while.",
    ]
    RIGHT = [
        "No reader sees it twice.", "The child receives it.", "There is no other row.", "It is no longer open.",
        "APNs stands for a service.", "Tests tell the two apart.", "Of course it fails if the disk is full.",
        "See ``whoever`` and `nobody`.", "A word near [the table](nobody.md) is not searched.",
        "The place where the row is written, and its length.", "Dear {{firstName}}, the letter begins.",
    ]

    def test_each_rule_finds_its_pattern(self):
        self.assertEqual(len(self.WRONG), len(prose.RULES))
        for sentence, (pattern, _) in zip(self.WRONG, prose.RULES):
            self.assertIsNotNone(pattern.search(prose.plain(sentence)), sentence)
            self.assertTrue(found(f"/// {sentence}\n"), sentence)

    def test_standard_english_is_left_alone(self):
        for sentence in self.RIGHT:
            self.assertEqual(found(f"/// {sentence}\n"), [], sentence)


class Fragments(unittest.TestCase):
    def test_a_pattern_is_found_across_lines_with_the_line_of_its_paragraph(self):
        (finding,) = found("let a = 1\n\n/// One.\n///\n/// The others go\n/// on.\n")
        self.assertTrue(finding.startswith("Sources/A.swift:5: “go on”"), finding)

    def test_code_is_not_searched(self):
        self.assertEqual(found("let nobody = told(says)\n"), [])
        self.assertEqual(found("/// ```\n/// nobody\n/// ```\n"), [])

    def test_each_kind_is_found_on_its_own(self):
        source = 'func `nobody reads`() { log("nobody \\(told) reads") } // nobody\n'
        for kind in ["comments", "strings", "tests"]:
            self.assertEqual(len(found(source, kinds=[kind])), 1, kind)
        self.assertEqual(len(found('let a = """\n    nobody\n    """\n', kinds=["strings"])), 1)
        self.assertEqual(len(found("int a; /* nobody\n   */\n", "Sources/a.c", ["comments"])), 1)
        self.assertEqual(len(found("# Nobody\n\n- told\n", "Docs/A.md", ["documents"])), 2)

    def test_names_of_json_members_are_not_searched(self):
        self.assertEqual(found('let json = #"{"told": 9, "a": 1}"#\n', kinds=["strings"]), [])

    def test_strings_with_sql_are_not_searched(self):
        for sql in [
            "SELECT told FROM webhook", "INSERT INTO a SELECT told", "UPDATE webhook SET told = 1", "DELETE FROM told",
            "taken INTEGER NOT NULL, told INTEGER", "taken = taken + 1, told = told + ?4",
            "w.refused, w.told, w.dropped",
        ]:
            self.assertEqual(found(f'let sql = "{sql}"\n', kinds=["strings"]), [], sql)
            self.assertEqual(found(f'let sql = """\n    {sql}\n    """\n', kinds=["strings"]), [], sql)
        self.assertEqual(len(found('log("the child is told where it is")\n', kinds=["strings"])), 1)

    def test_literals_are_read_with_their_interpolations(self):
        self.assertEqual(prose.literals('f("a \\(count(x.told, "an event")) b", #"c "d" \\e \\#(g("h")) i"#) // "j"'),
                         ["an event", "a X b", "h", 'c "d" \\e X i'])

    def test_a_long_name_of_a_test_on_its_own_line_is_found(self):
        self.assertEqual(len(found("    @Test\n    func\n        `nobody reads`()\n", kinds=["tests"])), 1)

    def test_comments_of_other_languages_are_found(self):
        script = "#!/bin/sh\n# The others go\n# on.\necho ${a#nobody} 'nobody # nobody'  # nobody\n"
        for name in ["Makefile", "Containerfile", "a.mk", "a.yml", "a.service", "tool"]:
            lines = [finding.split(":")[1] for finding in found(script, name, ["comments"])]
            self.assertEqual(lines, ["2", "4"], name)
        python = '"""Nobody reads."""\n\n\ndef f():\n    """One.\n\n    Nobody reads.\n    """\n    return "nobody"\n'
        lines = [finding.split(":")[1] for finding in found(python, "a.py", ["comments"])]
        self.assertEqual(lines, ["1", "7"])
        xml = "<a nobody='nobody'>\n  <!-- One.\n\n       Nobody reads. -->\n  nobody\n</a>\n"
        (finding,) = found(xml, "a.xml", ["comments"])
        self.assertTrue(finding.startswith("a.xml:4:"), finding)
        self.assertEqual(found("nobody\n", "a.txt"), [])

    def test_a_line_of_the_sources_that_is_too_long_is_found(self):
        for name, line in [
            ("Sources/A.swift", "/// "), ("Sources/A.swift", "    // "), ("Sources/A.swift", "let a = "),
            ("Sources/a.c", "    call("), ("Sources/a.c", "/* "), ("Sources/a.h", "/// | "),
            ("Sources/a.h", "#define A https://"),
        ]:
            source = line + "a" * (prose.MAX_COLUMNS - len(line))
            self.assertEqual(found(source + "\n", name), [], line)
            (finding,) = found(f"\n{source}a\n", name)
            self.assertEqual(finding, f"{name}:2: 111 columns; the maximum is 110")

    def test_a_line_that_may_be_longer_is_not_found(self):
        rest = "a" * prose.MAX_COLUMNS
        for line in ["/// | ", "    // | ", "///     ", "/// See https://"]:
            self.assertEqual(found(f"{line}{rest}\n"), [], line)
        for name in ["Tests/A.swift", "Tests/a.c", "Sources/A.md"]:
            self.assertEqual(found(f"{rest}a\n", name), [], name)

    def test_a_row_of_a_table_that_continues_on_the_next_line_is_found(self):
        self.assertEqual(found("| a | b |\n|---|---|\n| 1 | 2 |\n", "a.md"), [])
        self.assertEqual(found("```sh\n| sort\n```\n", "a.md"), [])
        (finding,) = found("| a | b\nc |\n", "a.md")
        self.assertTrue(finding.startswith("a.md:1: the row of the table"), finding)


if __name__ == "__main__":
    unittest.main()
