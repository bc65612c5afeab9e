"""`make template-index`: writes the index at the top of template.yaml: each section with its resources."""

import re
from textwrap import wrap

from local.template import ROOT

TEMPLATE = ROOT / "template.yaml"
WIDTH = 120
_BANNER = re.compile(r"^  (#+)\n  # (.+) #\n  \1\n", re.MULTILINE)
_RESOURCE = re.compile(r"^  (\w+):$", re.MULTILINE)
_HEAD = """# First come parameters, conditions, rules and globals, then the resources, and then the outputs.
# The resources are in sections, in the order of a request. Search for `# NAME` of a section, or
# for `NAME:` of a resource. `make template-index` writes this list.
"""


def with_index(text: str) -> str:
    """Return the template with its current index. Raises `ValueError` if a resource has no section."""
    description, _, rest = text.partition("\n\n")
    _, _, rest = rest.partition("\nParameters:\n")
    sections = sections_of(rest.partition("\nResources:\n")[2].partition("\nOutputs:\n")[0])
    lines = [line for name, resources in sections for line in _lines(name, resources)]
    index = "".join(f"{line}\n" for line in lines)
    return f"{description}\n\n{_HEAD}#\n{index}\nParameters:\n{rest}"


def sections_of(resources: str) -> list[tuple[str, list[str]]]:
    """Return each section with the names of its resources. Raises `ValueError` if one has no section."""
    first, *parts = _BANNER.split(resources)
    if _RESOURCE.search(first):
        raise ValueError("A resource is above the first section.")
    return [(name, _RESOURCE.findall(body)) for name, body in zip(parts[1::3], parts[2::3], strict=True)]


def _lines(name: str, resources: list[str]) -> list[str]:
    indent = "#     "
    return [
        f"#   {name}",
        *wrap(", ".join(resources), WIDTH, initial_indent=indent, subsequent_indent=indent),
    ]


if __name__ == "__main__":
    TEMPLATE.write_text(with_index(TEMPLATE.read_text()))
