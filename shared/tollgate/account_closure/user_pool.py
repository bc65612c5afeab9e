"""People's entries in Cognito's user pool: who has no account any more is not kept there either."""

from typing import Any

from botocore.exceptions import ClientError

from tollgate.members.identities import COGNITO, OPERATORS

GONE = "UserNotFoundException"


class UserPool:
    """Deletes people from a user pool. `client` is the SDK's."""

    def __init__(self, client: Any, pool_id: str) -> None:
        self._client = client
        self._pool_id = pool_id

    def delete(self, identity_id: str) -> None:
        """Delete a person's entry, with the address in it; one that is gone is no error, so a repeat is none.

        An operator's entry stays: it opens the console, and ends when they leave.
        """
        if not identity_id.startswith(COGNITO):
            return
        # Of a person of the pool itself, the subject is the user name.
        person = {"UserPoolId": self._pool_id, "Username": identity_id.removeprefix(COGNITO)}
        try:
            groups = self._client.admin_list_groups_for_user(**person)["Groups"]
            if not any(each["GroupName"] == OPERATORS for each in groups):
                self._client.admin_delete_user(**person)
        except ClientError as exc:
            if exc.response["Error"]["Code"] != GONE:
                raise
