"""Writes template.yaml in CloudFormation's form, for tools that support neither SAM nor YAML merges.

python -m local.deploy.translated .local/translated.json
"""

import json
import sys
from pathlib import Path

from local.template import Template, read_template

COPIED_SECTIONS = ("AWSTemplateFormatVersion", "Description", "Parameters", "Conditions", "Rules", "Outputs")


def expanded(template: Template) -> str:
    """Return the template as JSON, with resources as SAM translates them."""
    kept = {section: template.source[section] for section in COPIED_SECTIONS}
    return json.dumps({**kept, "Resources": template.resources}, indent=1)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(expanded(read_template()))
