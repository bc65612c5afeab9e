import pytest

from local.simulator.text.directions import TextDirections, parse_text


class TestParseText:
    @pytest.mark.parametrize(
        ("prompt", "expected"),
        [
            ("hello", TextDirections()),
            ("[[tokens 200]] [[think]]", TextDirections(tokens=200, think=True)),
            ("[[tool]]", TextDirections(tools=1)),
            ("[[tools 2]]", TextDirections(tools=2)),
            ("[[cached 30]] [[cache-write 20]]", TextDirections(cached=30, cache_write=20)),
            ("[[delay 20]] [[silent 30]]", TextDirections(delay_ms=20, silent_ms=30_000)),
            ("[[stream-cut 0]]", TextDirections(stream_cut=0)),
            ("[[ERROR-IN-STREAM]] [[no-usage]]", TextDirections(error_in_stream=True, no_usage=True)),
            ("[[usage-in-choices]]", TextDirections(usage_in_choices=True)),
            ("[[vendor DeepSeek]]", TextDirections(vendor="deepseek")),
            ("[[openai: think]] [[moonshot: tokens 5]]", TextDirections(think=True)),
            ("[[tokens 5]] [[tokens 6]]", TextDirections(tokens=6)),
            ("[[tokens]] [[tokens x]] [[tokens 99999999]] [[think 2]] [[brand-new]]", TextDirections()),
        ],
    )
    def test_directions(self, prompt: str, expected: TextDirections) -> None:
        assert parse_text(prompt, "openai") == expected

    def test_only_the_first_twenty_are_read(self) -> None:
        assert parse_text("[[think]]" * 20 + "[[tool]]", "openai") == TextDirections(think=True)
