import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.simulator.directions import ALWAYS, Directions, Refusal, parse


class TestParse:
    def test_a_prompt_without_directions_changes_nothing(self) -> None:
        assert parse("a red fox [in] [[brackets", "fal") == Directions()

    @pytest.mark.parametrize(
        ("prompt", "expected"),
        [
            ("[[fail]]", Directions(fail=True)),
            ("[[reject]]", Directions(reject=True)),
            ("[[stuck]]", Directions(stuck=True)),
            ("[[lost]]", Directions(lost=True)),
            ("[[vanish]]", Directions(vanish=True)),
            ("[[truncate]]", Directions(truncate=True)),
            ("[[lie]]", Directions(lie=True)),
            ("[[error-in-200]]", Directions(error_in_200=True)),
            ("[[slow 5]]", Directions(slow_ms=5_000)),
            ("[[slow 0.25]]", Directions(slow_ms=250)),
            ("[[hang 20]]", Directions(hang_ms=20_000)),
            ("[[garbage]]", Directions(garbage_answers=ALWAYS)),
            ("[[garbage 3]]", Directions(garbage_answers=3)),
            ("[[status 429]]", Directions(refusal=Refusal(429, ALWAYS))),
            ("[[status 429 2]]", Directions(refusal=Refusal(429, 2))),
            ("[[files 3]]", Directions(files=3)),
        ],
    )
    def test_each_direction_is_read(self, prompt: str, expected: Directions) -> None:
        assert parse(f"a fox {prompt} in the snow", "fal") == expected

    def test_several_stand_in_one_prompt(self) -> None:
        assert parse("[[slow 2]] a fox [[fail]]", "fal") == Directions(slow_ms=2_000, fail=True)

    def test_a_direction_for_one_provider_leaves_the_others_alone(self) -> None:
        prompt = "a fox [[fal: fail]] [[ POYO : slow 3 ]]"
        assert parse(prompt, "fal") == Directions(fail=True)
        assert parse(prompt, "poyo") == Directions(slow_ms=3_000)
        assert parse(prompt, "kie") == Directions()

    def test_the_later_of_two_holds(self) -> None:
        assert parse("[[slow 9]] [[fal: slow 1]]", "fal") == Directions(slow_ms=1_000)

    @pytest.mark.parametrize(
        "prompt",
        [
            "[[dance]]",
            "[[]]",
            "[[fail 1]]",
            "[[slow]]",
            "[[slow fast]]",
            "[[slow 1.2.3]]",
            "[[slow 3601]]",
            "[[slow 1 2]]",
            "[[status]]",
            "[[status 200]]",
            "[[status 600]]",
            "[[status 429 1 2]]",
            "[[garbage -1]]",
            "[[files 0]]",
            "[[files 11]]",
            "[[files]]",
            "[[hang nan]]",
        ],
    )
    def test_unknown_and_malformed_directions_are_ignored(self, prompt: str) -> None:
        assert parse(prompt, "fal") == Directions()

    def test_a_prompt_full_of_directions_is_read_up_to_the_limit(self) -> None:
        assert parse("[[fail]]" * 20 + "[[reject]]", "fal") == Directions(fail=True)

    @given(st.text(alphabet="[]: .abcdefilostw0123456789-", max_size=200))
    def test_no_prompt_is_an_error(self, prompt: str) -> None:
        parse(prompt, "fal")
