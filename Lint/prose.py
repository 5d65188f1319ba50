#!/usr/bin/env python3
"""Finds wording that is not standard technical English, and lines that are too long.

    Lint/prose.py [--kind KIND]... [--count] [PATH]...

A PATH is a file or a folder that git tracks. KIND limits the search to comments, strings, tests (the names of tests) or
documents. Without arguments, as in `make lint`, it searches what ENFORCED lists, and the subjects of recent commits.
Exit status: 0 if nothing was found, 1 if something was found, 2 if the arguments are wrong.
"""
import argparse
import pathlib
import re
import subprocess
import sys
from typing import Iterator, NamedTuple

KINDS = ["comments", "strings", "tests", "documents"]
# The paths and kinds that have been rewritten so far.
ENFORCED = [("Sources", ["comments"]), ("Tests", ["comments"])]
MAX_COLUMNS = 110
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
    rule(r"\btold\b(?! apart)|\btells\b|(?<!can )(?<!cannot )(?<!impossible to )\btell\b(?! (?:\w+ ){0,4}apart\b)",
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
    rule(r"^Of (?!course|these|the )", "a sentence or a noun phrase that does not depend on the name"),
    rule(r"\b(be it|as good as|ever (?:more|fewer)|save for|but for)\b", "whether, effectively, more and more, except"),
    rule(r"\b(dear|dearer|dearest)\b", "expensive"),
    rule(r"\bworth (?:its|their) while\b", "worthwhile"),
]

IGNORED = re.compile(
    r"^\s*(?:- )?Parameter \w+:|``[^`]*``|`[^`]*`|\[([^\]]*)\]\([^)]*\)|https?://\S+"
    r"|\\\([^()]*(?:\([^()]*\)[^()]*)*\)")


def plain(text: str) -> str:
    """The text as the rules search it: code and addresses become a placeholder, white space a single space."""
    return re.sub(r"\s+", " ", IGNORED.sub(lambda match: match[1] or "X", text)).strip()


def swift_fragments(source: str) -> Iterator[Fragment]:
    """Comments, string literals and tests' names of a Swift file."""
    comment: list[str] = []
    start = 0
    literal: list[str] | None = None
    for number, line in enumerate(source.split("\n") + [""], start=1):
        if literal is not None:
            if '"""' in line:
                yield Fragment("strings", start, "\n".join(literal))
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
        name = re.search(r"(?:func|struct|enum) `([^`]*)`", line)
        if name:
            yield Fragment("tests", number, name[1])
        for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
            if " " in text:
                yield Fragment("strings", number, text)
        trailing = re.search(r'^(?:[^"]|"(?:[^"\\]|\\.)*")*?\s// (.*)$', line)
        if trailing:
            yield Fragment("comments", number, trailing[1])


def paragraphs(kind: str, start: int, lines: list[str]) -> Iterator[Fragment]:
    """The paragraphs and list items of a text, without code blocks and tables' rulers."""
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


def fragments(path: pathlib.Path, source: str) -> Iterator[Fragment]:
    if path.suffix == ".swift":
        return swift_fragments(source)
    if path.suffix in (".c", ".h"):
        return c_fragments(source)
    return paragraphs("documents", 1, source.split("\n"))


def findings(path: pathlib.Path, source: str, kinds: list[str]) -> Iterator[str]:
    """What is wrong in a file: `file:line: what, and what to write instead`."""
    for fragment in fragments(path, source):
        if fragment.kind not in kinds:
            continue
        text = plain(fragment.text)
        for pattern, advice in RULES:
            for match in pattern.finditer(text):
                around = text[max(match.start() - 20, 0):match.end() + 30]
                yield f"{path}:{fragment.line}: “{match[0].strip()}” in “{around}”; instead: {advice}"
    if path.suffix == ".swift" and path.parts[0] == "Sources" and "comments" in kinds:
        for number, line in enumerate(source.split("\n"), start=1):
            if len(line) > MAX_COLUMNS and re.match(r"\s*///? (?!\||    )(?!.*http)", line):
                yield f"{path}:{number}: {len(line)} columns; the maximum is {MAX_COLUMNS}"


def tracked_files(paths: list[str]) -> list[pathlib.Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *paths], cwd=ROOT, check=True, capture_output=True, text=True)
    files = [pathlib.Path(name) for name in listed.stdout.split("\0") if name]
    # The reference pages are written from strings of the sources.
    return [file for file in files
            if file.suffix in (".swift", ".c", ".h", ".md") and (ROOT / file).is_file()
            and file.parts[:2] != ("Docs", "Reference")]


def long_subjects() -> Iterator[str]:
    """The recent commits whose subject is too long; none outside a git repository."""
    log = subprocess.run(
        ["git", "log", f"-{RECENT_COMMITS}", "--no-merges", "--format=%h %s"], cwd=ROOT, capture_output=True, text=True)
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > MAX_SUBJECT_CHARACTERS:
            yield f"commit {commit}: the subject has {len(subject)} characters; the maximum is {MAX_SUBJECT_CHARACTERS}"


def search(paths: list[str], kinds: list[str]) -> tuple[int, list[str]]:
    """The number of files read, and the findings in them."""
    files = tracked_files(paths)
    found: list[str] = []
    for file in files:
        found += findings(file, (ROOT / file).read_text(encoding="utf-8"), kinds)
    return len(files), found


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
        for path, kinds in ENFORCED:
            some, these = search([path], kinds)
            count, found = count + some, found + these
    if count == 0:
        print(f"prose: git tracks no Swift, C or Markdown file in {' '.join(arguments.path)}", file=sys.stderr)
        return 2
    if not arguments.count:
        print("".join(line + "\n" for line in found), end="")
    print(f"prose: {len(found)} findings in {count} files", file=sys.stderr if found else sys.stdout)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
