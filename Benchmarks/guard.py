#!/usr/bin/env python3
"""Whether a message costs more instructions than it did: each stage of the engine alone, under callgrind.

    Benchmarks/guard.py .build/release            as much as takes a minute or two
    Benchmarks/guard.py .build/release --short    fewer messages
    Benchmarks/guard.py .build/release --write    new thresholds

What counts are instructions of the engine with Swift's runtime, and of SQLite. libc and libcrypto choose their code by
the processor, so that theirs are only shown. A count depends on the compiler and on SQLite's version, therefore the
thresholds name both; with others there is no judgement.
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
# Messages of each stage: short form, full form.
STAGES = {
    "render": (20_000, 200_000), "personalise": (10_000, 100_000), "frame": (10_000, 100_000),
    "answer": (10_000, 100_000), "rejection": (5_000, 50_000), "record": (9_800, 49_000), "prepare": (9_800, 49_000), "import": (20_000, 100_000),
}
ENGINE = re.compile(r"pushstage$|libswift|libdispatch|libBlocksRuntime|lib_?Foundation|lib_FoundationICU")
SQLITE = re.compile(r"libsqlite3\.so")
WHAT_TO_DO = """\
If the work is wanted, write new thresholds, `make bench-guard GUARD=--write`, and say why in the commit.
If it is not, run this at the commit before as well, and compare what callgrind_annotate {profiles}/STAGE.callgrind
says at both: instructions by function."""


class GuardError(Exception):
    """Why there is no count."""


def first_line(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()


def without_debug_information(program: Path, folder: Path) -> Path:
    """A copy of which callgrind sees the names of functions alone: it does not know newer debug information."""
    tools = [tool for tool in ("llvm-strip", "strip") if shutil.which(tool)]
    if not tools:
        raise GuardError("neither llvm-strip nor strip is in PATH: sudo apt-get install binutils")
    if not program.exists():
        raise GuardError(f"{program} is missing: swift build -c release --product pushstage")
    copy = folder / program.name
    subprocess.run([tools[0], "--strip-debug", "-o", copy, program], check=True)
    return copy


def count(program: Path, stage: str, messages: int, profiles: Path) -> tuple[dict[str, float], Path | None]:
    """Instructions a message, by object file, and SQLite's object file if it was used."""
    with tempfile.TemporaryDirectory() as folder:
        profile = profiles / f"{stage}.callgrind"
        arguments = [program, stage, "--messages", str(messages), "--folder", folder]
        # Hashes would differ from run to run.
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
        raise GuardError(f"{stage}: callgrind counted nothing; is PushStage.counted still called so?")
    sqlite = next((path for path in paths if SQLITE.search(path)), None)
    return {name: cost / counted for name, cost in costs.items()}, sqlite


def costs_by_object(profile: Path) -> tuple[dict[str, int], list[str]]:
    """Own instructions of the functions of each object file (Callgrind Format Specification)."""
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
            # The next line is what the call cost, which its own function has.
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
    """What is judged."""
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
        # A part that is next to nothing of a stage says nothing.
        if max(now[part], before[part]) < 0.01 * sum(before.values()):
            continue
        change = now[part] / before[part] - 1 if before[part] else float("inf")
        if change > LIMIT:
            faults.append(
                f"{stage}: {now[part]:.1f} instructions of {part} a message, {before[part]:.1f} before: "
                f"{change:+.1%}, at most {LIMIT:+.0%}")
        elif change < -LIMIT:
            print(f"{stage}: {change:+.1%} instructions of {part}; lower thresholds would keep it so "
                  "(make bench-guard GUARD=--write)")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path, help="the folder with pushstage, a release build")
    parser.add_argument("--thresholds", type=Path, default=Path(__file__).parent / "thresholds.json")
    parser.add_argument("--short", action="store_true", help="fewer messages; without valgrind it only says so")
    parser.add_argument("--write", action="store_true", help="write the counts of both forms as new thresholds")
    parser.add_argument("--at-once", type=int, default=os.cpu_count(), help="stages")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("instructions are not counted, valgrind is missing: sudo apt-get install valgrind", file=sys.stderr)
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
    print(f"Instructions a message, {form} form; {', '.join(versions.values())}\n")
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
        raise GuardError(f"no thresholds: {error}; write them: make bench-guard GUARD=--write") from error
    counts, versions = measure(options, form)
    judged = ["engine", "SQLite"]
    for what in ("machine", "swift"):
        if versions[what] != thresholds["versions"][what]:
            print(f"not judged: thresholds are of {thresholds['versions'][what]}, this is {versions[what]}; a compiler "
                  "decides how many instructions there are. To judge changes from here on, write thresholds of a "
                  "commit that is known to be good: make bench-guard GUARD=--write")
            return 0
    if versions["SQLite"] != thresholds["versions"]["SQLite"]:
        print(f"SQLite's are not judged: thresholds are of {thresholds['versions']['SQLite']}")
        judged.remove("SQLite")
    faults = []
    for stage, now in counts.items():
        before = thresholds["instructions"].get(stage, {}).get(form)
        faults += judge(stage, now, before, judged) if before else [f"{stage}: no threshold"]
    if faults:
        print("\n".join(faults) + "\n" + WHAT_TO_DO.format(profiles=profile_folder(options)), file=sys.stderr)
        return 1
    print(f"no stage needs more than {LIMIT:.0%} more instructions than the thresholds say")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
