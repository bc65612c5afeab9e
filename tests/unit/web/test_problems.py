"""What a page says of input that was refused."""

import pytest

from tollgate.kit.problems import Problem, one_of
from tollgate.web.problems import MAX_SAID, in_words


@pytest.mark.parametrize(
    ("problem", "beside", "said"),
    [
        (Problem("/name", "Must be text."), 0, "Name: Must be text."),
        (Problem("/allowedIps/1", "Is no network."), 0, "Allowed ips, item 2: Is no network."),
        (Problem("", "Must be an object."), 0, "Must be an object."),
        (Problem("/input/prompt", "Is missing."), 2, "Is missing."),
        (Problem("/input/urls/0", "Must be a URL."), 2, "Item 1: Must be a URL."),
        (Problem("/per", "Unknown.", ["day", "month"]), 0, "Per: Unknown. Allowed: day, month."),
        (one_of("/per", ["day", "month"]), 0, "Per: Must be one of: day, month."),
        (
            Problem("/name", "Must have at most 5 characters.", "at most 5"),
            1,
            "Must have at most 5 characters.",
        ),
        (Problem("/overlapS", "Must be whole.", "0 to 9"), 0, "Overlap s: Must be whole. Allowed: 0 to 9."),
    ],
)
def test_a_problem_names_its_field_in_words(problem: Problem, beside: int, said: str) -> None:
    assert in_words([problem], beside=beside) == said


def test_many_problems_are_counted_and_not_listed() -> None:
    problems = [Problem(f"/field{number}", "Is unknown.") for number in range(MAX_SAID + 3)]
    said = in_words(problems)
    assert said.count("Is unknown.") == MAX_SAID
    assert said.endswith("And 3 more.")
