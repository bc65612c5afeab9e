"""The files at fixed addresses, and public pages as search engines and link previews read them."""

import re
import xml.etree.ElementTree as ET
from datetime import datetime
from typing import Any
from urllib.robotparser import RobotFileParser

import pytest

from tests.functional.test_landing import get
from tests.support.dashboard import HOST, STAGE, Browser
from tollgate.composition import api as api_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S

BASE_URL = f"https://{HOST}{STAGE}"
LOCATION = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"
HTML = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}

pytestmark = pytest.mark.usefixtures("dashboard")


@pytest.fixture
def contact(monkeypatch: pytest.MonkeyPatch) -> str:
    """Have the operator supply all pages."""
    for name in ("TERMS_URL", "PRIVACY_URL", "CONTACT_URL"):
        monkeypatch.setenv(name, f"https://operator.example/{name.lower()}")
    parts.forget()
    return "https://operator.example/contact_url"


def attribute(text: str, tag: str) -> str:
    """Return the content of a tag such as `<meta property="og:url" content="…">`."""
    found = re.search(rf'<(?:meta|link) (?:property|name|rel)="{tag}" (?:content|href)="([^"]*)">', text)
    assert found is not None, tag
    return found[1]


class TestRobots:
    @pytest.fixture
    def robots(self) -> RobotFileParser:
        parser = RobotFileParser()
        parser.parse(get("/robots.txt")["body"].splitlines())
        return parser

    @pytest.mark.parametrize("path", ["/", "/docs/errors", "/status", "/models/z-image", "/llms.txt"])
    def test_search_engines_may_read_public_pages(self, robots: RobotFileParser, path: str) -> None:
        assert robots.can_fetch("anybot", BASE_URL + path)

    @pytest.mark.parametrize("path", ["/dashboard/keys", "/admin", "/api/v1/user/me", "/dashboard/sign-in"])
    def test_they_may_not_read_others(self, robots: RobotFileParser, path: str) -> None:
        assert not robots.can_fetch("anybot", BASE_URL + path)

    def test_it_names_the_sitemap(self, robots: RobotFileParser) -> None:
        assert robots.site_maps() == [f"{BASE_URL}/sitemap.xml"]


class TestSitemap:
    def test_it_has_every_public_page_once_and_each_exists(self) -> None:
        answer = get("/sitemap.xml")
        assert answer["headers"]["content-type"] == "text/xml; charset=utf-8"
        # Our own text, so no parser for hostile documents is needed.
        pages = [str(each.text) for each in ET.fromstring(answer["body"]).iter(LOCATION)]  # noqa: S314
        assert len(pages) == len(set(pages)) > 100
        assert {f"{BASE_URL}/", f"{BASE_URL}/docs", f"{BASE_URL}/docs/errors"} <= set(pages)
        assert f"{BASE_URL}/models/z-image" in pages
        assert f"{BASE_URL}/models/test-image" not in pages
        for page in pages[:: len(pages) // 25]:
            assert get(page.removeprefix(BASE_URL))["statusCode"] == 200, page


class TestSecurityTxt:
    def test_it_names_the_contact_and_expires_within_a_year(self, contact: str) -> None:
        answer = get("/.well-known/security.txt")
        assert answer["headers"]["content-type"] == "text/plain; charset=utf-8"
        fields = dict(line.split(": ", 1) for line in answer["body"].splitlines())
        assert fields["Contact"] == contact
        assert fields["Canonical"] == f"{BASE_URL}/.well-known/security.txt"
        expires_ms = datetime.fromisoformat(fields["Expires"]).timestamp() * MS_PER_S
        assert 0 < expires_ms - dashboard_parts.dashboard().clock.now_ms() < 365 * MS_PER_DAY

    def test_there_is_none_without_a_contact(self) -> None:
        assert get("/.well-known/security.txt")["statusCode"] == 404


class TestSuppliedPages:
    @pytest.mark.parametrize("name", ["terms", "privacy", "contact"])
    def test_an_address_leads_to_the_operator_s_page(self, contact: str, name: str) -> None:
        answer = get(f"/{name}")
        assert (answer["statusCode"], answer["headers"]["location"]) == (
            307,
            f"https://operator.example/{name}_url",
        )
        assert f'href="{STAGE}/{name}"' in get("/")["body"]

    @pytest.mark.parametrize("name", ["terms", "privacy", "contact"])
    def test_no_page_links_one_that_is_not_supplied(self, name: str) -> None:
        assert get(f"/{name}")["statusCode"] == 404
        assert f'href="{STAGE}/{name}"' not in get("/")["body"]


class TestPreviews:
    @pytest.mark.parametrize("path", ["/", "/docs", "/docs/errors", "/status", "/dashboard/catalog"])
    def test_a_public_page_names_its_address_title_and_subject(self, path: str) -> None:
        text = get(path)["body"]
        assert text.startswith("<!doctype html>")
        assert attribute(text, "canonical") == attribute(text, "og:url") == BASE_URL + path
        assert attribute(text, "og:title") in text[text.index("<title>") :]
        assert len(attribute(text, "description")) > 20
        assert attribute(text, "description") == attribute(text, "og:description")
        assert "noindex" not in text

    def test_a_model_s_page_describes_the_model(self) -> None:
        card = api_parts.api().listing.model_view("z-image")
        text = get("/models/z-image")["body"]
        assert attribute(text, "og:title") == f"{card['name']} · Tollgate"
        assert attribute(text, "og:url") == f"{BASE_URL}/models/z-image"

    def test_search_engines_leave_out_other_pages(self) -> None:
        assert attribute(get("/dashboard/sign-in")["body"], "robots") == "noindex"


class TestHead:
    @pytest.mark.parametrize(
        "path",
        [
            *("/", "/docs", "/docs/errors", "/status", "/dashboard/catalog", "/docs/nope"),
            *("/robots.txt", "/sitemap.xml", "/favicon.ico", "/terms"),
        ],
    )
    def test_the_response_is_the_one_of_get_without_its_body(self, path: str) -> None:
        whole, head = get(path), get(path, method="HEAD")
        own = {"x-request-id", "set-cookie"}
        assert head["statusCode"] == whole["statusCode"]
        assert head["body"] == ""
        assert _without(head["headers"], own) == _without(whole["headers"], own)


class TestMissingPages:
    @pytest.mark.parametrize("path", ["/docs/nope", "/models/nope"])
    def test_a_visitor_sees_the_public_page(self, path: str) -> None:
        answer = get(path, HTML)
        assert answer["statusCode"] == 404
        assert "not found</h1>" in answer["body"]
        assert "Playground" in answer["body"]
        assert "API keys" not in answer["body"]

    def test_a_member_sees_it_in_their_dashboard(self) -> None:
        browser = Browser()
        browser.sign_in()
        answer = browser.get("/nope")
        assert answer.status == 404
        assert "API keys" in answer.text


def test_browsers_find_the_icon_without_a_page() -> None:
    answer = get("/favicon.ico")
    assert answer["headers"]["content-type"] == "image/svg+xml"
    assert answer["body"].startswith("<svg ")


def _without(headers: dict[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in headers.items() if name not in names}
