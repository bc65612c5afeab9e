"""How long a file of a stranger may take, and which addresses it may come from."""

import threading

import pytest

from tests.unit.probing.media_files import (
    busy_mp4,
    mp4,
)
from tests.unit.probing.media_server import (
    Answer,
    Connection,
    MediaServer,
    drip,
    fixed,
    ranged,
    silent,
    sparse,
)
from tests.unit.probing.test_probe_reader import FIVE_GB, big_mp4, refusal, video
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.http.outbound import Outbound
from tollgate.probing.facts import ProbeCode
from tollgate.probing.reader import MediaReader


class TestDeadline:
    """One bound over everything. These wait for it, so it is short here."""

    @pytest.fixture
    def hasty(self, outbound: Outbound) -> MediaReader:
        return MediaReader(outbound, timeout_s=0.4)

    @pytest.mark.parametrize("answer", [silent, drip(sparse(mp4()), pause_s=0.02)], ids=["silent", "drip"])
    def test_a_server_that_takes_its_time(
        self, server: MediaServer, hasty: MediaReader, answer: Answer
    ) -> None:
        found = hasty.probe(server.add("/film.mp4", answer))
        assert refusal(found) == (ProbeCode.TOO_SLOW, "The file's header did not arrive in time.")

    def test_it_counts_over_all_requests(self, server: MediaServer, outbound: Outbound) -> None:
        film = ranged(big_mp4(moov_first=False))

        def answer(connection: Connection) -> None:
            threading.Event().wait(1.2)
            film(connection)

        found = MediaReader(outbound, timeout_s=2.0).probe(server.add("/film.mp4", answer))
        assert refusal(found)[0] is ProbeCode.TOO_SLOW
        assert len(server.requests) == 2

    def test_it_counts_for_the_parser_too(self, server: MediaServer, outbound: Outbound) -> None:
        # Long enough for its header to arrive on a busy machine, and for its parser to start.
        url = server.add("/film.mp4", ranged(sparse(busy_mp4())))
        found = MediaReader(outbound, timeout_s=2.0).probe(url)
        expected = (ProbeCode.TOO_SLOW, "The file's header could not be parsed in time.")
        assert refusal(found) == expected

    def test_it_is_10_s(self, outbound: Outbound) -> None:
        assert MediaReader(outbound).timeout_s == 10


class TestAddresses:
    @pytest.fixture
    def strict(self) -> MediaReader:
        return MediaReader(Outbound(AddressGuard()))

    @pytest.mark.parametrize(
        "url",
        [
            "http://127.0.0.1/film.mp4",
            "http://localhost/film.mp4",
            "http://10.0.0.8/film.mp4",
            "http://192.168.1.1/film.mp4",
            "http://169.254.169.254/latest/meta-data/",
            "http://[::1]/film.mp4",
            "http://[::ffff:10.0.0.8]/film.mp4",
            "http://0.0.0.0/film.mp4",
        ],
    )
    def test_one_that_is_not_public(self, strict: MediaReader, url: str) -> None:
        expected = (ProbeCode.FORBIDDEN_URL, "The URL must point to a public address.")
        assert refusal(strict.probe(url)) == expected

    @pytest.mark.parametrize(
        "url", ["file:///etc/passwd", "ftp://example.com/a", "film.mp4", "", "http://", "http://u:p@a.test/b"]
    )
    def test_what_is_not_a_plain_http_url(self, strict: MediaReader, url: str) -> None:
        assert refusal(strict.probe(url))[0] is ProbeCode.FORBIDDEN_URL

    def test_a_name_that_does_not_resolve(self, strict: MediaReader) -> None:
        assert refusal(strict.probe("http://nowhere.invalid/a"))[0] is ProbeCode.UNREACHABLE


class TestRedirects:
    def test_one_is_followed_and_then_gone_to_directly(
        self, server: MediaServer, reader: MediaReader
    ) -> None:
        server.add("/film.mp4", ranged(big_mp4(moov_first=False)))
        url = server.add("/moved", fixed(302, {"location": "/film.mp4"}))
        assert reader.probe(url) == video("mp4", FIVE_GB)
        assert [path for path, _ in server.requests].count("/moved") == 1

    @pytest.mark.parametrize(
        "location",
        [
            "http://10.0.0.8/film.mp4",
            "http://169.254.169.254/latest",
            "//192.168.0.1/a",
            "http://[fd00::1]/a",
        ],
    )
    def test_to_a_private_address(self, server: MediaServer, reader: MediaReader, location: str) -> None:
        url = server.add("/moved", fixed(302, {"location": location}))
        assert refusal(reader.probe(url))[0] is ProbeCode.FORBIDDEN_URL

    def test_to_loopback_where_that_is_closed(
        self, server: MediaServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # The guard lets the first connection through and closes then: a public host that redirects to us.
        guard = AddressGuard(allow_loopback=True)
        server.add("/film.mp4", ranged(sparse(mp4())))

        def answer(connection: Connection) -> None:
            monkeypatch.setattr(guard, "_allow_loopback", False)
            fixed(307, {"location": f"http://localhost:{server.url.rpartition(':')[2]}/film.mp4"})(connection)

        found = MediaReader(Outbound(guard)).probe(server.add("/moved", answer))
        assert refusal(found) == (ProbeCode.FORBIDDEN_URL, "The URL must point to a public address.")

    @pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://example.com/a", "data:video/mp4,AAAA"])
    def test_to_another_scheme(self, server: MediaServer, reader: MediaReader, location: str) -> None:
        url = server.add("/moved", fixed(302, {"location": location}))
        assert refusal(reader.probe(url))[0] is ProbeCode.FORBIDDEN_URL

    def test_in_a_circle(self, server: MediaServer, reader: MediaReader) -> None:
        url = server.add("/moved", fixed(302, {"location": "/moved"}))
        found = reader.probe(url)
        assert refusal(found) == (ProbeCode.REFUSED, "The URL redirects more than 3 times.")
        assert len(server.requests) == 4
