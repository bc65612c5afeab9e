"""The docs through the dashboard's handler: every page, as HTML and as Markdown."""

import gzip
import json
import re
from functools import cache

import pytest

from tests.functional.test_landing import get
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.reference.document import openapi
from tollgate.reference.guides import address, guides
from tollgate.reference.markup import html_of
from tollgate.reference.site import Site

MAX_COMPRESSED_BYTES = 150_000
BASE_URL = "https://example.com/live"
UPLOAD = re.compile(r'tollgate_client\.run\("([\w-]+)", (\{.*Path\(.*\})\)')
LINK = re.compile(r"\]\(((?!https?://(?!example\.com/live))[^)\s]+)\)")
"""A link of a page to another one, or to an address of the service."""
PLACES = (
    *("/dashboard", "/models/", "/status", "/llms.txt", "/api/v1/openapi.json"),
    *("/contact", "/terms", "/privacy"),
)
ADDRESS = re.compile(r"\$TOLLGATE_URL(/[\w./-]*)")
"""An address of the service in a program."""
ENDPOINT = re.compile(r"(?<!\[)`((?:GET|POST|PATCH|PUT|DELETE) /api/v1/[^`\s?]+)[^`]*`")


pytestmark = pytest.mark.usefixtures("dashboard")


def without_fences(markdown: str) -> str:
    """Return the text of a page without its programs."""
    return re.sub(r"^```.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def site() -> Site:
    """Return the docs of the service."""
    return api_parts.api().reference.site


class TestEveryPage:
    def test_there_is_one_for_each_endpoint_and_model(self, site: Site) -> None:
        api = api_parts.api()
        operations = {
            operation["operationId"]
            for methods in openapi(api.catalog.catalog())["paths"].values()
            for operation in methods.values()
        }
        models = {dto["id"] for dto in api.listing.matching({})}
        assert {f"api/{name}" for name in operations} <= site.pages.keys()
        assert {f"models/{name}" for name in models} <= site.pages.keys()

    def test_each_is_made_small_and_leads_somewhere(self, site: Site) -> None:
        html = cache(lambda name: html_of(site.markdown(name, BASE_URL)))
        for path in site.pages:
            markdown = site.markdown(path, BASE_URL)
            assert markdown.startswith("# "), path
            assert "{{" not in markdown, path
            assert not re.search(r"(?<!If-)None", markdown), path
            assert len(gzip.compress(html_of(markdown).encode())) < MAX_COMPRESSED_BYTES
            for target in LINK.findall(markdown):
                place = address(target, path, "/docs").removeprefix(BASE_URL)
                page, _, anchor = place.partition("?")[0].partition("#")
                name = page.removeprefix("/docs").strip("/") if page else path
                assert name in site.pages or page.startswith(PLACES), (path, place)
                assert not anchor or f'id="{anchor}"' in html(name), (path, place)

    def test_each_address_in_a_program_exists(self, site: Site) -> None:
        for doc in guides():
            for path in ADDRESS.findall(site.markdown(doc.path, BASE_URL)):
                assert re.match(r"/(api|clients|mcp|\.well-known)(/|$)", path), (doc.path, path)

    def test_each_endpoint_that_a_page_names_is_one_of_the_service_and_a_link(self, site: Site) -> None:
        for doc in guides():
            assert ENDPOINT.findall(without_fences(site.markdown(doc.path, BASE_URL))) == [], doc.path

    def test_an_endpoint_describes_the_objects_in_its_answer(self, site: Site) -> None:
        page = site.markdown("api/getTask", BASE_URL)
        assert re.search(r"### File\n\n\| Field .*?`fileUrl`", page, re.DOTALL)
        assert "### TaskError" in page

    def test_a_page_is_html_and_with_md_at_its_end_its_markdown(self, site: Site) -> None:
        page = get("/docs/models")
        assert page["headers"]["content-type"] == "text/html; charset=utf-8"
        assert "<h1" in page["body"]
        text = get("/docs/models/kling-3.0.md")
        assert text["headers"]["content-type"] == "text/markdown; charset=utf-8"
        assert text["body"].startswith("# Kling 3.0\n")
        assert get("/docs")["body"] != get("/docs/index.md")["body"]

    def test_a_whole_page_is_light_before_its_media(self) -> None:
        for path in ("/docs", "/docs/models", "/docs/api/createGeneration"):
            assert len(gzip.compress(get(path)["body"].encode())) < MAX_COMPRESSED_BYTES

    def test_it_is_kept_and_not_sent_twice(self) -> None:
        first = get("/docs")
        assert first["headers"]["cache-control"] == "public, max-age=300"
        again = get("/docs", {"if-none-match": first["headers"]["etag"]})
        assert (again["statusCode"], again["body"]) == (304, "")

    def test_a_page_that_moved_is_found_at_its_new_address(self) -> None:
        for path, now in (
            ("/docs/agents", "/docs/use/mcp"),
            ("/docs/agents.md", "/docs/use/mcp.md"),
            ("/docs/models/kling-3.0", "/models/kling-3.0"),
            ("/dashboard/catalog/kling-3.0", "/models/kling-3.0"),
        ):
            answer = get(path)
            assert answer["statusCode"] == 301
            assert answer["headers"]["location"].endswith(now)

    @pytest.mark.parametrize("path", ["/docs/nowhere", "/docs/models/nothing.md", "/docs/api/x.md"])
    def test_an_unknown_one_is_refused(self, path: str) -> None:
        answer = get(path)
        assert answer["statusCode"] == 404
        assert answer["headers"]["cache-control"] == "no-store"

    def test_nothing_of_a_page_becomes_html(self) -> None:
        assert "<script>" not in html_of("# x <script>alert(1)</script>\n\n```bash\n<script>\n```")


class TestSupport:
    def test_without_a_contact_of_the_operator_it_is_a_plain_sentence(self) -> None:
        body = get("/docs/support")["body"]
        assert "has not published a contact" in body
        assert "/contact" not in body

    def test_it_leads_to_the_pages_that_the_operator_supplies(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CONTACT_URL", "https://example.com/help")
        monkeypatch.setenv("TERMS_URL", "https://example.com/terms")
        parts.forget()
        body = get("/docs/support.md")["body"]
        assert re.search(r"\[contact the operator\]\(https://[^)]*/contact\)", body)
        assert re.search(r"\[Terms of service\]\(https://[^)]*/terms\)", body)
        assert "/privacy" not in body


class TestUploads:
    @pytest.mark.parametrize("page", ["image", "video", "music"])
    def test_the_model_accepts_the_input_of_the_program_that_uploads_a_file(
        self, site: Site, page: str
    ) -> None:
        model_id, source = UPLOAD.findall(site.markdown(page, BASE_URL))[-1]
        uploaded = re.sub(r'Path\("([^"]+)"\)', r'"https://example.com/\1"', source)
        model = api_parts.api().catalog.catalog().media_model(model_id)
        assert model.check(json.loads(uploaded)).values


class TestTrial:
    def test_the_model_that_a_page_tries_is_free_and_does_what_the_endpoint_is_for(self, site: Site) -> None:
        named = {}
        for path in site.pages:
            trial = site.trial(path)
            sent = json.loads(trial.body) if trial and trial.body else {}
            if "model" in sent:
                named[path.removeprefix("api/")] = sent["model"]
        images = {"createGeneration", "estimateGeneration", "generateImage", "editImage"}
        others = {
            "createVideo": "test-video",
            "createEmbeddings": "test-embedding",
            "createSpeech": "test-speech",
            "rerank": "test-rerank",
            "createModeration": "test-moderation",
        }
        expected = dict.fromkeys(named, "test-chat") | dict.fromkeys(images, "test-image") | others
        assert named == expected


class TestSearch:
    def test_its_index_has_every_page(self, site: Site) -> None:
        answer = get("/docs/search.json")
        found = [row[0] for row in json.loads(answer["body"])]
        assert answer["headers"]["content-type"] == "application/json"
        assert found == list(site.pages)
