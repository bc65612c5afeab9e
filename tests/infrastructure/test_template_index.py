"""The template can be read: its index names every section, in their order."""

import re

from local.template import ROOT

TEXT = (ROOT / "template.yaml").read_text()
MAX_LINES = 2200


class TestIndex:
    def test_it_lists_every_banner_in_its_order(self) -> None:
        head, _, body = TEXT.partition("\nParameters:\n")
        banners = re.findall(r"^  (#+)\n  # (.+) #\n  #+$", body, re.MULTILINE)
        assert re.findall(r"^#   (\S.*)$", head, re.MULTILINE) == [name for _, name in banners]
        assert len(banners) > 10

    def test_every_function_has_a_section_of_its_own(self) -> None:
        sections = re.findall(r"^  # (.+) FUNCTION: ", TEXT, re.MULTILINE)
        functions = re.findall(r"^  (\w+)Function:\n    Type: AWS::Serverless::Function", TEXT, re.MULTILINE)
        assert [name.replace(" ", "").lower() for name in sections] == [name.lower() for name in functions]
