"""What `.gitignore` files leave out, folder by folder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pathspec import GitIgnoreSpec

MOST_BYTES = 256 * 1024
"""Of one `.gitignore`; what comes after counts for nothing."""

FILE = ".gitignore"


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that hold in one folder: its own, then those of the folders around it.

    `depth` is the number of components of the folder that `spec` belongs to.
    """

    spec: GitIgnoreSpec
    depth: int
    outer: Rules | None = None

    def ignores(self, parts: tuple[str, ...], *, folder: bool) -> bool:
        """Whether what has these components (from where the walk begins to count) is left out."""
        rules: Rules | None = self
        while rules is not None:
            path = "/".join(parts[rules.depth :]) + ("/" if folder else "")
            decided = rules.spec.check_file(path).include
            if decided is not None:
                return decided
            rules = rules.outer
        return False


def within(rules: Rules | None, content: bytes, depth: int) -> Rules | None:
    """The rules of a folder whose `.gitignore` holds `content`."""
    spec = _read(content[:MOST_BYTES].decode("utf-8", "replace"))
    return Rules(spec, depth, rules) if spec is not None else rules


_MOST_STARS = 3
_COSTS = (1, 1, 30, 1000)
"""What a line costs by the stars in one component, the most; each multiplies the ways to read a name."""
_MOST_COST = 20_000


def _cost(line: str) -> int | None:
    """How much work a line may make of one name; None: more than any name is worth."""
    parts = line.split("/")
    stars = max((part.count("*") for part in parts if part != "**"), default=0)
    return None if max(stars, parts.count("**")) > _MOST_STARS else _COSTS[stars]


@lru_cache(maxsize=256)
def _read(text: str) -> GitIgnoreSpec | None:
    kept, left = [], _MOST_COST
    for line in text.splitlines():
        # Matching goes back and forth over each star, in one step of Python that nothing stops: a line with many would
        # hold this process up for ever. Without it more is shown, which does no harm.
        cost = _cost(line)
        if cost is None or cost > left:
            continue
        left -= cost
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue  # git passes over what is no pattern, too
        kept.append(line)
    return GitIgnoreSpec.from_lines(kept) if kept else None
