#!/usr/bin/env python3
"""Runs each stage of the engine alone under callgrind, and checks that a message costs as few instructions as before.

    Benchmarks/guard.py .build/release            takes a minute or two
    Benchmarks/guard.py .build/release --short    fewer messages
    Benchmarks/guard.py .build/release --write    writes new thresholds

The instructions of the engine, including Swift's runtime, and of SQLite are compared with thresholds. libc and
libcrypto select their code by processor, so their instructions are only shown. Counts depend on the compiler and on
SQLite's version. The thresholds file names both versions. Counts from other versions are not compared.
"""

import argparse
import concurrent.futures
import ctypes
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 0.03
# The number of messages of each stage, in the short form and in the full form.
STAGES = {
    "render": (20_000, 200_000), "personalise": (10_000, 100_000), "frame": (10_000, 100_000),
    "answer": (10_000, 100_000), "rejection": (5_000, 50_000), "record": (9_800, 49_000), "prepare": (9_800, 49_000),
    "import": (20_000, 100_000),
}
ENGINE = re.compile(r"pushstage$|libswift|libdispatch|libBlocksRuntime|lib_?Foundation|lib_FoundationICU")
SQLITE = re.compile(r"libsqlite3\.so")
WHAT_TO_DO = """\
If the additional work is intended, write new thresholds with `make bench-guard GUARD=--write` and state the reason in
the commit. Otherwise, run this command at the previous commit too, and compare the instructions of each function that
callgrind_annotate {profiles}/STAGE.callgrind prints for both commits."""


class GuardError(Exception):
    """The reason why instructions could not be counted."""


def first_line(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()


def without_debug_information(program: Path, folder: Path) -> Path:
    """Returns a copy with function names only, because callgrind does not support newer debug information."""
    tools = [tool for tool in ("llvm-strip", "strip") if shutil.which(tool)]
    if not tools:
        raise GuardError("neither llvm-strip nor strip is in PATH; run: sudo apt-get install binutils")
    if not program.exists():
        raise GuardError(f"{program} is missing; run: swift build -c release --product pushstage")
    copy = folder / program.name
    subprocess.run([tools[0], "--strip-debug", "-o", copy, program], check=True)
    return copy


def count(program: Path, stage: str, messages: int, profiles: Path) -> tuple[dict[str, float], Path | None]:
    """Returns the instructions per message of each object file, and SQLite's object file if it was used."""
    with tempfile.TemporaryDirectory() as folder:
        profile = profiles / f"{stage}.callgrind"
        arguments = [program, stage, "--messages", str(messages), "--folder", folder]
        # Without this variable, hashes would differ between runs.
        environment = os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"}
        callgrind = [
            "valgrind", "--tool=callgrind", "--toggle-collect=*9pushstage7counted*", f"--callgrind-out-file={profile}"]
        for command in ([*arguments, "--fill"], [*callgrind, *arguments]):
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                lines = "\n".join(done.stderr.splitlines()[-8:])
                raise GuardError(f"{stage}: {Path(command[0]).name} failed with {done.returncode}:\n{lines}")
    costs, paths = costs_by_object(profile)
    counted = int(done.stdout)
    if sum(costs.values()) < counted:
        raise GuardError(f"{stage}: callgrind counted nothing; was PushStage.counted renamed?")
    sqlite = next((path for path in paths if SQLITE.search(path)), None)
    return {name: cost / counted for name, cost in costs.items()}, sqlite


def costs_by_object(profile: Path) -> tuple[dict[str, int], list[str]]:
    """Returns the instructions of the functions in each object file, without their callees, and the paths of the files.

    See the Callgrind Format Specification.
    """
    names: dict[str, str] = {}
    costs: dict[str, int] = {}
    current, is_call = "", False
    for line in profile.read_text(errors="replace").splitlines():
        if match := re.match(r"(c?ob)=\((\d+)\)(?: (.*))?$", line):
            if match[3]:
                names[match[2]] = match[3]
            if match[1] == "ob":
                current = names[match[2]]
        elif line.startswith("calls="):
            # The next line is the cost of the call, which is counted in the called function.
            is_call = True
        elif re.match(r"[\d+*-]", line):
            if not is_call:
                costs[current] = costs.get(current, 0) + int(line.split()[1])
            is_call = False
    by_name: dict[str, int] = {}
    for path, cost in costs.items():
        name = Path(path).name
        by_name[name] = by_name.get(name, 0) + cost
    return by_name, list(names.values())


def parts(costs: dict[str, float]) -> dict[str, float]:
    """Returns the counts that are compared with thresholds: those of the engine and of SQLite."""
    return {
        "engine": sum(cost for name, cost in costs.items() if ENGINE.search(name)),
        "SQLite": sum(cost for name, cost in costs.items() if SQLITE.search(name)),
    }


def others(costs: dict[str, float]) -> str:
    rest = {name: cost for name, cost in costs.items() if not ENGINE.search(name) and not SQLITE.search(name)}
    return ", ".join(f"{name} {cost:.0f}" for name, cost in sorted(rest.items(), key=lambda row: -row[1]) if cost >= 1)


def sqlite_version(path: str | None) -> str:
    if not path:
        return ""
    version = ctypes.CDLL(path).sqlite3_libversion
    version.restype = ctypes.c_char_p
    return version().decode()


def judge(stage: str, now: dict[str, float], before: dict[str, float], judged: list[str]) -> list[str]:
    faults = []
    for part in judged:
        # If a part is negligible, its change has no meaning.
        if max(now[part], before[part]) < 0.01 * sum(before.values()):
            continue
        change = now[part] / before[part] - 1 if before[part] else float("inf")
        if change > LIMIT:
            faults.append(
                f"{stage}: {now[part]:.1f} instructions of {part} per message, {before[part]:.1f} before: "
                f"{change:+.1%}; the limit is {LIMIT:+.0%}")
        elif change < -LIMIT:
            print(f"{stage}: {change:+.1%} instructions of {part}; to keep this level, lower the thresholds with "
                  "make bench-guard GUARD=--write")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path, help="the folder that contains pushstage, built for release")
    parser.add_argument("--thresholds", type=Path, default=Path(__file__).parent / "thresholds.json")
    parser.add_argument("--short", action="store_true", help="fewer messages; succeeds if valgrind is missing")
    parser.add_argument("--write", action="store_true", help="write the counts of both forms as new thresholds")
    parser.add_argument("--at-once", type=int, default=os.cpu_count(), help="the number of parallel stages")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("instructions not counted: valgrind is missing; run: sudo apt-get install valgrind", file=sys.stderr)
        return 0 if options.short and not os.environ.get("CI") else 1
    try:
        return write(options) if options.write else check(options)
    except GuardError as error:
        print(error, file=sys.stderr)
        return 1


def profile_folder(options) -> Path:
    return Path(os.path.normpath(options.programs / ".." / "guard"))


def measure(options, form: str) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    profiles = profile_folder(options)
    profiles.mkdir(exist_ok=True)
    program = without_debug_information(options.programs / "pushstage", profiles)
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        runs = {
            stage: pool.submit(count, program, stage, sizes[form == "full"], profiles)
            for stage, sizes in STAGES.items()}
        counts = {stage: run.result() for stage, run in runs.items()}
    versions = {
        "machine": platform.machine(), "swift": first_line("swift", "--version"),
        "SQLite": next(filter(None, (sqlite_version(path) for _, path in counts.values())), ""),
        "valgrind": first_line("valgrind", "--version"),
    }
    print(f"Instructions per message, {form} form; {', '.join(versions.values())}\n")
    print("| stage | engine | SQLite | not judged |\n|---|--:|--:|---|")
    for stage, (costs, _) in counts.items():
        judged = parts(costs)
        print(f"| {stage} | {judged['engine']:.1f} | {judged['SQLite']:.1f} | {others(costs)} |")
    print()
    return {stage: parts(costs) for stage, (costs, _) in counts.items()}, versions


def write(options) -> int:
    counts: dict[str, dict] = {stage: {} for stage in STAGES}
    for form in ("short", "full"):
        measured, versions = measure(options, form)
        for stage, now in measured.items():
            counts[stage][form] = {part: round(value, 1) for part, value in now.items()}
    options.thresholds.write_text(json.dumps({"versions": versions, "instructions": counts}, indent=1) + "\n")
    print(f"written to {options.thresholds}")
    return 0


def check(options) -> int:
    form = "short" if options.short else "full"
    try:
        thresholds = json.loads(options.thresholds.read_text())
    except OSError as error:
        raise GuardError(
            f"cannot read the thresholds: {error}; write them with make bench-guard GUARD=--write") from error
    counts, versions = measure(options, form)
    judged = ["engine", "SQLite"]
    for what in ("machine", "swift"):
        if versions[what] != thresholds["versions"][what]:
            print(f"not judged: the thresholds are for {thresholds['versions'][what]}, this is {versions[what]}. The "
                  "number of instructions depends on the compiler. To judge later changes, write thresholds at a "
                  "commit that is known to be good, with make bench-guard GUARD=--write")
            return 0
    if versions["SQLite"] != thresholds["versions"]["SQLite"]:
        print(f"SQLite's instructions are not judged: the thresholds are for SQLite {thresholds['versions']['SQLite']}")
        judged.remove("SQLite")
    faults = []
    for stage, now in counts.items():
        before = thresholds["instructions"].get(stage, {}).get(form)
        faults += judge(stage, now, before, judged) if before else [f"{stage}: no threshold"]
    if faults:
        print("\n".join(faults) + "\n" + WHAT_TO_DO.format(profiles=profile_folder(options)), file=sys.stderr)
        return 1
    print(f"no stage exceeds its threshold by more than {LIMIT:.0%}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
