"""The database that all parts of a process share."""

from tollgate.composition.parts import part
from tollgate.kit import aws
from tollgate.kit.dynamodb import Database


@part
def database() -> Database:
    """Return the database."""
    return Database(aws.dynamodb())
