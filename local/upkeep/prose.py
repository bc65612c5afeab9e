"""`python -m local.upkeep.prose`: counts awkward sentences per file and holds each file under its ceiling.

`--check` compares the counts with `prose.json` and changes nothing. `--lower` lowers the ceilings.
`--show PATH` lists the sentences of one file with the reason. `--moved OLD NEW` moves the ceilings of a
renamed file or folder.

A pattern also occurs in good English, so the rate of a file counts, not each sentence.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from local.upkeep import prose_files
from local.upkeep.prose_files import GROUPS, ROOT

CEILINGS = Path(__file__).with_name("prose.json")
_FEWEST_WORDS = 4
"""Shorter pieces are labels and headings, not sentences."""
_ENDS = re.compile(r"(?<=[.!?:])[\"')\]]*\s+|\n\s*\n|\n\s*(?:[-*]|\d+\.) ")

_PRONOUN = "a|an|the|it|its|they|their|we|our|he|she|you|your|one|this|that|these|those|there"
_VERB = (
    "is|was|are|were|has|had|have|do|does|did|can|cannot|could|may|might|must|shall|should|will|would|"
    "came|comes?|fails?|failed|happens|happened|holds?|makes?|moved|moves?|runs?|stays?|waits?|went"
)
_SUBJECT = "each|every|everybody|no|nobody|not|others?|people|customers?|providers?"
_THING = (
    "account|alarm|answer|body|catalog|code|command|desk|docs?|document|error|field|file|function|header|key|ledger|"
    "line|log|mail|message|model|page|price|provider|queue|README|request|row|stack|status|table|task|template|test|"
    "tool|webhook"
)


@dataclass(frozen=True)
class Pattern:
    """One awkward construction."""

    name: str
    """The construction, in a few words."""
    expression: str
    """The regular expression that finds it in a sentence."""
    write: str
    """The advice for the writer."""


PATTERNS = (
    Pattern(
        "`what …` without a noun",
        rf"\b[Ww]hat (?:{_PRONOUN}|{_VERB}|{_SUBJECT})\b",
        "name the thing: failed requests, the result, the cost",
    ),
    Pattern(
        "`who …` without a person",
        r"(?:^|[.,;:(] |\b(?:and|by|for|from|of|or|says?|to|with) )[Ww]ho(?:ever)? \w+",
        "name the person: members who left, the caller",
    ),
    Pattern(
        "`where` for if",
        rf"\b[Ww]here (?:{_PRONOUN}|all|any|both|customers?|each|every|no|none|nothing|two)\b",
        "if, when",
    ),
    Pattern("`alone` for only", r"\balone\b", "only, before the noun"),
    Pattern(
        "`as` for because",
        rf", as (?:{_PRONOUN}|all|any|each|every|no|most|nothing)\b",
        "because",
    ),
    Pattern(
        "`that of`, `those of`, `one that`",
        r"\b(?:[Tt]hat|[Tt]hose) of\b|\b[Oo]nes? (?:of(?!:)|that|which|who)\b|\bones\b",
        "repeat the noun",
    ),
    Pattern(
        "`of its own`, `of ours`",
        r"\bof (?:his|its|my|one's|our|their|your) own\b|\bof (?:ours|theirs|yours)\b",
        "its, our, your",
    ),
    Pattern("`in the place of`", r"\bin (?:its|the|their) place\b", "instead of"),
    Pattern("`goes on`", r"\b(?:go|goes|going|gone|went) on\b|\blives? on\b", "continues, remains valid"),
    Pattern(
        "`nobody`, `somebody`, `whoever`",
        r"\b(?:[Aa]ny|[Ee]very|[Nn]o|[Ss]ome)body\b|\b[Ww]hoever\b",
        "no one, or name the person",
    ),
    Pattern(
        "a thing that speaks, hears or wants",
        rf"\b(?:{_THING})s? (?:asks?|begins?|hears?|knows?|learns?|meets?|minds?|says?|tells?|wants?)\b",
        "returns, contains, receives, starts",
    ),
    Pattern("`is told`, `tells of`", r"\b(?:are|be|been|is|was|were) told\b|\btells? of\b", "is notified"),
    Pattern(
        "an old-fashioned word",
        r"\b(?:anew|dearer|else's|hereby|hither|thereby|wherein|whence)\b|\b(?:lies|lie) in\b",
        "a plain word",
    ),
    Pattern(
        "`be it`, `for good`, `by itself`",
        r"\b(?:be it|by itself|by themselves|for good|however (?:many|much|often))\b",
        "whether, permanently, automatically",
    ),
    Pattern(
        "`is made`, `makes` for create",
        r"\b(?:are|be|is|was|were) made\b|\bmakes? (?:a|an|images?|it|no|the|them|videos?)\b",
        "create, generate, return",
    ),
)
_ANY = re.compile("|".join(f"(?:{pattern.expression})" for pattern in PATTERNS), re.MULTILINE)


@dataclass(frozen=True)
class Count:
    """The sentences of one file."""

    awkward: int
    total: int

    def within(self, rate: float) -> bool:
        """Return whether at most `rate` of the sentences are awkward."""
        return self.awkward <= rate * self.total


Ceilings = dict[str, dict[str, int]]
"""The highest number of awkward sentences, by group and path. Other files keep to their group's target."""
Counts = dict[str, dict[str, Count]]


def sentences(text: str) -> list[str]:
    """Return the sentences of at least four words."""
    pieces = (" ".join(piece.split()) for piece in _ENDS.split(text) if piece)
    return [piece for piece in pieces if piece.count(" ") >= _FEWEST_WORDS - 1]


def reasons(sentence: str) -> list[Pattern]:
    """Return the patterns that a sentence matches."""
    return [pattern for pattern in PATTERNS if re.search(pattern.expression, sentence)]


def count(text: str) -> Count:
    """Return how many of the sentences of a text are awkward."""
    found = sentences(text)
    return Count(sum(1 for sentence in found if _ANY.search(sentence)), len(found))


def counts(root: Path = ROOT) -> Counts:
    """Return the counts of all files, by group and path."""
    found: Counts = {group: {} for group in GROUPS}
    for path in prose_files.paths(root):
        for group, text in prose_files.prose(path).items():
            found[group][path.relative_to(root).as_posix()] = count(text)
    return found


def faults(found: Counts, ceilings: Ceilings) -> Iterator[str]:
    """Yield one line for each file above its ceiling, and for each ceiling that can be lowered."""
    for group, files in found.items():
        rate = GROUPS[group]
        for path, counted in files.items():
            ceiling = ceilings.get(group, {}).get(path)
            if ceiling is None and not counted.within(rate):
                yield (
                    f"{path}: {counted.awkward} of {counted.total} sentences ({group}) are awkward, "
                    f"more than {rate:.0%}. See them: python -m local.upkeep.prose --show {path}"
                )
            elif ceiling is not None and counted.awkward > ceiling:
                yield (
                    f"{path}: {counted.awkward} awkward sentences ({group}), the ceiling is {ceiling}. "
                    f"See them: python -m local.upkeep.prose --show {path}"
                )
    if lowered(found, ceilings) != ceilings:
        yield "local/upkeep/prose.json is higher than the counts. Lower it and commit it: make prose"


def lowered(found: Counts, ceilings: Ceilings) -> Ceilings:
    """Return the ceilings, each lowered to the count; without files that meet the target or are deleted."""
    return {
        group: {
            path: min(ceiling, found[group][path].awkward)
            for path, ceiling in sorted(ceilings.get(group, {}).items())
            if path in found[group] and not found[group][path].within(rate)
        }
        for group, rate in GROUPS.items()
    }


def moved(ceilings: Ceilings, old: str, new: str) -> Ceilings:
    """Return the ceilings with the file or folder `old` renamed to `new`."""
    return {
        group: {
            new + path[len(old) :] if path == old or path.startswith(f"{old}/") else path: ceiling
            for path, ceiling in files.items()
        }
        for group, files in ceilings.items()
    }


def summary(found: Counts) -> str:
    """Return one line for each group: its awkward sentences, all its sentences, the rate."""
    lines = []
    for group, files in found.items():
        awkward, total = sum(c.awkward for c in files.values()), sum(c.total for c in files.values())
        lines.append(f"{group:8} {awkward:5} of {total:5} sentences, {awkward / max(1, total):.1%}")
    return "\n".join(lines)


def _show(path: Path) -> None:
    for group, text in prose_files.prose(path).items():
        for sentence in sentences(text):
            for pattern in reasons(sentence):
                print(f"{group}: {sentence}\n    {pattern.name}; write: {pattern.write}")


def _write(ceilings: Ceilings) -> None:
    ordered = {group: dict(sorted(files.items())) for group, files in ceilings.items()}
    CEILINGS.write_text(json.dumps(ordered, indent=1) + "\n")


def main(arguments: list[str]) -> int:
    """Run the command; return its exit code: 1 if a file is above its ceiling or a ceiling can be lowered."""
    parser = argparse.ArgumentParser(prog="python -m local.upkeep.prose", description=__doc__)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true")
    action.add_argument("--lower", action="store_true")
    action.add_argument("--show", type=Path, metavar="PATH")
    action.add_argument("--moved", nargs=2, metavar=("OLD", "NEW"))
    chosen = parser.parse_args(arguments)
    if chosen.show:
        _show(chosen.show)
        return 0
    ceilings: Ceilings = json.loads(CEILINGS.read_text())
    if chosen.moved:
        _write(moved(ceilings, *(name.rstrip("/") for name in chosen.moved)))
        return 0
    found = counts()
    if chosen.lower:
        ceilings = lowered(found, ceilings)
        _write(ceilings)
        print(summary(found))
    wrong = list(faults(found, ceilings))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
