"""Tombstones of deleted uploads: their keys, and which objects are deleted after them."""

from ulid import ULID

from tollgate.artifacts.deletions import TOMBSTONE_S, deleted_key, leftovers, tombstone_of

NOW_MS = 1_800_000_000_000
OLD_MS = NOW_MS - TOMBSTONE_S * 1_000


def key(granted_ms: int, mark: str = "-form-") -> str:
    return f"inputs/usr_1/file_{ULID.from_timestamp(granted_ms)}{mark}5.png"


def test_a_tombstone_comes_before_its_file_in_a_list() -> None:
    file = key(NOW_MS)
    tombstone = tombstone_of(file, NOW_MS)
    assert tombstone is not None
    assert sorted([file, tombstone]) == [tombstone, file]
    assert (deleted_key(tombstone), deleted_key(file)) == (file, None)


def test_only_a_file_whose_upload_may_still_come_leaves_a_tombstone() -> None:
    assert tombstone_of(key(OLD_MS + 1), NOW_MS) is not None
    assert tombstone_of(key(OLD_MS), NOW_MS) is None
    assert tombstone_of(key(NOW_MS, "-"), NOW_MS) is None


def test_a_tombstone_stays_until_its_file_is_deleted() -> None:
    young, old, gone = key(NOW_MS), key(OLD_MS), key(OLD_MS - 1)
    of = {file: file.replace("-form-", "-deleted-") for file in (young, old, gone)}
    kept = [key(OLD_MS - 2), key(OLD_MS, "-"), "inputs/usr_1/0a.png"]
    assert leftovers([*kept, of[gone], of[old], old, of[young]], NOW_MS) == {of[gone], old}
    assert leftovers([*kept, of[young], young], NOW_MS) == {young}
