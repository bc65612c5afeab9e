from typing import Any

import pytest

from tollgate.text.unpriced import unpriced_problems


class TestUnpricedProblems:
    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"service_tier": "priority"}, "/service_tier"),
            ({"service_tier": ["priority"]}, "/service_tier"),
            ({"speed": "fast"}, "/speed"),
            ({"inference_geo": "us"}, "/inference_geo"),
            ({"modalities": ["text", "audio"]}, "/modalities"),
            ({"web_search_options": {}}, "/web_search_options"),
            ({"mcp_servers": [{}]}, "/mcp_servers"),
            ({"tools": [{"type": "function"}, {"type": "web_search_20260209"}]}, "/tools/1/type"),
            ({"tools": [{"type": "code_execution_20250825"}]}, "/tools/0/type"),
        ],
    )
    def test_what_has_no_price(self, fields: dict[str, Any], path: str) -> None:
        assert [problem.path for problem in unpriced_problems(fields)] == [path]

    @pytest.mark.parametrize(
        "fields",
        [
            {},
            {"service_tier": "auto", "modalities": ["text"], "speed": None, "web_search_options": None},
            {"tools": [{"type": "function"}, {"name": "x"}, {"type": "bash_20250124"}, {"type": "custom"}]},
            {"tools": "none"},
        ],
    )
    def test_what_has_one(self, fields: dict[str, Any]) -> None:
        assert unpriced_problems(fields) == []
