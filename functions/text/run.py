"""The buffered counterpart of `run.sh`.

An emulator that runs only Python reads that name as `sh` in this module.
"""

from mangum import Mangum

from text.app import app

sh = Mangum(app, lifespan="off")
