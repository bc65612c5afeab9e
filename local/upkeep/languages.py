"""Writes the catalogs of the pages' texts: `make languages`.

Gathers the texts of templates, handlers and scripts, and keeps their translations in `languages/`, which
translators edit. Compiles these: `messages.mo` for the functions, and a module for the browser's scripts.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr
from datetime import UTC, datetime
from io import BytesIO, StringIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from dashboard.languages import CATALOGS
from local.template import ROOT
from local.upkeep.language_tables import tables
from tollgate.web.languages import TRANSLATED

DASHBOARD = ROOT / "functions/dashboard"
# What translators edit. It is not deployed.
SOURCES = ROOT / "languages"
SCRIPTS = DASHBOARD / "static/languages"
# Where texts of pages are, and how each kind of file marks them.
ROOMS = (ROOT / "functions", ROOT / "shared/tollgate")
METHODS = [
    ("dashboard/static/vendor/**", "ignore"),
    ("dashboard/static/htmx.min.js", "ignore"),
    ("dashboard/static/languages/**", "ignore"),
    ("dashboard/static/**.js", "javascript"),
    ("dashboard/templates/**.html", "jinja2"),
    ("**.py", "python"),
]
OPTIONS = {"dashboard/templates/**.html": {"trimmed": "true", "newstyle_gettext": "true", "silent": "false"}}
KEYWORDS = {
    **dict.fromkeys(("_", "gettext", "phrase", "TeamError", "OperatorError", "IncidentError", "Words")),
    "ngettext": (1, 2),
}
# A catalog changes only with its texts.
ALWAYS = datetime(2026, 11, 27, tzinfo=UTC)
# A text of this form is a format of dates, in which each language has its own parts.
DATE = re.compile(r"(%-?[A-Za-z]|[ ,:]|UTC)+")
HOLE = re.compile(r"%\(\w+\)s|%%|\{\w+\}|<[^>]+>|%-?[a-zA-Z]\b")


def template() -> Catalog:
    """Return all texts of the pages, in English."""
    found = Catalog(project="Tollgate")
    for room in ROOMS:
        # Babel warns of texts with values, which stay in English.
        with redirect_stderr(StringIO()):
            texts = list(extract_from_dir(room, METHODS, options_map=OPTIONS, keywords=KEYWORDS))
        for file, _, text, _, _ in texts:
            found.add(text, None, [(str((room / file).relative_to(ROOT)), 0)])
    for text in tables():
        found.add(text, None, [("local/upkeep/language_tables.py", 0)])
    return found


def catalog_of(language: str) -> Catalog:
    """Return the stored translations of a language."""
    path = _path(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def outputs(language: str, texts: Catalog) -> dict[Path, bytes]:
    """Return the files of a language, updated to the texts of the pages."""
    catalog = catalog_of(language)
    catalog.update(texts, no_fuzzy_matching=True)
    catalog.header_comment = "# Only the translations are written by hand: `make languages` writes the rest."
    catalog.project = "Tollgate"
    catalog.fuzzy = False
    catalog.msgid_bugs_address = catalog.last_translator = catalog.language_team = ""
    catalog.creation_date = catalog.revision_date = ALWAYS
    source, compiled = BytesIO(), BytesIO()
    write_po(source, catalog, ignore_obsolete=True, include_lineno=False, sort_output=True)
    write_mo(compiled, catalog)
    return {
        _path(language): source.getvalue(),
        CATALOGS / language / "LC_MESSAGES/messages.mo": compiled.getvalue(),
        SCRIPTS / f"{language}.js": _script(catalog).encode(),
    }


def faults(catalog: Catalog) -> Iterator[str]:
    """Return the faults of the translations: missing, fuzzy, or with other placeholders."""
    for message in catalog:
        if not message.id:
            continue
        if message.fuzzy:
            yield f"fuzzy: {message.id}"
        yield from _faults_of(message)


def main() -> int:
    """Write the catalogs. Print the faults of the translations, and return 1 if there are any."""
    texts = template()
    for language in TRANSLATED:
        for path, content in outputs(language, texts).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    found = report({language: catalog_of(language) for language in TRANSLATED})
    sys.stdout.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


def report(catalogs: Mapping[str, Catalog]) -> list[str]:
    """Return a line for each fault, with its languages, and then the next step; empty without faults.

    `catalogs` are the translations by language.
    """
    languages: dict[str, list[str]] = {}
    for language, catalog in catalogs.items():
        for fault in faults(catalog):
            languages.setdefault(fault, []).append(language)
    if not languages:
        return []
    files = ", ".join(f"languages/{name}.po" for name in sorted(set().union(*languages.values())))
    lines = [f"{', '.join(of)}: {fault}" for fault, of in languages.items()]
    return [*lines, f"Mend these in {files}, then run `make languages` again."]


def _path(language: str) -> Path:
    return SOURCES / f"{language}.po"


def _script(catalog: Catalog) -> str:
    """Return the module with the texts that scripts show."""
    texts = {
        message.id: message.string
        for message in sorted(catalog, key=lambda each: str(each.id))
        if message.id and any(place.endswith(".js") for place, _ in message.locations)
    }
    return f"export default {json.dumps(texts, ensure_ascii=False, indent=0)};\n"


def _forms(text: object) -> tuple[str, ...]:
    """Return the forms of a text: several if it has a number."""
    return tuple(str(form) for form in text) if isinstance(text, list | tuple) else (str(text or ""),)


def _faults_of(message: Message) -> Iterator[str]:
    sources, strings = _forms(message.id), _forms(message.string)
    if DATE.fullmatch(sources[0]):
        return
    wanted = [sorted(HOLE.findall(source)) for source in sources]
    for text in strings:
        if not text:
            yield f"missing: {sources[0]}"
        elif "%" in HOLE.sub("", text):
            yield f"a single %: {text}"
        elif sorted(HOLE.findall(text)) not in wanted:
            yield f"other placeholders: {text}"
        elif '"' in HOLE.sub("", text) and '"' not in HOLE.sub("", sources[0]):
            # It would end the attribute that has the text.
            yield f"quotation mark: {text}"


if __name__ == "__main__":
    sys.exit(main())
