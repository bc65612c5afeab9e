"""The database that all parts of a process share."""

from tollgate.composition.parts import part
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb.database import Database


@part
def database() -> Database:
    """Return the database."""
    return Database(sdk.dynamodb())
