"""Data with days: what counts on a day, and a catalog that follows the days by itself."""

import json
from typing import Any

import pytest

from tests.support.clock import ManualClock
from tests.unit.catalog.test_refresh import SHIPPED, Log
from tollgate.catalog.dated import FIRST, changes, on
from tollgate.catalog.due import due
from tollgate.catalog.errors import CatalogError
from tollgate.catalog.listing import Listing
from tollgate.catalog.loader import DATA, Catalog, Document, Folder, compiled, ready
from tollgate.catalog.pricing import price_version
from tollgate.catalog.refresh import LiveCatalog
from tollgate.catalog.validation import faults_of
from tollgate.kit.remote_document import Nothing

NEW_YEAR_MS = 1_798_761_600_000  # 2027-01-01T00:00:00Z
BEFORE, AFTER = "2026-12-31", "2027-01-01"
FLASH, MEDIA, END = "gemini-3.8-flash", "z-image", "2027-05-07"


def dated(model_id: str = MEDIA, **more: Any) -> dict[str, Any]:
    """Return a model of the shipped data with other fields."""
    return {**json.loads(json.dumps(SHIPPED[model_id])), **more}


def two_prices(first: str = "0.05") -> dict[str, Any]:
    """Return a media model whose price changes at New Year."""
    raw = dated()
    (row,) = raw["pricing"]["prices"]
    rows = [row | {"price": first, "until": BEFORE}, row | {"price": "0.06", "from": AFTER}]
    return raw | {"pricing": {**raw["pricing"], "prices": rows}}


def at(now_ms: int, source: Document | Folder | None = None) -> tuple[LiveCatalog, ManualClock]:
    """Return a live catalog without a document, with its clock."""
    clock = ManualClock(now_ms)
    shipped = Catalog(source or Document(SHIPPED)).with_live(frozenset({"google", "poyo", "openrouter"}))
    return LiveCatalog(shipped, Catalog, lambda _: Nothing.MISSING, clock, Log()), clock


class TestRows:
    @pytest.mark.parametrize(
        ("row", "days"),
        [
            ({}, "2026-12-30 2026-12-31 2027-01-01"),
            ({"until": "2026-12-31"}, "2026-12-30 2026-12-31"),
            ({"from": "2026-12-31"}, "2026-12-31 2027-01-01"),
            ({"from": "2026-12-31", "until": "2026-12-31"}, "2026-12-31"),
        ],
    )
    def test_count_on_both_of_their_days(self, row: dict[str, str], days: str) -> None:
        raw = {"longContext": [{"input": "1", **row}]}
        counted = [day for day in (BEFORE[:-1] + "0", BEFORE, AFTER) if on(raw, day)["longContext"]]
        assert " ".join(counted) == days
        assert all(on(raw, day)["longContext"] == [{"input": "1"}] for day in counted)

    def test_name_the_days_on_which_something_changes(self) -> None:
        route = {"retires": "2027-03-01", "cost": [{"until": "2026-12-31"}, {"from": "2027-02-01"}]}
        raw = {"routes": [route], "shutsDown": {"day": END, "successor": "x"}, "tags": [{"from": "x"}]}
        assert changes(raw) == ["2027-01-01", "2027-02-01", "2027-03-01", END]

    @pytest.mark.parametrize("day", [20270101, "2027-1-1", "2027-02-30", None, "tomorrow"])
    def test_refuse_what_is_no_day(self, day: Any) -> None:
        with pytest.raises(CatalogError, match="must be a day in quotes"):
            changes({"prices": [{"input": "1", "until": day}]})

    @pytest.mark.parametrize("rows", [[{"from": AFTER}], [{"until": BEFORE}, {}]])
    def test_of_a_text_price_are_one_on_each_day(self, rows: list[dict[str, str]]) -> None:
        raw = dated(FLASH, prices=[{"input": "9", "output": "9", **row} for row in rows])
        assert any("rows on" in fault for fault in faults_of(Document({FLASH: raw})))

    def test_of_the_shipped_data_are_good_on_every_day(self) -> None:
        assert faults_of(Folder(DATA)) == []


class TestLint:
    def test_finds_a_cost_that_will_be_above_the_price(self) -> None:
        raw = dated(FLASH, prices={"input": "0.75", "output": "3.75", "cacheRead": "0.075"})
        faults = faults_of(Document({FLASH: raw}))
        assert "2027-01-01: gemini-3.8-flash: prices: input: 0.75 is under the 1.5 of google" in faults

    def test_looks_at_no_day_that_is_over(self) -> None:
        raw = two_prices(first="0.001")
        assert faults_of(Document({MEDIA: raw}), BEFORE) != []
        assert faults_of(Document({MEDIA: raw}), AFTER) == []

    @pytest.mark.parametrize("successor", ["nobody", MEDIA])
    def test_refuses_a_successor_that_is_none(self, successor: str) -> None:
        raw = dated(shutsDown={"day": END, "successor": successor})
        (fault,) = faults_of(Document({MEDIA: raw}))
        assert fault.startswith("z-image: shutsDown: successor")


class TestLiveCatalog:
    @pytest.mark.parametrize("built", [True, False])
    def test_a_price_changes_by_itself_at_its_moment(self, built: bool) -> None:
        import pickle  # noqa: PLC0415 - only here

        made = pickle.loads(ready(compiled())) if built else None  # noqa: S301 - written here
        live, clock = at(NEW_YEAR_MS - 1, Document(SHIPPED, made))
        before, listing = live.catalog(), Listing(live.catalog())
        assert f"{before.text_model(FLASH).prices.input:f}" == "0.75"
        announced = listing.model_view(FLASH)["nextPrices"]
        assert (announced["day"], announced["prices"][0]["price"]) == (AFTER, "1.5")
        assert json.loads(listing.cost(FLASH).body)["nextPrices"] == announced
        clock.advance_ms(1)
        after = live.catalog()
        assert f"{after.text_model(FLASH).prices.input:f}" == "1.5"
        assert after.text_model(FLASH).routes[0].cost.output == after.text_model(FLASH).prices.output
        assert "nextPrices" not in Listing(after).model_view(FLASH)
        # Callers keep what they hold.
        assert f"{before.text_model(FLASH).prices.input:f}" == "0.75"
        assert live.catalog() is after

    def test_another_price_is_another_price_version(self) -> None:
        live, clock = at(NEW_YEAR_MS - 1, Document({MEDIA: two_prices()}))
        before = price_version(live.catalog().media_model(MEDIA))
        clock.advance_ms(1)
        assert price_version(live.catalog().media_model(MEDIA)) != before

    def test_a_retired_route_is_not_used(self) -> None:
        raw = dated()
        raw["routes"] = [
            route | {"retires": AFTER} if route["provider"] == "fal" else route for route in raw["routes"]
        ]
        source = Document({MEDIA: raw})
        shipped = Catalog(source).with_live(frozenset({"fal", "poyo"}))
        assert [route.provider for route in shipped.on(BEFORE).media_model(MEDIA).routes] == ["fal", "poyo"]
        assert [route.provider for route in shipped.on(AFTER).media_model(MEDIA).routes] == ["poyo"]

    def test_a_model_ends_on_its_day_and_names_its_successor(self) -> None:
        model = "gemini-3.1-flash-lite"
        live, clock = at(NEW_YEAR_MS)
        shown = Listing(live.catalog()).model_view(f"google/{model}")
        assert shown["shutsDown"] == {"day": END, "successor": "gemini-3.5-flash-lite"}
        clock.set(NEW_YEAR_MS + 126 * 86_400_000)
        assert live.catalog().find_by_name(model) is None
        assert model not in [one.id for one in live.catalog().all_models()]
        said = f"{model} was shut down on {END}. Use gemini-3.5-flash-lite."
        assert live.catalog().use_of(f"google/{model}") == said
        assert live.catalog().use_of("nobody") is None

    def test_speech_goes_on_after_the_announced_ends(self) -> None:
        shipped = Catalog.shipped().with_live(frozenset({"openai", "azure", "mistral"}))

        def routes(day: str, model: str) -> list[str]:
            return [route.provider for route in shipped.on(day).text_model(model).routes]

        assert routes("2027-01-05", "gpt-4o-mini-tts") == ["openai", "azure"]
        assert routes("2027-01-06", "gpt-4o-mini-tts") == ["azure"]
        ends = (
            ("tts-1", "2027-01-06", "gpt-4o-mini-tts"),
            ("gpt-4o-mini-tts", "2027-06-15", "voxtral-mini-tts-3"),
        )
        for gone, day, successor in ends:
            assert shipped.on(day).find_by_name(gone) is None
            assert shipped.on(day).use_of(gone) == f"{gone} was shut down on {day}. Use {successor}."
        assert routes("2027-06-15", "voxtral-mini-tts-3") == ["mistral"]

    def test_without_a_day_it_is_the_first(self) -> None:
        assert Catalog(Document(SHIPPED)).day == FIRST


class TestDue:
    ROUTES = dated()["routes"]

    @pytest.mark.parametrize(
        ("more", "reason"),
        [
            ({"routes": [{**ROUTES[0], "retires": BEFORE}]}, "retired on 2026-12-31, but is enabled"),
            ({"routes": [{**ROUTES[0], "retires": "2027-01-15"}]}, "retires on 2027-01-15"),
            ({"routes": [{**ROUTES[0], "retires": "2027-01-16"}]}, None),
            ({"routes": [{**ROUTES[0], "retires": BEFORE, "enabled": False}]}, None),
            ({"shutsDown": {"day": "2027-01-15", "successor": "suno"}}, "shutsDown: ends on 2027-01-15"),
            ({"shutsDown": {"day": AFTER, "successor": "suno"}}, None),
        ],
    )
    def test_names_what_ends_soon_and_what_ended(self, more: dict[str, Any], reason: str | None) -> None:
        found = due({MEDIA: dated(**more), "suno": SHIPPED["suno"]}, AFTER)
        assert [line.endswith(reason or "") for line in found] == [True] * (reason is not None)

    def test_names_a_promotion_and_a_cost_that_will_be_above_its_price(self) -> None:
        raw = dated(FLASH, prices={"input": "0.75", "output": "3.75", "cacheRead": "0.075"})
        found = due({FLASH: raw}, "2026-12-20")
        assert f"{FLASH}: routes: google: a cost ends on {BEFORE}" in found
        assert f"{AFTER}: {FLASH}: prices: output: 3.75 is under the 7.5 of google" in found
