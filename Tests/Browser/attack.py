#!/usr/bin/env python3
"""Attacks the console of a real instance over HTTP, and prints a table of the cases.

    Tests/Browser/attack.py .build/release

Each case states what the attacker tries. The program ends with status 1 if an attack succeeds.
"""

import argparse
import sys
import traceback
from pathlib import Path

import attacks_content
import attacks_rights
from attacks import ALL, Scene


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path, help="the folder with pushmta and pushsink")
    parser.add_argument("names", nargs="*", help="parts of the names of attacks")
    options = parser.parse_args()
    chosen = [attack for attack in ALL
              if not options.names or any(name in attack.__name__ for name in options.names)]
    rows, failed = [], 0
    for attack in chosen:
        try:
            with Scene(options.programs.resolve()) as scene:
                result = attack(scene)
        except Exception as error:
            failed += 1
            place = [each for each in traceback.extract_tb(error.__traceback__) if "attack" in each.filename][-1]
            result = f"FAILED at {Path(place.filename).name}:{place.lineno}: {error or type(error).__name__}"
        rows.append((attack.__name__.replace("_", " "), attack.__doc__ or "", result))
        print(f"| {rows[-1][0]} | {' '.join(rows[-1][1].split())} | {result} |", flush=True)
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
