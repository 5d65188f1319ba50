#!/usr/bin/env python3
"""Tests how guard.py reads a profile and judges the counts."""

import tempfile
import unittest
from pathlib import Path

import guard

PROFILE = """\
# callgrind format
events: Ir
ob=(1) /build/pushstage
fn=(1) counted
0 10
cob=(2) /usr/lib/libsqlite3.so.0.8.6
cfn=(2) sqlite3_step
calls=3 0
0 7000
+4 5
ob=(2)
fn=(2)
* 40
cob=(3) /usr/lib/libc.so.6
calls=1 0
* 900
ob=(3)
fn=(3) memcpy
-2 900
totals: 955
"""


class GuardTests(unittest.TestCase):
    def test_the_cost_of_a_function_excludes_its_callees(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "profile"
            file.write_text(PROFILE)
            costs, paths = guard.costs_by_object(file)
        self.assertEqual(costs, {"pushstage": 15, "libsqlite3.so.0.8.6": 40, "libc.so.6": 900})
        self.assertEqual(guard.parts(costs), {"engine": 15, "SQLite": 40})
        self.assertEqual(guard.others(costs), "libc.so.6 900")
        self.assertIn("/usr/lib/libsqlite3.so.0.8.6", paths)

    def judge(self, engine: float, sqlite: float, judged=("engine", "SQLite")) -> list[str]:
        before = {"engine": 1_000.0, "SQLite": 500.0}
        return guard.judge("record", {"engine": engine, "SQLite": sqlite}, before, list(judged))

    def test_an_increase_of_up_to_three_percent_is_accepted(self):
        self.assertEqual(self.judge(1_029, 514), [])
        self.assertEqual(
            self.judge(1_031, 400),
            ["record: 1031.0 instructions of engine per message, 1000.0 before: +3.1%; the limit is +3%"])
        self.assertEqual(len(self.judge(2_000, 516)), 2)

    def test_another_version_of_sqlite_is_not_judged(self):
        self.assertEqual(self.judge(1_000, 9_999, judged=["engine"]), [])

    def test_a_part_that_was_zero_fails_if_it_is_no_longer_negligible(self):
        before = {"engine": 1_000.0, "SQLite": 0.0}
        self.assertEqual(guard.judge("render", {"engine": 1_000.0, "SQLite": 5.0}, before, ["SQLite"]), [])
        self.assertEqual(len(guard.judge("render", {"engine": 1_000.0, "SQLite": 50.0}, before, ["SQLite"])), 1)


if __name__ == "__main__":
    # Hides the output of passing tests.
    unittest.main(buffer=True)
