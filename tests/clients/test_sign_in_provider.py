"""Signing in at the dashboard with an OpenID Certified provider (panva/node-oidc-provider), all over HTTP.

`tests/functional/dashboard/test_dashboard_sign_in.py` has what follows if a provider lies: this one does not.
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlencode, urljoin, urlsplit

import httpx
import pytest

from local.machine.emulator import free_port
from local.template import ROOT
from tests.support import serving
from tests.support.node_project import installed
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.kit.aws import sdk
from tollgate.members.identities import Person

pytestmark = [pytest.mark.clients, pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

PROJECT = Path(ROOT) / "tests/clients/oidc"
PARAMETER = "/tollgate-test/sign-in-provider"
START_TIMEOUT_S = 30.0
CALLBACK = "http://127.0.0.1/dashboard/sign-in/callback"
"""At any port: the client is a native one (RFC 8252, section 7.3)."""
MAX_STEPS = 12
"""Pages and redirects from the button to the callback: a form to sign in, one to agree."""


class Browsing:
    """A person with a browser; it keeps cookies of both sides and follows what it is told to, one by one."""

    def __init__(self, url: str, http: httpx.Client) -> None:
        self.url, self.http = url, http

    def begin(self) -> str:
        """Press the button; give where that leads."""
        answer = self.http.get(f"{self.url}/sign-in/begin")
        assert answer.status_code == 302, answer.text
        return answer.headers["location"]

    def callback(self, location: str, login: str = "ada") -> str:
        """Sign in at the provider, and agree; give the address that leads back to us."""
        answer = self.http.get(location)
        for _ in range(MAX_STEPS):
            if answer.is_redirect:
                location = urljoin(str(answer.url), answer.headers["location"])
                if location.startswith(self.url):
                    return location
                answer = self.http.get(location)
            else:
                form = re.search(r'action="([^"]+)"', answer.text)
                assert form is not None, answer.text
                fields = dict(re.findall(r'type="hidden" name="(\w+)" value="(\w+)"', answer.text))
                fields |= {"login": login, "password": "any"} if fields["prompt"] == "login" else {}
                answer = self.http.post(urljoin(str(answer.url), unescape(form[1])), data=fields)
        pytest.fail("the provider never led back")

    def come_back(self, callback: str) -> int:
        """Open the address that leads back; give the status."""
        return self.http.get(callback).status_code

    def account(self) -> str | None:
        """Return whose overview is shown, or `None` for nobody's."""
        answer = self.http.get(self.url)
        found = re.search(r"usr_[0-9A-Z]{26}", answer.text)
        return found[0] if answer.status_code == 200 and found else None


NewPerson = Callable[[], Browsing]


@pytest.fixture
def dashboard(service: None) -> Iterator[str]:
    """Serve the dashboard; give its address."""
    from dashboard.app import app  # noqa: PLC0415 - with the environment set

    with serving.running(serving.server_of(app, proxy_headers=False)) as url:
        yield f"{url}/dashboard"


@pytest.fixture(scope="module")
def run_provider() -> Iterator[Callable[[], str]]:
    """Return what starts a provider and gives its issuer."""
    folder = installed(PROJECT)
    with ExitStack() as ends:

        def run() -> str:
            port = free_port()
            command = ["node", "provider.mjs", str(port), CALLBACK]
            process = ends.enter_context(
                subprocess.Popen(
                    command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
                )
            )
            ends.callback(process.terminate)
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            return f"http://127.0.0.1:{port}"

        yield run


@pytest.fixture(scope="module")
def provider(run_provider: Callable[[], str]) -> str:
    """Run a provider; give its issuer."""
    return run_provider()


@pytest.fixture
def issuer(service: None, provider: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Tell the dashboard of the provider; give its issuer."""
    pool = {"issuer": provider, "client_id": "tollgate", "domain": provider}
    sdk.ssm().put_parameter(Name=PARAMETER, Type="String", Value=json.dumps(pool), Overwrite=True)
    monkeypatch.setenv("SIGN_IN_PARAMETER", PARAMETER)
    parts.forget()
    yield provider
    parts.forget()


@pytest.fixture
def person(issuer: str, dashboard: str) -> Iterator[NewPerson]:
    """Return what gives a person who was never here."""
    with ExitStack() as ends:
        yield lambda: Browsing(dashboard, ends.enter_context(httpx.Client(timeout=START_TIMEOUT_S)))


def with_query(url: str, **changes: str | None) -> str:
    """Return a URL with parameters changed, or taken out."""
    parts = urlsplit(url)
    query = {name: value for name, value in ({**dict(parse_qsl(parts.query)), **changes}).items() if value}
    return parts._replace(query=urlencode(query)).geturl()


def one(url: str, name: str) -> str:
    """Return a parameter of a URL."""
    return parse_qs(urlsplit(url).query)[name][0]


class TestSignIn:
    def test_it_ends_in_an_account_which_the_next_time_is_the_same(
        self, person: NewPerson, issuer: str
    ) -> None:
        accounts = []
        for _ in range(2):
            ada = person()
            callback = ada.callback(ada.begin())
            # RFC 9207
            assert one(callback, "iss") == issuer
            assert ada.come_back(callback) == 303
            accounts.append(ada.account())
        known = dashboard_parts.dashboard().identities.account_of(Person("cognito#ada", ""))
        assert accounts == [known, known]

    def test_an_address_that_was_never_verified_gives_nothing_of_who_has_it(
        self, person: NewPerson, issuer: str
    ) -> None:
        ada, eve = person(), person()
        assert ada.come_back(ada.callback(ada.begin())) == 303
        assert eve.come_back(eve.callback(eve.begin(), login="eve")) == 303
        assert None is not ada.account() != eve.account() is not None


class TestAttacks:
    def test_a_code_is_redeemed_once_even_with_the_cookie_of_before(
        self, person: NewPerson, issuer: str
    ) -> None:
        ada, eve = person(), person()
        callback = ada.callback(ada.begin())
        eve.http.cookies = httpx.Cookies(ada.http.cookies)
        assert ada.come_back(callback) == 303
        assert ada.come_back(callback) == 400
        # Who stole the cookie of the sign-in and the address both: the provider has given its token away.
        assert eve.come_back(callback) == 400
        assert eve.account() is None

    def test_nobody_is_signed_in_by_a_link_that_somebody_else_began(
        self, person: NewPerson, issuer: str
    ) -> None:
        eve, ada = person(), person()
        callback = eve.callback(eve.begin(), login="eve")
        assert ada.come_back(callback) == 400
        ada.begin()
        assert ada.come_back(callback) == 400
        assert ada.account() is None

    def test_a_stolen_code_is_worth_nothing_without_its_verifier(
        self, person: NewPerson, issuer: str
    ) -> None:
        ada, eve = person(), person()
        stolen = one(ada.callback(ada.begin()), "code")
        own = eve.callback(eve.begin(), login="eve")
        assert eve.come_back(with_query(own, code=stolen)) == 400
        assert eve.account() is None

    def test_an_answer_that_lacks_something_is_refused(self, person: NewPerson, issuer: str) -> None:
        changes: list[dict[str, str | None]] = [
            {"state": None},
            {"state": "x"},
            {"code": None},
            {"iss": None},
        ]
        for change in changes:
            ada = person()
            assert ada.come_back(with_query(ada.callback(ada.begin()), **change)) in {400, 503}, change
            assert ada.account() is None

    def test_a_code_for_another_client_of_the_same_provider_is_refused(
        self, person: NewPerson, issuer: str
    ) -> None:
        ada = person()
        callback = ada.callback(with_query(ada.begin(), client_id="another"))
        assert ada.come_back(callback) == 400
        assert ada.account() is None

    def test_without_the_challenge_or_with_another_nonce_it_comes_to_nothing(
        self, person: NewPerson, issuer: str
    ) -> None:
        ada = person()
        begun = ada.begin()
        callback = ada.callback(with_query(begun, nonce="of-another-sign-in"))
        assert ada.come_back(callback) == 400
        callback = ada.callback(with_query(ada.begin(), code_challenge=None, code_challenge_method=None))
        assert one(callback, "error") == "invalid_request"
        assert ada.come_back(callback) == 400
        assert ada.account() is None

    def test_what_another_issuer_answers_redeems_nothing(
        self, person: NewPerson, issuer: str, run_provider: Callable[[], str]
    ) -> None:
        other = run_provider()
        ada = person()
        begun = ada.begin()
        mixed_up = ada.callback(begun.replace(issuer, other))
        assert one(mixed_up, "iss") == other
        assert ada.come_back(mixed_up) == 400
        # Its code with the name of ours is not known there.
        again = ada.callback(ada.begin().replace(issuer, other))
        assert ada.come_back(with_query(again, iss=issuer)) == 400
        assert ada.account() is None
