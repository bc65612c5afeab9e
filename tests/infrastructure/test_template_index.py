"""The template can be read: its index names every section with its resources, in their order."""

import re
from itertools import pairwise

import pytest

from local.template import ROOT, read_template
from local.upkeep.template_index import sections_of, with_index

TEXT = (ROOT / "template.yaml").read_text()
RESOURCES = TEXT.partition("\nResources:\n")[2].partition("\nOutputs:\n")[0]
MAX_SECTION_LINES = 500
"""A longer section is two."""


class TestIndex:
    def test_it_is_current(self) -> None:
        assert with_index(TEXT) == TEXT, "run: make template-index"

    def test_it_names_every_resource_once(self) -> None:
        named = [name for _, resources in sections_of(RESOURCES) for name in resources]
        assert sorted(named) == sorted(read_template().source["Resources"])

    def test_a_resource_without_a_section_is_refused(self) -> None:
        with pytest.raises(ValueError, match="above the first section"):
            sections_of("  Api:\n    Type: AWS::Serverless::Api\n")

    def test_no_section_is_too_long_to_be_read(self) -> None:
        banners = [
            number for number, line in enumerate(RESOURCES.splitlines()) if re.match(r"  #{4,}$", line)
        ]
        starts = [*banners[::2], len(RESOURCES.splitlines())]
        lengths = [after - start for start, after in pairwise(starts)]
        assert [length for length in lengths if length > MAX_SECTION_LINES] == []
        assert len(lengths) == len(sections_of(RESOURCES)) > 10

    def test_every_function_has_a_section_of_its_own(self) -> None:
        sections = re.findall(r"^  # (.+) FUNCTION: ", TEXT, re.MULTILINE)
        functions = re.findall(r"^  (\w+)Function:\n    Type: AWS::Serverless::Function", TEXT, re.MULTILINE)
        assert [name.replace(" ", "").lower() for name in sections] == [name.lower() for name in functions]
