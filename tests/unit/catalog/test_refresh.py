"""The live catalog: what a read of the document leads to, and when one is made."""

import json
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from tests.support.clock import ManualClock
from tollgate.catalog.errors import CatalogError, RefusedDocumentError
from tollgate.catalog.loader import DATA, Catalog, Document, Folder, compiled
from tollgate.catalog.refresh import REREAD_MS, CurrentCatalog, LiveCatalog
from tollgate.catalog.validation import faults_of, read_document
from tollgate.kit.errors import ModelNotFoundError
from tollgate.kit.remote_document import Fetched, Found, Nothing, within

SHIPPED: dict[str, Any] = json.loads(compiled())
MODEL = "z-image"
PRICE = "0.01"
"""What the shipped data has for it (catalog/data)."""


def document(price: str = PRICE, **more: Any) -> bytes:
    """Return a document of one model with this price, and other fields as given."""
    raw = json.loads(json.dumps(SHIPPED[MODEL])) | more
    raw["pricing"]["prices"][0]["price"] = price
    return json.dumps({MODEL: raw}).encode()


BAD = document(price="0.001")
"""Below its cost, and no whole cent."""


class Store:
    """The document's place, in memory; it counts the reads."""

    def __init__(self) -> None:
        self.now: Found | None = None
        self.error: Exception | None = None
        self.asked: list[str | None] = []

    def put(self, body: bytes) -> None:
        self.now = Found(f'"{hash(body)}"', body)

    def read(self, etag: str | None) -> Fetched:
        self.asked.append(etag)
        if self.error is not None:
            raise self.error
        if self.now is None:
            return Nothing.MISSING
        return Nothing.UNCHANGED if self.now.etag == etag else self.now


class Log:
    """What was reported."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, Any]] = []

    def replaced(self, etag: str | None) -> None:
        self.lines.append(("replaced", etag))

    def refused(self, etag: str | None, faults: list[str]) -> None:
        self.lines.append(("refused", etag))
        assert faults

    def unavailable(self, why: str) -> None:
        self.lines.append(("unavailable", why))


class Bench:
    """A live catalog with everything around it."""

    def __init__(self, serve: Callable[[Document], Catalog] = Catalog) -> None:
        self.store, self.log, self.clock = Store(), Log(), ManualClock()
        self.live = LiveCatalog(Catalog.shipped(), serve, self.store.read, self.clock, self.log)

    def price(self) -> str:
        return str(self.live.catalog().media_model(MODEL).pricing.prices[0].price)

    def price_after_a_minute(self) -> str:
        self.clock.advance_ms(REREAD_MS)
        return self.price()


@pytest.fixture
def bench() -> Bench:
    return Bench()


class TestLiveCatalog:
    def test_without_a_document_it_is_the_shipped_one(self, bench: Bench) -> None:
        assert bench.price() == PRICE
        assert len(bench.live.catalog().all_models()) == len(SHIPPED)
        assert bench.log.lines == []

    def test_a_document_is_in_use_from_the_first_question_on(self, bench: Bench) -> None:
        bench.store.put(document("0.07"))
        assert bench.price() == "0.07"
        assert [model.id for model in bench.live.catalog().all_models()] == [MODEL]

    def test_it_reads_once_a_minute_and_names_what_it_has(self, bench: Bench) -> None:
        bench.store.put(document("0.07"))
        bench.price()
        bench.clock.advance_ms(REREAD_MS - 1)
        bench.price()
        assert bench.store.asked == [None]
        bench.clock.advance_ms(1)
        bench.price()
        assert bench.store.now is not None
        assert bench.store.asked == [None, bench.store.now.etag]

    def test_an_unchanged_document_is_the_same_catalog(self, bench: Bench) -> None:
        bench.store.put(document("0.07"))
        before = bench.live.catalog()
        bench.clock.advance_ms(REREAD_MS)
        assert bench.live.catalog() is before
        assert [line for line, _ in bench.log.lines] == ["replaced"]

    def test_a_catalog_in_hand_stays_as_it_was(self, bench: Bench) -> None:
        held = bench.live.catalog()
        bench.store.put(document("0.07"))
        assert bench.price_after_a_minute() == "0.07"
        assert str(held.media_model(MODEL).pricing.prices[0].price) == PRICE

    def test_a_document_that_is_taken_away_gives_the_shipped_one_back(self, bench: Bench) -> None:
        bench.store.put(document("0.07"))
        bench.price()
        bench.store.now = None
        assert bench.price_after_a_minute() == PRICE
        assert bench.log.lines[-1] == ("replaced", None)


class TestRefusal:
    @pytest.mark.parametrize("first", [None, document("0.07")])
    def test_the_last_good_one_stays(self, bench: Bench, first: bytes | None) -> None:
        if first is not None:
            bench.store.put(first)
        before = bench.price()
        bench.store.put(BAD)
        assert bench.price_after_a_minute() == before
        assert bench.log.lines[-1][0] == "refused"

    def test_it_is_said_again_every_minute_and_read_once(self, bench: Bench) -> None:
        bench.store.put(BAD)
        assert [bench.price(), bench.price_after_a_minute(), bench.price_after_a_minute()] == [PRICE] * 3
        assert [line for line, _ in bench.log.lines] == ["refused"] * 3
        assert bench.store.asked[1:] == [bench.log.lines[0][1]] * 2

    def test_a_good_one_after_it_is_taken(self, bench: Bench) -> None:
        bench.store.put(BAD)
        bench.price()
        bench.store.put(document("0.07"))
        assert bench.price_after_a_minute() == "0.07"
        assert bench.price_after_a_minute() == "0.07"
        assert [line for line, _ in bench.log.lines] == ["refused", "replaced"]

    def test_the_good_one_of_before_is_taken_again(self, bench: Bench) -> None:
        for body in (document("0.07"), BAD, document("0.07")):
            bench.store.put(body)
            bench.price_after_a_minute()
        assert [line for line, _ in bench.log.lines] == ["replaced", "refused", "replaced"]

    def test_when_it_is_removed_the_shipped_one_is_used(self, bench: Bench) -> None:
        for body in (document("0.07"), BAD):
            bench.store.put(body)
            bench.price_after_a_minute()
        bench.store.now = None
        assert bench.price_after_a_minute() == PRICE
        bench.price_after_a_minute()
        assert bench.log.lines[-1] == ("replaced", None)

    def test_what_fails_only_for_the_providers_that_are_on_is_refused_too(self) -> None:
        def serve(_: Document) -> Catalog:
            raise IndexError("no price is left")

        bench = Bench(serve)
        bench.store.put(document("0.07"))
        assert bench.price() == PRICE
        assert bench.log.lines[0][0] == "refused"


class TestReadsThatFail:
    @pytest.mark.parametrize("error", [TimeoutError(), OSError("no route"), RuntimeError("anything")])
    def test_the_catalog_stays_and_is_asked_for_again_a_minute_later(
        self, bench: Bench, error: Exception
    ) -> None:
        bench.store.put(document("0.07"))
        bench.price()
        bench.store.error = error
        assert bench.price_after_a_minute() == "0.07"
        assert bench.price() == "0.07"
        assert len(bench.store.asked) == 2
        assert bench.log.lines[-1] == ("unavailable", f"{type(error).__name__}: {error}")
        bench.store.error = None
        bench.store.put(document("0.09"))
        assert bench.price_after_a_minute() == "0.09"

    def test_the_very_first_one_leaves_the_shipped_one(self, bench: Bench) -> None:
        bench.store.error = TimeoutError()
        assert bench.price() == PRICE
        assert not bench.live.was_never_read


class TestThreads:
    """The first read is waited for; later ones hold up nobody else."""

    def test_who_asks_during_a_later_read_gets_the_catalog_as_it_is(self) -> None:
        bench = Bench()
        bench.price()
        reading, go_on = Event(), Event()

        def slow(_: str | None) -> Fetched:
            reading.set()
            assert go_on.wait(10)
            return Found('"x"', document("0.07"))

        bench.live._read = slow
        bench.clock.advance_ms(REREAD_MS)
        thread = Thread(target=bench.live.catalog)
        thread.start()
        assert reading.wait(10)
        assert bench.price() == PRICE
        go_on.set()
        thread.join(10)
        assert bench.price() == "0.07"

    def test_a_read_that_hangs_is_given_up_on(self) -> None:
        go_on = Event()

        def hanging(_: str | None) -> Fetched:
            go_on.wait(10)
            return Nothing.MISSING

        bounded = within(0.01, hanging)
        with pytest.raises(TimeoutError):
            bounded(None)
        go_on.set()


class TestReadDocument:
    def test_what_is_compiled_is_good(self) -> None:
        assert read_document(compiled()).ids() == Folder(DATA).ids()

    @pytest.mark.parametrize(
        ("body", "reason"),
        [
            (b"", "not JSON"),
            (b'{"z-image": {"id"', "not JSON"),
            (b"\xff\xfe", "not JSON"),
            (b"[" * 100_000, "not JSON"),
            (b"[]", "must be an object of models"),
            (b"{}", "must be an object of models"),
            (b'{"z-image": 1}', "z-image: "),
            (document(profile="NOPE"), "z-image: "),
            (document(kind="llm"), "z-image: "),
            (document(id="z-image-2"), "z-image: id: is 'z-image-2'"),
        ],
    )
    def test_refuses(self, body: bytes, reason: str) -> None:
        with pytest.raises(RefusedDocumentError) as refused:
            read_document(body)
        assert reason in refused.value.faults[0]

    def test_names_every_fault_of_every_model(self) -> None:
        both = {**SHIPPED, MODEL: json.loads(BAD)[MODEL], "suno": {**SHIPPED["suno"], "capabilities": []}}
        with pytest.raises(RefusedDocumentError) as refused:
            read_document(json.dumps(both).encode())
        assert {fault.partition(":")[0] for fault in refused.value.faults} == {MODEL, "suno"}
        assert len(refused.value.faults) >= 3
        assert isinstance(refused.value, CatalogError)

    def test_text_models_are_held_to_their_rules(self) -> None:
        model_id = "claude-opus-5-5"
        raw = {**SHIPPED[model_id], "prices": {"input": "0.01", "output": "0.01"}}
        with pytest.raises(RefusedDocumentError) as refused:
            read_document(json.dumps({model_id: raw}).encode())
        assert "is under the" in refused.value.faults[0]

    def test_a_folder_with_a_file_that_is_not_yaml_names_it(self, tmp_path: Path) -> None:
        (tmp_path / "z-image.yaml").write_text("a: [")
        assert faults_of(Folder(tmp_path))[0].startswith("z-image.yaml: not YAML")


class TestCurrentCatalog:
    def test_answers_as_the_one_of_now(self, bench: Bench) -> None:
        current = CurrentCatalog(bench.live.catalog)
        assert str(current.media_model(MODEL).pricing.prices[0].price) == PRICE
        assert current.text_model("claude-opus-5-5").vendor == "Anthropic"
        bench.store.put(document("0.07"))
        bench.clock.advance_ms(REREAD_MS)
        assert str(current.media_model(MODEL).pricing.prices[0].price) == "0.07"
        assert [model.id for model in current.media_models()] == [MODEL]
        assert current.text_models() == []
        with pytest.raises(ModelNotFoundError):
            current.media_model("suno")

    def test_gives_what_can_be_run_of_it(self, bench: Bench) -> None:
        bench.store.put(document("0.07"))
        live = CurrentCatalog(bench.live.catalog).with_live(frozenset({"poyo"}))
        assert [route.provider for route in live.media_model(MODEL).routes] == ["poyo"]
        assert [model.id for model in live.media_models()] == [MODEL]
