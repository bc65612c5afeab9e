"""Every page there is, by the routes of both functions: nothing that axe-core finds, not too wide, not heavy.

A route without a parameter is found by itself, one with a parameter must have its example here.
"""

import gzip
import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from admin.app import app as admin
from dashboard.app import app as dashboard
from tests.browser.checks import FRAME, LOOKS_AT_GUIDES, LOOKS_AT_PAGES, MAX_PAGE_BYTES, faults, weight
from tests.browser.conftest import PHONE, new_key
from tests.support.samples import PAID_BODY, PAID_IMAGE
from tollgate.ledger.attribution import MAX_USER_LENGTH
from tollgate.reference.guides import guides

pytestmark = [pytest.mark.browser, pytest.mark.ministack]

FINISHED_WITHIN_S = 60.0
FOUR = "model=kling-3.0&model=seedance-2.0&model=z-image&model=gpt-5.4-mini"
EXAMPLES: dict[str, tuple[str, ...]] = {
    "/models/{model_id}": (
        "kling-3.0",
        "gpt-6-astra",
        "test-video",
        "text-embedding-3-small",
        "tts-1",
        "whisper-1",
    ),
    "/dashboard/playground/{model_id}": ("seedance-2.0", "suno?beside=z-image", "kling-3.0"),
    "/docs/{path}": (
        *(doc.path for doc in guides() if doc.path),
        *("api/createGeneration", "api/createChatCompletion"),
    ),
    "/admin/models/{model_id}": (PAID_IMAGE, "gpt-6-astra"),
}
# Filled with what the account has.
OF_THE_ACCOUNT = (
    "/dashboard/tasks/{task_id}",
    "/dashboard/requests/{request_id}",
    "/dashboard/keys/{key_id}",
    "/dashboard/projects/{project_id}",
    "/dashboard/shared/{share_id}",
    "/dashboard/workflows/{workflow_id}",
    "/admin/accounts/{account_id}",
    "/admin/tasks/{task_id}",
)
# Parts of pages, and answers that are none.
NO_PAGES = {
    *("/dashboard/playground/tasks/{task_id}", "/dashboard/tasks/{task_id}/card"),
    *("/dashboard/webhooks/deliveries/{delivery_id}", "/dashboard/top-up/receipts/{entry_id}"),
    *("/dashboard/batches/{batch_id}", "/dashboard/batches/{batch_id}/files/{name}"),
    *("/models/{model_id}/price", "/docs/models/{model_id}", "/dashboard/catalog/{model_id}"),
    "/dashboard/keys/{key_id}/first-request",
    "/dashboard/palette",
    # Redirects, some only without a user pool and without a registration.
    *(
        "/models",
        "/dashboard/sign-in/begin",
        "/dashboard/sign-in/callback",
        "/dashboard/settings/second-factor",
    ),
    *("/dashboard/top-up/card", "/dashboard/top-up/receipt", "/dashboard/top-up/invoices/{entry_id}"),
    # Somebody who is signed in is sent on from this one; `FOR_STRANGERS` has it.
    "/dashboard/sign-in",
    # These need an invitation and a program's request: `test_members.py` opens the first.
    *("/dashboard/join", "/dashboard/connect"),
    # An operator gives these pages by settings that are not set here.
    *("/contact", "/privacy", "/terms"),
    *("/dashboard/balance", "/dashboard/playground/history", "/dashboard/playground/models"),
    *("/dashboard/activity.csv", "/dashboard/statements.csv", "/docs/search.json"),
    *("/favicon.ico", "/robots.txt", "/sitemap.xml"),
    *("/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"),
    *("/.well-known/oauth-protected-resource/mcp", "/.well-known/tollgate-ledger-key.json"),
    "/.well-known/security.txt",
}
MORE = (
    *(f"/dashboard/catalog/compare?{FOUR}", "/dashboard/catalog?search=nothing+has+it"),
    *("/dashboard/activity?by=user", "/dashboard/statements?by=user"),
)
ERRORS = ("/dashboard/nothing-here", "/docs/nothing-here", "/models/no-model")
MODELS = ("/models/suno", "/models/gpt-5.4-mini")
WITH_EACH_FRAME = ("/", "/dashboard", "/dashboard/sign-in", "/admin", "/docs/quickstart", *ERRORS)
# The parts of all guides, and what other pages show at one width only.
WITH_EACH_PART = (
    *("/docs/chat", "/docs/api/createGeneration"),
    *("/dashboard/chat", "/dashboard/playground/seedance-2.0", "/models/kling-3.0"),
)
FOR_STRANGERS = ("/", "/dashboard/sign-in", "/dashboard/catalog", *MODELS, *ERRORS)


def routes(app: Any) -> set[str]:
    """Return the paths of an app that are read by people; directories read those of SCIM."""
    paths = app.openapi()["paths"].items()
    return {path for path, methods in paths if "get" in methods and not path.startswith("/scim/")}


def test_every_route_with_a_parameter_has_its_example() -> None:
    with_one = {path for path in routes(dashboard) | routes(admin) if "{" in path}
    assert with_one == {*EXAMPLES, *OF_THE_ACCOUNT, *(path for path in NO_PAGES if "{" in path)}


def a_task(base_url: str, key: str) -> str:
    """Have an image made for an end user with a long name; return its task's id."""
    headers = {"authorization": f"Bearer {key}", "x-tollgate-tags": f"user={'u' * MAX_USER_LENGTH}"}
    made = httpx.post(f"{base_url}/api/v1/generation/create", json=PAID_BODY, headers=headers, timeout=30)
    task_id = str(made.json()["data"]["taskId"])
    end = time.monotonic() + FINISHED_WITHIN_S
    address = f"{base_url}/api/v1/task/status/{task_id}?wait=20"
    while httpx.get(address, headers=headers, timeout=30).json()["data"]["status"] != "finished":
        assert time.monotonic() < end, "the image is not finished"
    return task_id


def filled(app: Any, ids: dict[str, str]) -> Iterable[str]:
    """Return the addresses of an app's routes, with their examples."""
    for route in sorted(routes(app) - NO_PAGES):
        if "{" not in route:
            yield route
        elif route in OF_THE_ACCOUNT:
            yield route.format(**ids)
        else:
            yield from (route.partition("{")[0] + example for example in EXAMPLES[route])


def a_project(page: Page) -> str:
    """Make a project, a budget of it and one of end users on their pages; return the project's id."""
    page.goto("/dashboard/projects")
    page.get_by_role("button", name="New project").first.click()
    page.locator("#new-name").fill("Website")
    page.get_by_role("button", name="Create project").click()
    found = page.locator("#projects th a").first.get_attribute("href") or ""
    for scope, said in (("project", "Each project"), ("user", "Each end user")):
        page.goto("/dashboard/budgets")
        page.get_by_role("button", name="New budget").first.click()
        page.locator("#new-name").fill("Website")
        page.get_by_label("Applies to").select_option(scope)
        page.locator("#new-limit").fill("10")
        page.get_by_role("button", name="Create budget").click()
        expect(page.locator("#budgets")).to_contain_text(said)
    return found.rpartition("/")[2]


def a_shared_result(page: Page, task_id: str) -> str:
    """Share a result on its page; return the last part of the link."""
    page.goto(f"/dashboard/tasks/{task_id}")
    page.get_by_role("button", name="Create link").click()
    return page.locator("#sharing code").inner_text().rpartition("/")[2]


def a_run_token(page: Page) -> str:
    """Make a run token on its page; return the line that sets it."""
    page.goto("/dashboard/tokens")
    page.get_by_role("button", name="New token").first.click()
    page.get_by_label("Limit").fill("0.50")
    page.get_by_role("button", name="Create token").click()
    return page.locator("#new-secret").inner_text()


def some_jobs(base_url: str, key: str) -> str:
    """Create a workflow, and a batch that cannot be read; return the workflow's id."""
    headers = {"authorization": f"Bearer {key}"}
    step = {"id": "image", **PAID_BODY}
    made = httpx.post(f"{base_url}/api/v1/workflows", json={"steps": [step]}, headers=headers, timeout=30)
    lines = {"file": ("lines.jsonl", b"no JSON", "application/jsonl")}
    files = f"{base_url}/api/v1/files"
    file = httpx.post(files, files=lines, data={"purpose": "batch"}, headers=headers, timeout=30).json()
    body = {
        "input_file_id": file["id"],
        "endpoint": "/v1/chat/completions",
        "completion_window": "24h",
    }
    assert httpx.post(f"{base_url}/api/v1/batches", json=body, headers=headers, timeout=30).is_success
    return str(made.json()["data"]["id"])


def looked_at(page: Page, paths: Iterable[str], look: Callable[[Page, str], Any]) -> dict[str, Any]:
    """Return what was found on each page; where nothing was, the page is left out."""
    found = {}
    for path in paths:
        answer = page.goto(path, wait_until="load")
        assert answer is not None
        assert (answer.status, answer.request.redirected_from) == (404 if path in ERRORS else 200, None), path
        assert page.evaluate("document.doctype !== null"), f"{path} is no whole page"
        if seen := look(page, path):
            found[path] = seen
    return found


PUT_IN = """(html) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    document.title = page.title;
    document.body.replaceWith(page.body);
}"""


def looked_at_in_place(page: Page, paths: Iterable[str]) -> dict[str, Any]:
    """Return what was found on guides, each in the place of the one that is open.

    They share its styles and scripts, and the code of axe-core: to load these takes longer than a guide.
    """
    found = {}
    for path in paths:
        answer = page.request.get(path, max_redirects=0)
        html = answer.text()
        assert (answer.status, html[:15].lower()) == (200, "<!doctype html>"), path
        page.evaluate(PUT_IN, html)
        if seen := wrong(page, path, len(gzip.compress(answer.body()))):
            found[path] = seen
    return found


def wrong(page: Page, path: str, own_bytes: int = 0) -> list[Any]:
    bytes_sent = weight(page) + own_bytes
    heavy = [] if 0 < bytes_sent < MAX_PAGE_BYTES else [f"{bytes_sent} bytes"]
    if path in WITH_EACH_FRAME:
        return [*heavy, *faults(page)]
    # What is around a page takes longer than the page itself, and is the same around all of them.
    page.evaluate("(frame) => document.querySelectorAll(frame).forEach((part) => part.remove())", FRAME)
    if path in WITH_EACH_PART:
        return [*heavy, *faults(page)]
    return [*heavy, *faults(page, LOOKS_AT_GUIDES if path.startswith("/docs/") else LOOKS_AT_PAGES)]


HOSTILE = """"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>"""


class TestHostileWords:
    def test_what_people_write_is_text_on_every_page(self, page: Page, console: Page, base_url: str) -> None:
        key = new_key(page, HOSTILE)
        body = {
            "model": PAID_IMAGE,
            "input": {"prompt": HOSTILE, "size": "1:1"},
            "metadata": {"note": HOSTILE},
        }
        headers = {"authorization": f"Bearer {key}"}
        made = httpx.post(f"{base_url}/api/v1/generation/create", json=body, headers=headers, timeout=30)
        assert made.status_code == 200, made.text
        task_id = made.json()["data"]["taskId"]
        page.goto("/dashboard")
        account_id = page.locator("text=/usr_[0-9A-Z]{26}/").first.inner_text()
        console.goto(f"/admin/accounts/{account_id}")
        status_form = console.locator("form", has=console.get_by_role("heading", name="Status"))
        status_form.get_by_label("Reason").fill(HOSTILE)
        status_form.get_by_role("button", name="Suspend").click()
        expect(console.locator("form .chip.failed")).to_have_text("Suspended")
        money = console.locator("form", has=console.get_by_role("heading", name="Credit"))
        for label, text in (("Amount (USD)", "1"), ("Reference", "hostile-1"), ("Reason", HOSTILE)):
            money.get_by_label(label).fill(text)
        money.get_by_role("button", name="Credit").click()
        expect(console.get_by_role("region", name="Ledger", exact=True)).to_contain_text(HOSTILE)

        shown = ("", "/activity", "/audit", "/tasks", f"/tasks/{task_id}", "/keys", "/top-up", "/playground")
        words = quote(HOSTILE)
        for path in (*shown, f"/catalog?search={words}", f"/playground/z-image?input.prompt={words}"):
            page.goto(f"/dashboard{path}", wait_until="load")
            assert page.locator("img[src=x], [onerror]").count() == 0, path
            assert page.evaluate("window.hacked") is None, path
        of_it = (f"/accounts/{account_id}", f"/tasks/{task_id}")
        for path in ("", f"?find={words}", f"/models?find={words}", *of_it):
            console.goto(f"/admin{path}", wait_until="load")
            assert console.locator("img[src=x], [onerror]").count() == 0, path
            assert console.evaluate("window.hacked") is None, path


class TestEveryPage:
    def test_of_a_customer_is_for_everybody_and_light(self, page: Page, base_url: str) -> None:
        key = new_key(page, "Pictures")
        project_id = a_project(page)
        task_id, key_id = a_task(base_url, key), f"key_{key.removeprefix('tg_live_').partition('_')[0]}"
        ids = {"task_id": task_id, "request_id": task_id, "key_id": key_id}
        ids["workflow_id"] = some_jobs(base_url, key)
        ids["project_id"] = project_id
        ids["share_id"] = a_shared_result(page, task_id)
        a_run_token(page)
        page.goto("/dashboard/webhooks")
        page.get_by_label("URL").fill("https://example.com/hook")
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.locator("#deliveries")).to_contain_text("example.com")
        paths = [*filled(dashboard, ids), *MORE]
        assert looked_at(page, [path for path in paths if not path.startswith("/docs/")], wrong) == {}
        page.set_viewport_size(PHONE)
        docs = [path for path in paths if path.startswith("/docs/")]
        opened = [path for path in docs if path in WITH_EACH_FRAME + WITH_EACH_PART]
        assert looked_at(page, opened, wrong) == {}
        assert looked_at_in_place(page, [path for path in docs if path not in opened]) == {}

    def test_of_a_stranger_is_too(self, chromium: Browser, base_url: str) -> None:
        context = chromium.new_context(base_url=base_url)
        stranger = context.new_page()
        assert looked_at(stranger, FOR_STRANGERS, wrong) == {}
        context.close()

    def test_of_the_operator_is_too(self, console: Page, base_url: str, service: dict[str, Any]) -> None:
        console.locator("tbody a").first.click()
        account_id = console.url.rpartition("/")[2]
        ids = {"task_id": a_task(base_url, service["apiKey"]), "account_id": account_id}
        assert looked_at(console, filled(admin, ids), wrong) == {}
