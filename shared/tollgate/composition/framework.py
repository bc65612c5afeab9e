"""Imported before FastAPI, and before MCP's package: what these would make at their import for nothing.

They declare protocols as pydantic models, FastAPI forty of them for an OpenAPI document that it never makes
here, as ours is written from the code (`reference/document.py`). Told so, pydantic builds a model when it is
first used: a tenth of the start of `api`.
"""

from pydantic import BaseModel

BaseModel.model_config["defer_build"] = True
