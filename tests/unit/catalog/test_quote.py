"""What requests cost: amounts worked out by hand from the price tables."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.unit.catalog.cases import CATALOG, URL, parsed
from tests.unit.catalog.strategies import measures, valid_inputs
from tests.unit.catalog.test_restrictions import ROUTES
from tollgate.catalog.errors import UnknownPriceError
from tollgate.catalog.media import Measured
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import best_entry, is_price_version, price_facts, price_version, quote
from tollgate.catalog.profiles.vid_f import VidF
from tollgate.catalog.rules import CheckedInput

MODELS = CATALOG.media_models()


def cents(model_id: str, source: dict[str, Any]) -> int:
    model = CATALOG.media_model(model_id)
    return quote(model, model.check(source)).charge_cents


def priced(**pricing: Any) -> Model:
    """Return a VID-F model with other prices."""
    return parsed("seedance-1.5-pro", pricing=pricing, routes=ROUTES, restrictions=None)


class TestShippedPrices:
    def test_an_image_costs_one_cent(self) -> None:
        assert cents("z-image", {"prompt": "x", "size": "1:1"}) == 1

    @pytest.mark.parametrize(
        ("source", "charge"),
        [
            ({}, 10),  # 4 s x $0.025
            ({"generateAudio": False}, 6),  # 4 x 0.013 = 0.052, up
            ({"duration": 8, "resolution": "720p"}, 43),  # 8 x 0.053 = 0.424, up
            ({"duration": 12, "resolution": "720p", "generateAudio": False}, 33),  # 12 x 0.027 = 0.324, up
            ({"duration": 12, "resolution": "1080p"}, 142),  # 12 x 0.118 = 1.416, up
            ({"duration": 4, "resolution": "1080p", "generateAudio": False}, 24),  # 4 x 0.059 = 0.236, up
        ],
    )
    def test_a_video_costs_its_seconds_at_its_tier(self, source: dict[str, Any], charge: int) -> None:
        assert cents("seedance-1.5-pro", {"prompt": "x", **source}) == charge

    @pytest.mark.parametrize(
        ("model_id", "source", "source_s", "charge"),
        [
            ("gpt-image-2", {"resolution": "4k"}, "0", 19),  # a square has the most tokens
            ("gpt-image-2", {"resolution": "4k", "size": "16:9"}, "0", 15),
            ("gpt-image-2.5-flare", {"quality": "high"}, "0", 6),
            ("qwen-image-3", {"urls": [URL] * 2}, "0", 3),
            ("qwen-image-3", {"urls": [URL] * 3}, "0", 4),  # the third reference is a cent
            ("seedance-2.0", {"duration": 15}, "0", 203),  # 15 x 0.135 = 2.025, up
            ("seedance-2.0", {"videoUrls": [URL]}, "4.5", 77),  # (5 + 4.5) x 0.081 = 0.7695, up
            ("seedance-2.5", {"videoUrls": [URL], "resolution": "1080p"}, "10.04", 1052),
            # (5 + 10.04) x 0.699 = 10.51296, up
            ("gemini-omni-1.1-flash", {"duration": 10}, "0", 110),
            ("gemini-omni-1.1-flash", {"duration": 10, "referenceVideoUrls": [URL]}, "9.5", 150),  # flat
            ("flux-3-video", {"draft": True, "duration": 20}, "0", 120),  # 20 x 0.06
            ("flux-3-video", {"videoUrl": URL, "resolution": "1080p"}, "12", 265),  # 5 x 0.53
            ("kling-2.6", {"duration": 10, "generateAudio": True}, "0", 110),
            ("kling-3.0", {"duration": 3}, "0", 26),  # 3 x 0.084 = 0.252, up
            ("kling-4.0", {"duration": 30}, "0", 501),  # 30 x 0.167
            ("kling-4.0", {"videoMode": "transform", "videoUrl": URL, "duration": 30}, "5.5", 104),
            # twice the source: 11 x 0.094 = 1.034, up
            ("minimax-h3-max", {"imageUrls": [URL] * 5}, "0", 25),  # 5 x 0.05
            ("minimax-h3-max", {"imageUrls": [URL] * 9}, "0", 41),  # and 4 x 0.04
            ("wan-2.7-edit-video", {"editVideoUrl": URL, "duration": 0}, "7.25", 73),  # 7.25 x 0.10, up
            ("wan-2.7-edit-video", {"editVideoUrl": URL, "duration": 4}, "0", 40),
            ("wan-3.0", {"videoUrls": [URL], "duration": 10}, "12", 50),  # the output alone
            ("midjourney", {}, "0", 5),
            ("midjourney", {"speed": "turbo", "repeat": 40}, "0", 400),
            ("midjourney-video", {"imageUrls": [URL], "batchSize": 4}, "0", 80),
            ("midjourney-video", {"imageUrls": [URL], "videoType": "vid_1.1_i2v_720"}, "0", 40),
            ("suno", {"action": "lyrics"}, "0", 1),
        ],
    )
    def test_of_other_models(self, model_id: str, source: dict[str, Any], source_s: str, charge: int) -> None:
        model = CATALOG.media_model(model_id)
        checked = model.check({"prompt": "x", **source})
        assert quote(model, checked, Measured(Decimal(source_s))).charge_cents == charge

    @pytest.mark.parametrize(
        ("seconds", "source_s", "charge"),
        # The videos of elements count as at least as many seconds as the result: (10 + 10), (4 + 7) x 0.094.
        [(10, "6", 188), (4, "7", 104)],
    )
    def test_videos_of_elements_are_billed_too(self, seconds: int, source_s: str, charge: int) -> None:
        model = CATALOG.media_model("kling-4.0")
        elements = [{"videoUrl": URL}]
        source = {"prompt": "x", "videoMode": "elements", "elements": elements, "duration": seconds}
        assert quote(model, model.check(source), Measured(Decimal(source_s))).charge_cents == charge

    def test_scenes_are_billed_together(self) -> None:
        scenes = [{"prompt": "x", "duration": length} for length in (4, 6)]
        assert cents("kling-4.0", {"multiShots": scenes, "resolution": "1080p"}) == 250  # 10 x 0.25

    def test_a_motion_video_is_billed_by_its_length(self) -> None:
        model = CATALOG.media_model("kling-3.0-motion-control")
        source = {"imageUrls": [URL], "videoUrls": [URL], "characterOrientation": "video"}
        assert (
            quote(model, model.check(source), Measured(Decimal("8.5"))).charge_cents == 108
        )  # 8.5 x 0.126 = 1.071

    def test_a_song_costs_ten_cents(self) -> None:
        assert cents("suno", {"prompt": "x"}) == 10

    def test_the_breakdown_says_how(self) -> None:
        model = CATALOG.media_model("seedance-1.5-pro")
        found = quote(model, model.check({"prompt": "x", "duration": 8, "resolution": "720p"}))
        assert found.breakdown == [
            {
                "key": "720p-audio",
                "unit": "second",
                "quantity": "8",
                "unitPriceUsd": "0.053",
                "amountUsd": "0.424",
            }
        ]
        assert found.charge_micro_usd == 430_000
        assert found.price_version == price_version(model)

    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    @settings(max_examples=examples(10))
    @given(data=st.data())
    def test_every_valid_input_has_a_price(self, model: Model, data: st.DataObject) -> None:
        checked = model.check(data.draw(valid_inputs(model)))
        found = quote(model, checked, data.draw(measures(model, checked)))
        exact = sum(Decimal(line["amountUsd"]) for line in found.breakdown)
        assert Decimal(0) <= found.charge_cents - exact * 100 < 1


class TestASubaccount:
    @pytest.mark.parametrize(
        ("model_id", "source", "percent", "charge", "markup_micro_usd"),
        [
            # 1 x 1.3 = 1.3 cents, and 10 x 1.25 = 12.5 cents: rounded up once.
            ("z-image", {"prompt": "a fox", "size": "1:1"}, 30, 2, 10_000),
            ("suno", {"prompt": "a song"}, 25, 13, 30_000),
            ("suno", {"prompt": "a song"}, 0, 10, 0),
        ],
        ids=["an image", "a song", "no mark-up"],
    )
    def test_pays_the_mark_up_of_its_parent(
        self, model_id: str, source: dict[str, Any], percent: int, charge: int, markup_micro_usd: int
    ) -> None:
        model = CATALOG.media_model(model_id)
        found = quote(model, model.check(source)).marked_up(model, percent)
        assert (found.charge_cents, found.markup_micro_usd) == (charge, markup_micro_usd)
        parts_usd = sum(Decimal(part["amountUsd"]) for part in found.breakdown)
        assert charge - 1 < parts_usd * 100 <= charge


class TestChoosingAPrice:
    def test_the_entry_with_the_most_matching_dimensions_wins(self) -> None:
        model = priced(
            unit="generation",
            prices=[
                {"key": "default", "price": "0.05", "isDefault": True},
                {"key": "720p", "price": "0.07", "dimensions": {"resolution": "720p"}},
                {
                    "key": "720p-silent",
                    "price": "0.06",
                    "dimensions": {"resolution": "720p", "audio": "false"},
                },
            ],
        )
        prices = {"480p": 5, "720p": 7}
        for resolution, charge in prices.items():
            assert quote(model, model.check({"prompt": "x", "resolution": resolution})).charge_cents == charge
        silent = {"prompt": "x", "resolution": "720p", "generateAudio": False}
        assert quote(model, model.check(silent)).charge_cents == 6

    def test_no_match_refuses(self) -> None:
        model = priced(
            unit="second", prices=[{"key": "4k", "price": "1", "dimensions": {"resolution": "4k"}}]
        )
        with pytest.raises(UnknownPriceError, match="no price for"):
            quote(model, model.check({"prompt": "x"}))

    def test_a_tie_refuses(self) -> None:
        tied = [
            {"key": "480p", "price": "1", "dimensions": {"resolution": "480p"}},
            {"key": "audio", "price": "2", "dimensions": {"audio": "true"}},
        ]
        model = priced(unit="second", prices=tied)
        with pytest.raises(UnknownPriceError, match="more than one price"):
            quote(model, model.check({"prompt": "x"}))

    def test_a_unit_that_media_has_not_refuses(self) -> None:
        model = priced(unit="megatoken", prices=[{"key": "input", "price": "1"}])
        with pytest.raises(UnknownPriceError, match="no megatoken to bill"):
            quote(model, model.check({"prompt": "x"}))

    def test_an_output_of_no_known_length_refuses(self) -> None:
        model = priced(unit="second", prices=[{"key": "default", "price": "1"}])
        with pytest.raises(UnknownPriceError, match="no second to bill"):
            quote(model, CheckedInput({"resolution": "480p"}, frozenset()))

    def test_a_source_video_is_a_dimension(self) -> None:
        class FromVideo(VidF):
            source_videos = ("imageUrls",)

        assert price_facts(FromVideo, {"imageUrls": [URL]}) == {"sourceVideo": "true"}
        assert price_facts(FromVideo, {"resolution": "480p"}) == {
            "sourceVideo": "false",
            "resolution": "480p",
        }

    def test_costs_are_chosen_like_prices(self) -> None:
        fal = CATALOG.media_model("seedance-1.5-pro").routes[0]
        found = best_entry("fal", fal.costs, {"resolution": "720p", "audio": "true"})
        assert found.cost == Decimal("0.0521667")


class TestCounts:
    def test_items_beyond_the_free_ones_are_billed_each(self) -> None:
        extras = [{"key": "reference_image", "price": "0.02", "counts": "imageUrls", "free": 5}]
        prices = [{"key": "default", "price": "0.10", "isDefault": True}]
        model = priced(unit="second", prices=prices, extras=extras)
        included = quote(model, model.check({"imageUrls": [URL] * 5}))
        assert (included.charge_cents, len(included.breakdown)) == (40, 1)
        found = quote(model, model.check({"imageUrls": [URL] * 7}))
        assert found.charge_cents == 44
        assert found.breakdown[1] == {
            "key": "reference_image", "unit": "generation", "quantity": "2", "unitPriceUsd": "0.02",
            "amountUsd": "0.04",
        }  # fmt: skip

    def test_a_batch_multiplies_the_whole(self) -> None:
        prices = [{"key": "default", "price": "0.20", "isDefault": True}]
        model = priced(unit="generation", prices=prices, times="duration")
        assert quote(model, model.check({"prompt": "x", "duration": 8})).charge_cents == 160

    @pytest.mark.parametrize(("rule", "charge"), [("ignored", 40), ("added", 75)])
    def test_the_length_of_a_source_video(self, rule: str, charge: int) -> None:
        prices = [{"key": "default", "price": "0.10", "isDefault": True}]
        model = priced(unit="second", prices=prices, sourceSeconds=rule)
        assert quote(model, model.check({"prompt": "x"}), Measured(Decimal("3.5"))).charge_cents == charge
        assert quote(model, model.check({"prompt": "x"})).charge_cents == 40

    def test_the_total_is_rounded_once(self) -> None:
        # 4 x 0.0101 = 0.0404 and 2 x 0.0001 = 0.0002: 0.0406 is 5 cents, its parts alone would be 5 + 1.
        extras = [{"key": "each", "price": "0.0001", "counts": "imageUrls"}]
        model = priced(unit="second", prices=[{"key": "default", "price": "0.0101"}], extras=extras)
        assert quote(model, model.check({"imageUrls": [URL] * 2})).charge_cents == 5


class TestPriceVersion:
    def test_is_stable(self) -> None:
        prices = [{"key": "default", "price": "0.10", "isDefault": True}]
        first, second = (priced(unit="second", prices=prices) for _ in range(2))
        assert price_version(first) == price_version(second)

    def test_changes_with_any_price_and_the_earlier_one_is_still_a_version(self) -> None:
        cheap, dear = (
            priced(unit="second", prices=[{"key": "default", "price": price}]) for price in ("0.10", "0.11")
        )
        assert price_version(cheap) != price_version(dear)
        assert is_price_version(dear, price_version(cheap))

    def test_of_another_model_is_none(self) -> None:
        assert not is_price_version(
            CATALOG.media_model("suno"), price_version(CATALOG.media_model("z-image"))
        )

    @pytest.mark.parametrize("text", ["nope", "", "\ud800", "4409a782a684", "0" * 16, "x" * 64])
    def test_a_text_that_no_estimate_returned_is_none(self, text: str) -> None:
        assert not is_price_version(CATALOG.media_model("z-image"), text)

    def test_a_typing_error_is_found(self) -> None:
        version = price_version(CATALOG.media_model("z-image"))
        wrong = [version[:at] + "x" + version[at + 1 :] for at in range(len(version))]
        assert not any(is_price_version(CATALOG.media_model("z-image"), one) for one in wrong)
