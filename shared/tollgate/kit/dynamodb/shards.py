"""Partitions of the DueIndexes. Pure."""

import zlib

# One partition of DynamoDB takes 1 000 writes a second.
DUE_SHARDS = 8


def due_shard(row_id: str, shards: int | None = None) -> str:
    """Return the DueIndex partition of a row, of `DUE_SHARDS` or of so many, spread evenly over the ids."""
    return str(zlib.crc32(row_id.encode()) % (shards or DUE_SHARDS))
