"""`tollgate catalog refresh`: compare the shipped catalog with a public source, and change its YAML files."""

import gzip
import json
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any
from urllib.error import URLError
from urllib.request import urlopen

import typer

from tollgate.catalog.drift import KNOWN, Drift, is_seen, media_drifts, text_drifts, unexplained, unused
from tollgate.catalog.due import retired
from tollgate.catalog.loader import DATA, Catalog, read_yaml
from tollgate.catalog.sources import Source, UnknownFormatError, read_source
from tollgate.catalog.yaml_edits import with_value
from tollgate.command.errors import CommandError
from tollgate.command.options import AsJson
from tollgate.kit.clock import SystemClock, utc_day

# fal has no list of all prices, so it is asked for the endpoints of the catalog, some at a time.
FAL = "https://api.fal.ai/v1/models/pricing?endpoint_id="
FAL_AT_ONCE = 50
ADDRESSES = {
    "models.dev": "https://models.dev/api.json",
    "litellm": "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json",
    "openrouter": "https://openrouter.ai/api/v1/models",
}
TIMEOUT_S = 30
MAX_BYTES = 32 * 1024 * 1024
# Fields that can be written. A price for customers is never among them.
WRITTEN = ("cost.", "maxOutputTokens", "contextTokens", "retires")


def refresh(
    origin: Annotated[
        str,
        typer.Option("--from", help="models.dev, litellm, openrouter, fal, a file, or a folder of files."),
    ],
    write: Annotated[bool, typer.Option("--write", help="Write costs, limits and ends of routes.")] = False,
    seen: Annotated[str | None, typer.Option(help="With --write: the day of the source, for seenOn.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the shipped catalog with a public source: prices, limits, retired and unknown ids, units.

    Prints each difference that known_drift.yaml does not explain. --write changes the YAML files for review:
    costs, limits, retires and seenOn of routes, never a price. Exits with 1 if a cost exceeds its price, or a
    retired id is enabled.
    """
    source, day = _source(origin), utc_day(SystemClock().now_ms())
    catalog, known = Catalog.shipped().on(day), read_yaml(KNOWN)
    found: list[Drift] = []
    # fal lists only media. Besides fal only OpenAI says something about media that can be compared.
    if source.name != "fal":
        found += [drift for model in catalog.text_models() for drift in text_drifts(model, source, day)]
    if source.name in ("fal", "openai"):
        found += [drift for model in catalog.media_models() for drift in media_drifts(model, source, day)]
    shown = unexplained(found, source, known)
    ended = [
        f"{model_id}: {why}" for model_id, raw in catalog.document().items() for why in retired(raw, day)
    ]
    _show(shown, ended, unused(found, source, known), source, as_json=as_json)
    if write:
        _write(DATA, shown, catalog, source, seen)
    if ended or any(drift.is_urgent for drift in shown):
        raise typer.Exit(1)


def _show(shown: list[Drift], ended: list[str], stale: list[str], source: Source, *, as_json: bool) -> None:
    if as_json:
        view = [{**_view(drift), "key": drift.key} for drift in shown]
        typer.echo(json.dumps({"source": source.name, "drift": view, "retired": ended, "unused": stale}))
        return
    for drift in shown:
        typer.echo(" ".join(f"{value}" for value in _view(drift).values() if value))
    for line in (*ended, *(f"known_drift.yaml: no difference any more: {key}" for key in stale)):
        typer.echo(line)
    typer.echo(f"{len(shown)} differences from {source.name}.")


def _view(drift: Drift) -> dict[str, str]:
    above = f"is above the price {drift.above:f}" if drift.above is not None else ""
    return {
        "model": f"{drift.model_id}:",
        "provider": drift.provider,
        "upstream": drift.upstream,
        "field": f"{drift.field}:",
        "change": f"{drift.ours} → {drift.says}",
        "urgent": above or ("is retired" if drift.retired else ""),
    }


def _write(folder: Path, shown: list[Drift], catalog: Catalog, source: Source, seen: str | None) -> None:
    """Change the YAML files; the operator reviews them with `git diff`."""
    values = [
        (
            drift.provider,
            drift.upstream,
            drift.field,
            f'"{drift.says}"' if drift.field == "retires" else drift.says,
        )
        for drift in shown
        if drift.field.startswith(WRITTEN)
    ]
    if seen is not None:
        routes = [
            route for model in catalog.text_models() for route in model.routes if is_seen(source, route)
        ]
        values += [(route.provider, route.upstream, "seenOn", f'"{seen}"') for route in routes]
    texts = {file: file.read_text(encoding="utf-8") for file in sorted(folder.glob("text/*.yaml"))}
    for provider, upstream, field, value in values:
        changed = [
            (file, new)
            for file, text in texts.items()
            if (new := with_value(text, provider, upstream, field, value)) is not None
        ]
        texts |= dict(changed)
        if not changed:
            typer.echo(f"Change by hand: {provider} {upstream} {field} {value}")
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")


def _source(origin: str) -> Source:
    try:
        if origin == "fal":
            return _fal()
        if origin in ADDRESSES:
            return read_source(json.loads(_fetched(ADDRESSES[origin])))
        return _of_files(Path(origin))
    except (UnknownFormatError, URLError, ValueError, OSError) as error:
        raise CommandError(f"{origin} cannot be read: {error}") from error


def _fal() -> Source:
    models = Catalog.shipped().media_models()
    routes = [route for model in models for route in model.routes if route.provider == "fal"]
    ids = sorted({upstream for route in routes for upstream in route.upstream.values()})
    prices: list[Any] = []
    for start in range(0, len(ids), FAL_AT_ONCE):
        asked = "&endpoint_id=".join(ids[start : start + FAL_AT_ONCE])
        prices += json.loads(_fetched(FAL + asked))["prices"]
    return read_source({"prices": prices})


def _of_files(path: Path) -> Source:
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    sources = []
    for file in files:
        # A folder may also have other files.
        with suppress(*([UnknownFormatError] if path.is_dir() else [])):
            sources.append(read_source(json.loads(_bytes(file))))
    if not sources:
        raise UnknownFormatError("The folder has no file in a known format.")
    rows = {key: row for source in sources for key, row in source.rows.items()}
    return Source(sources[0].name, rows, sources[0].names)


def _bytes(file: Path) -> bytes:
    return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()


def _fetched(url: str) -> bytes:
    with urlopen(url, timeout=TIMEOUT_S) as answer:  # noqa: S310 - the addresses above
        body: bytes = answer.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise ValueError(f"The source is larger than {MAX_BYTES} bytes.")
    return body
