"""The list of all stories."""

import stories_access
from stage import ALL, Stage, Story

__all__ = ["ALL", "Stage", "Story", "stories_access"]
