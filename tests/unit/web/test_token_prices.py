"""The prices of text as the chat page reads them."""

from typing import Any

from tollgate.web.token_prices import price_tiers


class TestPriceTiers:
    def test_each_length_has_its_prices_the_shortest_first(self) -> None:
        long = {"inputTokensFrom": "272000"}
        pricing: list[dict[str, Any]] = [
            {"key": "input-from-272000", "price": "20", "dimensions": long},
            {"key": "output-from-272000", "price": "75", "dimensions": long},
            {"key": "input", "price": "10"},
            {"key": "output", "price": "50"},
            {"key": "cacheRead", "price": "1"},
        ]
        assert price_tiers(pricing) == [
            {"from": 0, "input": "10", "output": "50", "cacheRead": "1", "cacheWrite": "10"},
            {"from": 272000, "input": "20", "output": "75", "cacheRead": "20", "cacheWrite": "20"},
        ]
