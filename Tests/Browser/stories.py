"""The list of all stories."""

import stories_access
import stories_marketer
import stories_operator
from stage import ALL, Stage, Story

__all__ = ["ALL", "Stage", "Story", "stories_access", "stories_marketer", "stories_operator"]
