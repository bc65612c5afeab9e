"""The translated template is stored, and never an old one is read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from local import template, translation
from local.template import read_template

WRITTEN = """
Globals: {Function: {Runtime: python3.13}}
Resources:
  Queue: {Type: AWS::SQS::Queue, Properties: {VisibilityTimeout: SECONDS}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(template, "ROOT", tmp_path)
    monkeypatch.setattr(template, "TRANSLATIONS", tmp_path / "translations")
    monkeypatch.setattr(translation, "TEMPLATE", tmp_path / "template.yaml")
    template._read.cache_clear()
    yield tmp_path
    template._read.cache_clear()


def timeout(folder: Path, seconds: int) -> int:
    """Return the timeout that a new process reads of a template with one of `seconds`."""
    (folder / "template.yaml").write_text(WRITTEN.replace("SECONDS", str(seconds)))
    template._read.cache_clear()
    found: int = read_template().of_type("AWS::SQS::Queue")["Queue"]["VisibilityTimeout"]
    return found


class TestStoredTranslations:
    def test_a_changed_template_is_translated_again(self, folder: Path) -> None:
        assert [timeout(folder, seconds) for seconds in (10, 20, 10)] == [10, 20, 10]

    def test_an_unchanged_one_is_not(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        timeout(folder, 10)
        monkeypatch.delattr(translation, "translate")
        assert timeout(folder, 10) == 10

    def test_a_changed_translator_translates_again(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        timeout(folder, 10)
        (folder / "translator").write_text("another")
        monkeypatch.setattr(template, "TRANSLATOR", folder / "translator")
        monkeypatch.delattr(translation, "translate")
        with pytest.raises(ImportError):
            timeout(folder, 10)

    def test_only_the_newest_are_kept(self, folder: Path) -> None:
        for seconds in range(1, template.MAX_STORED + 5):
            timeout(folder, seconds)
        assert len(list(folder.glob("translations/*"))) == template.MAX_STORED
