"""Merkle trees of blocks, so that the proof of one entry reads one block. Pure.

A full block is a complete subtree, because its size is a power of two. So the root of a day is the root of
the roots of its blocks (RFC 9162, 2.1.1).
"""

from collections.abc import Sequence

from tollgate.seals.verification import root_of

# Entries of one block. Its row has their ids: about 45 KB.
BLOCK = 1_024
# Blocks of one day: their roots are in the row of its seal, which DynamoDB limits to 400 KB. They have
# 4 million entries of one account.
MAX_BLOCKS = 4_000


def path_of(hashes: Sequence[bytes], index: int) -> list[bytes]:
    """Return the hashes that lead from a leaf to the root of the tree, the lowest first."""
    path: list[bytes] = []
    while len(hashes) > 1:
        split = 1 << (len(hashes) - 1).bit_length() - 1
        if index < split:
            path.append(root_of(hashes[split:]))
            hashes = hashes[:split]
        else:
            path.append(root_of(hashes[:split]))
            hashes, index = hashes[split:], index - split
    return path[::-1]


def path_through(block: Sequence[bytes], roots: Sequence[bytes], index: int) -> list[bytes]:
    """Return the path of a day's entry, from the leaves of its block and the roots of all blocks."""
    number, place = divmod(index, BLOCK)
    return [*path_of(block, place), *path_of(roots, number)]
