#!/usr/bin/env python3
"""Tests the console of a real instance in a real browser.

    Tests/Browser/run.py .build/release                 all stories, in all sizes, and the attacks
    Tests/Browser/run.py .build/release --short         the stories of make test
    Tests/Browser/run.py .build/release NAME...         stories whose names contain one of the texts
    Tests/Browser/run.py .build/release --list          the names of the stories

`make browser-packages` installs what this program needs. Images of the screens are in .build/browser/shots. A story
that fails leaves an image, the page and the service's log in .build/browser/failed.
"""

import argparse
import concurrent.futures
import sys
import time
import traceback
from pathlib import Path

import stories

ROOT = Path(__file__).resolve().parent.parent.parent
OUTPUT = ROOT / ".build" / "browser"


def attempt(story: stories.Story, programs: Path, short: bool) -> tuple[str, float]:
    """Returns the reason of a failure, and the seconds that the story took."""
    start = time.monotonic()
    stage = stories.Stage(story.name, programs, OUTPUT, short)
    try:
        with stage:
            story.body(stage)
        reason = ""
    except Exception as error:
        reason = str(error) if isinstance(error, AssertionError) else getattr(error, "msg", "") or ""
        place = traceback.extract_tb(error.__traceback__)
        frames = [f"{Path(each.filename).name}:{each.lineno} {each.line}" for each in place
                  if "Browser" in each.filename]
        reason = "\n".join([reason or f"{type(error).__name__}: {error}", *frames])
    return reason, time.monotonic() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path, help="the folder with pushmta and pushsink")
    parser.add_argument("names", nargs="*", help="parts of the names of stories")
    parser.add_argument("--short", action="store_true", help="only the stories of make test, in one size each")
    parser.add_argument("--list", action="store_true", help="print the names of the stories")
    parser.add_argument("--at-once", type=int, default=2, help="the number of stories that run in parallel")
    options = parser.parse_intermixed_args()
    chosen = [story for story in stories.ALL if not options.short or story.short]
    chosen = [story for story in chosen
              if not options.names or any(name in story.name for name in options.names)]
    if options.list:
        print("\n".join(story.name for story in chosen))
        return 0
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        futures = {pool.submit(attempt, story, options.programs.resolve(), options.short): story for story in chosen}
        for future in concurrent.futures.as_completed(futures):
            reason, seconds = future.result()
            print(f"{'FAILED' if reason else 'ok'} {futures[future].name} ({seconds:.1f} s)", flush=True)
            if reason:
                failed += 1
                print("    " + reason.replace("\n", "\n    "), flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
