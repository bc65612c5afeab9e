"""Defers the construction of pydantic models. Imported before FastAPI and before MCP's package.

Both declare protocols as pydantic models. FastAPI has forty of them for an OpenAPI document that is never
created here, because Tollgate generates its document from the code (`reference/document.py`). With this
setting, pydantic builds a model on first use, which saves a tenth of the start of `api`.

The setting applies to every model of the process, because pydantic has no other way to set it for the models
of other packages. `tests/aws/test_slim_packages.py` checks that it works with the locked version.
"""

from pydantic import BaseModel

BaseModel.model_config["defer_build"] = True
