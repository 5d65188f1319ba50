#!/usr/bin/env python3
"""Finds wording that is not standard technical English, and lines that are too long.

    Lint/prose.py [--kind KIND]... [--count] [PATH]...

A PATH is a file or a folder that git tracks. KIND limits the search to comments (with docstrings), strings (Swift
literals that contain no SQL), tests (the names of tests) or documents. Without arguments, as in `make lint`, the
program searches the paths in ENFORCED and the subjects of recent commits.
Exit status: 0 if nothing was found, 1 if something was found, 2 if the arguments are wrong.
"""
import argparse
import ast
import pathlib
import re
import subprocess
import sys
from typing import Iterator, NamedTuple

KINDS = ["comments", "strings", "tests", "documents"]
# The paths and kinds that `make lint` searches. It does not search strings in tests, because they may contain any data.
ENFORCED = [
    (["Sources"], ["comments", "strings"]),
    (["Tests"], ["comments", "tests"]),
    (["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Docs"], ["documents", "comments"]),
    (["Package.swift", "Makefile", "Packaging", "Containerfile", ".ci", "serverConf.xml"], ["comments"]),
    (["Benchmarks", "Lint"], ["comments"]),
]
# Suffixes and names of files with `#` comments. Files that begin with `#!` have such comments, too.
HASH_SUFFIXES = {".mk", ".py", ".service", ".sh", ".yaml", ".yml"}
HASH_NAMES = {"Containerfile", "Makefile"}
MAX_COLUMNS = 110
# Comment lines of Swift that may exceed MAX_COLUMNS: tables, code blocks, and lines with an address.
UNBREAKABLE = re.compile(r"\s*///? (?:\||    |.*https?://)")
MAX_SUBJECT_CHARACTERS = 72
RECENT_COMMITS = 100
ROOT = pathlib.Path(__file__).resolve().parent.parent


class Fragment(NamedTuple):
    """Consecutive text of one kind: a comment, a string literal, a test's name, a paragraph."""
    kind: str
    line: int
    text: str


class Rule(NamedTuple):
    pattern: re.Pattern
    advice: str


def rule(pattern: str, advice: str) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE), advice)


# Each pattern is searched in text without code, links and line breaks.
RULES = [
    rule(r"\b(nobody|somebody|anybody|everybody|whoever|whomever)\b", "name the actor: no client, the caller, a reader"),
    rule(r"(?<!\")\btold\b(?! apart)|\btells\b|(?<!can )(?<!cannot )(?<!impossible to )\btell\b(?! (?:\w+ ){0,4}apart\b)",
         "receives, is notified of, reports, states"),
    rule(r"\bsays\b|\bas \w+ has it\b", "reports, states, contains, defines, according to"),
    rule(r"\b(is|are|was|were) heard\b|\bhears?\b", "receives, is notified of"),
    rule(r"\b(anew|beside|hence|thereof|wherein|lest|thus)\b", "again, alongside, therefore"),
    rule(r"\bmend(s|ed|ing)?\b", "fix, repair, recover"),
    rule(r"\b(come|comes|came|coming) to nothing\b", "fail"),
    rule(r"\b(go|goes|went|going) on\b", "continue, keep running"),
    rule(r"\bstands?\b(?!-| (?:for|alone|by\b|in for|out))", "is, is listed, is written"),
    rule(r"(?:^|[.:;] )Where (?!to\b)[^.?!]{1,90},", "If …, When …"),
    rule(r"\bwhat (becomes?|became|has become) of\b", "the result of"),
    rule(r"\b(of which|of whom)\b", "whose, its; two sentences"),
    rule(r"\bthat there (is|are)\b", "a noun phrase; so that only one runs"),
    rule(r"\b(for so long|so (?:many|much) (?:as|of|at)\b|at most so (?:many|long|much)|so many (?:a|at|in)\b)",
         "name the quantity"),
    rule(r"(?<!not )\ballowed (are|is)\b", "must be one of"),
    rule(r"(?<!\bthere )(?<!\bThere )\b(is|are) no (?!longer|more|less|fewer|different|worse|better|larger|smaller|reason)",
         "is not a …, has no …, does not exist"),
    rule(r"\b(has|have|had) gone\b", "was sent, was deleted, has closed, has disappeared"),
    rule(r"(?-i:^Of )(?!course|these|the )", "a sentence or a noun phrase that does not depend on the name"),
    rule(r"\b(be it|as good as|ever (?:more|fewer)|save for|but for)\b", "whether, effectively, more and more, except"),
    rule(r"(?-i:\b(?:dear|dearer|dearest)\b)", "expensive"),
    rule(r"\bworth (?:its|their) while\b", "worthwhile"),
]

IGNORED = re.compile(
    r"^\s*(?:- )?Parameter \w+:|``[^`]*``|`[^`]*`|\[([^\]]*)\]\([^)]*\)|https?://\S+"
    r"|\\\([^()]*(?:\([^()]*\)[^()]*)*\)")

# Statements, bound parameters, and lists of columns with aliases.
SQL = re.compile(
    r"\b(?:SELECT|INSERT INTO|UPDATE \S+ SET|DELETE FROM|NOT NULL|REFERENCES|CREATE (?:TABLE|INDEX|UNIQUE))\b"
    r"|\b(?:WHERE|JOIN|ORDER BY) \w|\?\d|\b[a-z]\.[a-z]\w*, (?:[a-z]\.)?[a-z]\w*")


def plain(text: str) -> str:
    """The text that the rules search: X replaces code and addresses, and a single space replaces white space."""
    return re.sub(r"\s+", " ", IGNORED.sub(lambda match: match[1] or "X", text)).strip()


def swift_fragments(source: str) -> Iterator[Fragment]:
    """Comments, string literals and tests' names of a Swift file."""
    comment: list[str] = []
    start = 0
    literal: list[str] | None = None
    for number, line in enumerate(source.split("\n") + [""], start=1):
        if literal is not None:
            if '"""' in line:
                text = "\n".join(literal)
                if not SQL.search(text):
                    yield Fragment("strings", start, text)
                literal = None
            else:
                literal.append(line.strip())
            continue
        whole = re.match(r"\s*///?(?!/) ?(.*)$", line)
        if whole:
            if not comment:
                start = number
            comment.append(whole[1])
            continue
        if comment:
            yield from paragraphs("comments", start, comment)
            comment = []
        if line.count('"""') % 2 == 1:
            literal, start = [], number
            continue
        # The formatter writes a long name on a line of its own.
        name = re.search(r"(?:(?:func|struct|enum) |^\s+)`([^`]*)`", line)
        if name:
            yield Fragment("tests", number, name[1])
        for text in literals(line) if '"' in line else []:
            if " " in text and not SQL.search(text):
                yield Fragment("strings", number, text)
        trailing = re.search(r'^(?:[^"]|"(?:[^"\\]|\\.)*")*?\s// (.*)$', line)
        if trailing:
            yield Fragment("comments", number, trailing[1])


LITERAL_START = re.compile(r'(#*)"')


def literals(line: str) -> list[str]:
    """The string literals in a line of Swift, including those within interpolations. X replaces each interpolation."""
    found: list[str] = []
    # For each open literal: its text, its `#` signs, and the number of open parentheses of its interpolation.
    open_literals: list[list] = []
    at = 0
    while at < len(line):
        inside = open_literals and open_literals[-1][2] == 0
        opening = LITERAL_START.match(line, at)
        if inside:
            text, hashes, _ = open_literals[-1]
            if line.startswith("\\" + hashes + "(", at):
                open_literals[-1][2] = 1
                at += len(hashes) + 2
            elif line.startswith('"' + hashes, at):
                found.append("".join(text))
                open_literals.pop()
                at += len(hashes) + 1
            else:
                length = 2 if line[at] == "\\" and not hashes else 1
                text.append(line[at:at + length])
                at += length
        elif opening:
            open_literals.append([[], opening[1], 0])
            at = opening.end()
        else:
            if open_literals:
                open_literals[-1][2] += {"(": 1, ")": -1}.get(line[at], 0)
                if open_literals[-1][2] == 0:
                    open_literals[-1][0].append("X")
            elif line.startswith("//", at):
                break
            at += 1
    return found


def paragraphs(kind: str, start: int, lines: list[str]) -> Iterator[Fragment]:
    """The paragraphs, list items and table rows of a text, without code blocks."""
    text: list[str] = []
    first, is_code = start, False
    for offset, line in enumerate(lines + [""]):
        if line.lstrip().startswith("```"):
            is_code = not is_code
            line = ""
        begins_item = re.match(r"\s*(?:[-*+] |\d+\. |#+ |\|)", line)
        if text and (not line.strip() or begins_item):
            yield Fragment(kind, first, "\n".join(text))
            text = []
        if line.strip() and not is_code:
            if not text:
                first = start + offset
            text.append(re.sub(r"^\s*(?:[-*+] |\d+\. |#+ )", "", line))


def c_fragments(source: str) -> Iterator[Fragment]:
    """The comments of a C file."""
    for match in re.finditer(r"/\*(.*?)\*/|//([^\n]*)", source, re.DOTALL):
        text = match[1] if match[1] is not None else match[2]
        yield Fragment("comments", source.count("\n", 0, match.start()) + 1, text)


def xml_fragments(source: str) -> Iterator[Fragment]:
    """The comments of an XML file."""
    for match in re.finditer(r"<!--(.*?)-->", source, re.DOTALL):
        yield from paragraphs("comments", source.count("\n", 0, match.start()) + 1, match[1].split("\n"))


def hash_fragments(source: str) -> Iterator[Fragment]:
    """The `#` comments of a script, a makefile, a unit or a YAML file."""
    comment: list[str] = []
    for number, line in enumerate(source.split("\n") + [""], start=1):
        whole = re.match(r"\s*#(?!!) ?(.*)$", line)
        if whole:
            comment.append(whole[1])
            continue
        if comment:
            yield from paragraphs("comments", number - len(comment), comment)
            comment = []
        trailing = re.match(r"""(?:[^"'#]|"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']#)*?\s# (.*)$""", line)
        if trailing:
            yield Fragment("comments", number, trailing[1])


def docstrings(source: str) -> Iterator[Fragment]:
    """The docstrings of a Python file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node, clean=False)
            if text:
                yield from paragraphs("comments", node.body[0].lineno, text.split("\n"))


def fragments(path: pathlib.Path, source: str) -> Iterator[Fragment]:
    """Yields the fragments of a file's text, each with its kind. Yields nothing if the file's format is unknown."""
    if path.suffix == ".swift":
        yield from swift_fragments(source)
    elif path.suffix in (".c", ".h"):
        yield from c_fragments(source)
    elif path.suffix == ".md":
        yield from paragraphs("documents", 1, source.split("\n"))
    elif path.suffix == ".xml":
        yield from xml_fragments(source)
    elif path.suffix in HASH_SUFFIXES or path.name in HASH_NAMES or source.startswith("#!"):
        yield from hash_fragments(source)
        if path.suffix == ".py":
            yield from docstrings(source)


def findings(path: pathlib.Path, source: str, kinds: list[str]) -> Iterator[str]:
    """The findings in a file, as `file:line: text; instead: advice`, or with a description of the line."""
    for fragment in fragments(path, source):
        if fragment.kind not in kinds:
            continue
        first_line = fragment.text.split("\n")[0].rstrip()
        if path.suffix == ".md" and first_line.startswith("|") and not first_line.endswith("|"):
            yield f"{path}:{fragment.line}: the row of the table continues on the next line; put it on one line"
        text = plain(fragment.text)
        for pattern, advice in RULES:
            for match in pattern.finditer(text):
                around = text[max(match.start() - 20, 0):match.end() + 30]
                yield f"{path}:{fragment.line}: “{match[0].strip()}” in “{around}”; instead: {advice}"
    if path.suffix in (".swift", ".c", ".h") and path.parts[0] == "Sources" and "comments" in kinds:
        for number, line in enumerate(source.split("\n"), start=1):
            if len(line) > MAX_COLUMNS and not (path.suffix == ".swift" and UNBREAKABLE.match(line)):
                yield f"{path}:{number}: {len(line)} columns; the maximum is {MAX_COLUMNS}"


def tracked_files(paths: list[str]) -> list[pathlib.Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *paths], cwd=ROOT, check=True, capture_output=True, text=True)
    files = [pathlib.Path(name) for name in listed.stdout.split("\0") if name]
    # The reference pages are left out, because they are generated from strings in the sources.
    return [file for file in files if (ROOT / file).is_file() and file.parts[:2] != ("Docs", "Reference")]


def long_subjects() -> Iterator[str]:
    """The recent commits whose subject is too long; none outside a git repository."""
    log = subprocess.run(
        ["git", "log", f"-{RECENT_COMMITS}", "--no-merges", "--format=%h %s"], cwd=ROOT, capture_output=True, text=True)
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > MAX_SUBJECT_CHARACTERS:
            yield f"commit {commit}: the subject has {len(subject)} characters; the maximum is {MAX_SUBJECT_CHARACTERS}"


def search(paths: list[str], kinds: list[str]) -> tuple[int, list[str]]:
    """Returns the number of text files in the paths, and the findings in these files."""
    files = tracked_files(paths)
    count, found = 0, []
    for file in files:
        try:
            source = (ROOT / file).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        count += 1
        found += findings(file, source, kinds)
    return count, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kind", action="append", choices=KINDS, help="default: all")
    parser.add_argument("--count", action="store_true", help="print only the number of findings")
    parser.add_argument("path", nargs="*", help="default: the paths that make lint searches")
    arguments = parser.parse_args()
    if arguments.kind or arguments.path:
        count, found = search(arguments.path, arguments.kind or KINDS)
    else:
        count, found = 0, list(long_subjects())
        for paths, kinds in ENFORCED:
            some, these = search(paths, kinds)
            count, found = count + some, found + these
    if count == 0:
        print(f"prose: git tracks no text file in {' '.join(arguments.path)}", file=sys.stderr)
        return 2
    if not arguments.count:
        print("".join(line + "\n" for line in found), end="")
    print(f"prose: {len(found)} findings in {count} files", file=sys.stderr if found else sys.stdout)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
