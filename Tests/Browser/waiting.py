"""Waits for conditions with deadlines."""

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")
# Machines that build and test at the same time are slow. A wait that succeeds ends at once.
SECONDS = 60


class Unmet(AssertionError):
    """A condition that was not met before its deadline."""


def until(what: str, condition: Callable[[], Value], seconds: float = SECONDS,
          explain: Callable[[], str] = str) -> Value:
    """Returns the first true value of the condition. `explain` describes the state at the deadline."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Unmet(f"after {seconds} s, still waiting for {what}. {explain()}")
        time.sleep(0.05)
