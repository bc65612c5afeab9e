"""Imported before FastAPI, and before MCP's package: what these would make at their import for nothing.

They declare protocols as pydantic models, FastAPI forty of them for an OpenAPI document that it never makes
here, as ours is written from the code (`reference/document.py`). Told so, pydantic builds a model when it is
first used: a tenth of the start of `api`.

It holds for every model of the process: pydantic has no other way to say it of models that others declare.
`tests/unit/test_slim_packages.py` says whether the locked version still does so.
"""

from pydantic import BaseModel

BaseModel.model_config["defer_build"] = True
