"""What `suno` makes of the music profile."""

import pytest

from tests.unit.catalog.cases import CATALOG, URL
from tollgate.catalog.profiles.music_actions import ACTIONS
from tollgate.kit.errors import InvalidInputError

P = {"prompt": "a song about a cat"}


POYO = [
    "music", "extend", "cover", "add-instrumental", "add-vocals", "stems", "stems-all", "wav", "lyrics",
    "timestamped-lyrics", "boost-style", "music-cover", "replace-section", "music-video", "midi",
]  # fmt: skip


KIE = [
    "music",
    "extend",
    "cover",
    "stems",
    "stems-all",
    "wav",
    "lyrics",
    "voice",
    "replace-section",
    "music-video",
]
NOT_APIMART = ["add-instrumental", "add-vocals", "music-cover"]


class TestSuno:
    def test_has_a_route_and_a_price_for_every_action(self) -> None:
        model = CATALOG.media_model("suno")
        assert [price.key for price in model.pricing.prices] == list(ACTIONS)
        for action in ACTIONS:
            found = [route.provider for route in model.routes_for({"action": action}) if route.enabled]
            lists = {"apimart": set(ACTIONS) - set(NOT_APIMART), "poyo": set(POYO), "kie": set(KIE)}
            assert found == [provider for provider, actions in lists.items() if action in actions]

    def test_a_song_is_made_where_its_follow_ups_are(self) -> None:
        assert CATALOG.media_model("suno").routes_for({"action": "music"})[0].provider == "apimart"

    def test_offers_what_its_live_route_takes(self) -> None:
        model = CATALOG.with_live(frozenset({"poyo"})).media_model("suno")
        assert [price.key for price in model.pricing.prices] == POYO
        with pytest.raises(InvalidInputError) as raised:
            model.check({"action": "upload", "audioUrl": URL})
        assert [problem.allowed for problem in raised.value.problems] == [POYO]

    def test_only_one_route_writes_lyrics(self) -> None:
        with pytest.raises(InvalidInputError, match="Unknown field 'autoLyrics'"):
            CATALOG.with_live(frozenset({"poyo", "kie"})).media_model("suno").check({**P, "autoLyrics": True})
        written = CATALOG.media_model("suno").check({**P, "autoLyrics": True}).values
        assert [route.provider for route in CATALOG.media_model("suno").routes_for(written)] == ["apimart"]

    def test_takes_the_newest_engine_unless_told(self) -> None:
        assert CATALOG.media_model("suno").check({**P, "voxAudioId": 1}).values == {
            "action": "music",
            "prompt": "a song about a cat",
            "instrumental": False,
            "mv": "v5.5",
            "aspectRatio": "9:16",
            "quality": "compact",
            "stemType": "lead_vocal",
            "keepPitch": True,
        }
