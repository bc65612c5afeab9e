"""The buffered twin of `run.sh`: an emulator that runs Python only takes that for this module's `sh`."""

from mangum import Mangum

from text.app import app

sh = Mangum(app, lifespan="off")
