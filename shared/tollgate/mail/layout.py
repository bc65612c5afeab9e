"""A mail in the service's design, as text and as HTML. Pure.

Names that people typed are plain text in both: escaped in the page, on one line, and without links. Mail
clients turn apparent addresses into links, so an invisible character splits them.
"""

import re
from dataclasses import dataclass
from html import escape

from tollgate.mail.message import Mail

MAX_SUBJECT, MAX_VALUE = 120, 300
# In the place of nothing, it keeps two characters together and is not seen (U+2060).
WORD_JOINER = "\u2060"
# Also keeps the characters that join the parts of an emoji, and of words in Persian and Hindi.
_JOINERS = frozenset({WORD_JOINER, "\u200c", "\u200d"})
# A scheme, and a dot or an at sign before a possible domain.
_LINK = re.compile(r"(://)|(?<=[\w-])([.@])(?=[A-Za-z]{2,})")

# The light colours of `static/app.css`. Mail clients support no style sheets, variables or `light-dark()`.
_FONT = "16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif"
_BODY = f"margin:0;padding:24px;background:#f6f6f3;color:#181d1c;font:{_FONT}"
_CARD = "padding:24px;background:#ffffff;border:1px solid #e2e2dc;border-radius:14px"
_LABEL = "padding:6px 16px 6px 0;text-align:left;vertical-align:top;font-weight:400;color:#586360"
_BUTTON = "display:inline-block;padding:10px 18px;border-radius:10px;background:#0d6e5f;color:#ffffff"
_FOOT = "padding:16px 24px;font-size:13px;color:#586360"


@dataclass(frozen=True, slots=True)
class MailContent:
    """The content of a mail: a heading, sentences, facts as label and value, one link, and a footer."""

    subject: str
    sentences: tuple[str, ...]
    facts: tuple[tuple[str, str], ...] = ()
    link: tuple[str, str] | None = None
    """The title of the linked page, and its address."""
    foot: tuple[str, ...] = ()


def one_line(text: str, most: int = MAX_VALUE) -> str:
    """Return a text on one line without invisible characters, at most `most` long."""
    line = " ".join("".join(each if each.isprintable() or each in _JOINERS else " " for each in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def unlinked(text: str) -> str:
    """Return a typed name in a form that no mail client turns into a link."""

    def parted(found: re.Match[str]) -> str:
        return f":{WORD_JOINER}//" if found[1] else f"{found[2]}{WORD_JOINER}"

    return _LINK.sub(parted, one_line(text))


def render(content: MailContent) -> Mail:
    """Return a mail with this content."""
    subject = one_line(content.subject, MAX_SUBJECT)
    return Mail(subject, _text(content), _html(subject, content))


def _text(content: MailContent) -> str:
    parts = [*content.sentences]
    if content.facts:
        parts.append("\n".join(f"{label}: {value}" for label, value in content.facts))
    if content.link is not None:
        parts.append(f"{content.link[0]}:\n{content.link[1]}")
    if content.foot:
        parts.append("\n".join(("--", *content.foot)))
    return "\n\n".join(parts) + "\n"


def _html(subject: str, content: MailContent) -> str:
    inside = [_tag("h1", "margin:0 0 16px;font-size:20px", escape(subject))]
    inside += [_tag("p", "margin:0 0 16px", escape(each)) for each in content.sentences]
    rows = "".join(
        f'<tr><th scope="row" style="{_LABEL}">{escape(label)}</th>'
        + _tag("td", "padding:6px 0;word-break:break-word", escape(value))
        + "</tr>"
        for label, value in content.facts
    )
    if rows:
        inside.append(_tag("table", "border-collapse:collapse;margin:0 0 20px", rows))
    if content.link is not None:
        label, address = content.link
        inside.append(f'<a href="{escape(address)}" style="{_BUTTON}">{escape(label)}</a>')
    name = _tag("p", "margin:0 0 12px;font-weight:700", "Tollgate")
    foot = "".join(_tag("p", "margin:0 0 6px", escape(each)) for each in content.foot)
    page = name + _tag("div", _CARD, "".join(inside)) + _tag("div", _FOOT, foot)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(subject)}</title></head>'
        f'<body style="{_BODY}">{_tag("div", "max-width:560px;margin:0 auto", page)}</body></html>\n'
    )


def _tag(name: str, style: str, inside: str) -> str:
    return f'<{name} style="{style}">{inside}</{name}>'
