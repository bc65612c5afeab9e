"""Tombstones of deleted uploads, so that a form cannot bring a deleted file back. Pure.

    <file id>-form-<bytes>.<ext>      a file that a form uploads
    <file id>-deleted-<bytes>.<ext>   its tombstone: an empty object, which a list shows before the file

A form is valid until it expires, because S3's policies of forms have no condition on objects
(docs.aws.amazon.com/AmazonS3, "POST policy"). So an upload can come after the deletion. While the tombstone
is there, its file does not exist for customers, and counts towards the account's limits.
"""

import re
from collections.abc import Collection

from ulid import ULID

from tollgate.kit.clock import MS_PER_S

# The lifetime of an upload form.
FORM_S = 60 * 60
# From the grant of the form. S3 checks a form when its upload begins, so a slow upload may end later.
TOMBSTONE_S = 2 * FORM_S
FORM, _DELETED = "-form-", "-deleted-"
_DECLARED = re.compile(r"-(\d{1,12})\.\w+$", re.ASCII)


def form_key(key: str) -> str:
    """Return the key of a file that a form uploads, from its key without a form."""
    head, _, size = key.rpartition("-")
    return f"{head}{FORM}{size}"


def tombstone_of(key: str, now_ms: int) -> str | None:
    """Return the key of the tombstone that a deletion leaves; `None` if no upload can come any more."""
    is_open = FORM in key and not _is_over(key, now_ms)
    return key.replace(FORM, _DELETED) if is_open else None


def deleted_key(key: str) -> str | None:
    """Return the key of the file that a tombstone hides; `None` for a key that is no tombstone's."""
    return key.replace(_DELETED, FORM) if _DELETED in key else None


def leftovers(keys: Collection[str], now_ms: int) -> set[str]:
    """Return the keys to delete: files behind tombstones, and tombstones that no upload can follow.

    A tombstone stays until its file is deleted, so that no failure between the two brings the file back.
    """
    hidden = {file: key for key in keys if (file := deleted_key(key)) is not None}
    late = hidden.keys() & keys
    return {*late, *(key for file, key in hidden.items() if file not in late and _is_over(key, now_ms))}


def id_of(key: str) -> str:
    """Return the id of the file of a key."""
    return key.rpartition("/")[2].partition("-")[0]


def declared_bytes(key: str) -> int:
    """Return the allowed size in bytes of an upload; 0 for a file from a data URI."""
    declared = _DECLARED.search(key)
    return int(declared[1]) if declared else 0


def granted_at_ms(file_id: str) -> int:
    """Return the time in an id, in epoch milliseconds."""
    return ULID.from_str(file_id.partition("_")[2]).milliseconds


def _is_over(key: str, now_ms: int) -> bool:
    return granted_at_ms(id_of(key)) + TOMBSTONE_S * MS_PER_S <= now_ms
