"""`make throwaway`: what `sam build` made loses its data with its stack (decision 0025)."""

import sys
from pathlib import Path

from local.template import ROOT

BUILT = ROOT / ".aws-sam" / "build" / "template.yaml"
GOES = {
    "DeletionPolicy: RetainExceptOnCreate": "DeletionPolicy: Delete",
    "UpdateReplacePolicy: Retain": "UpdateReplacePolicy: Delete",
}
"""What keeps data, and what stands there in a throw-away stack."""


def thrown_away(text: str) -> str:
    """Return a built template whose data goes with its stack.

    Raises `ValueError` where nothing in it is kept.
    """
    for kept, goes in GOES.items():
        if kept not in text:
            raise ValueError(f"no {kept} in it")
        text = text.replace(kept, goes)
    return text


if __name__ == "__main__":
    built = Path(sys.argv[1]) if len(sys.argv) > 1 else BUILT
    built.write_text(thrown_away(built.read_text()))
    print(f"{built} now loses its data with its stack: `sam deploy --stack-name <another>`")
