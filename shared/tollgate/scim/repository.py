"""Directories in DynamoDB: a row of IdentitiesTable for each account, named `directory#<account>`."""

from tollgate.kit.dynamodb.database import VersionedRepository
from tollgate.scim.directory import Directory, row_id


class StaleDirectoryError(Exception):
    """Another process wrote the directory since it was read; nothing was written."""


class DirectoryRepository(VersionedRepository[Directory]):
    """Reads directories, and writes each only if it is still as it was read."""

    stale_error = StaleDirectoryError

    def get(self, account_id: str) -> Directory:
        """Return the account's directory; it is empty if none was ever connected."""
        row = self._db.get(self._table, {"identity_id": row_id(account_id)})
        return Directory(account_id) if row is None else Directory.from_item(row)

    def delete(self, account_id: str) -> None:
        """Delete the directory of a closed account; a repeat changes nothing."""
        self._db.delete(self._table, {"identity_id": row_id(account_id)})
