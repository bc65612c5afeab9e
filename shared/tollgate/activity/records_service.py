"""The records of requests: one by any of its ids, or pages of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import Scope
from tollgate.activity.found import Found
from tollgate.activity.generation import generation_view
from tollgate.activity.query import read_records_query
from tollgate.activity.record import record_of
from tollgate.activity.service import MAX_READ, ActivityService
from tollgate.activity.views import RequestPageView, RequestRecordView
from tollgate.kit.errors import InvalidInputError, RequestNotFoundError
from tollgate.kit.ids import is_id
from tollgate.kit.problems import Problem
from tollgate.ledger.entries import Entry, EntryKind, charge_id
from tollgate.ledger.hold_entries import late_entry_id, text_entry_id
from tollgate.usage.openrouter_views import GenerationRecordView

DEFAULT_PAGE, MAX_PAGE = 20, 100
NO_RECORD = "No generation and no text request that has ended has this id."
_REQUEST_PREFIX = "req_"
# A request's id without its prefix is the end of its response's id.
_ANSWER_PREFIXES = ("chatcmpl-", "cmpl-", "msg_", "resp_")


@dataclass(frozen=True, slots=True)
class RequestRecords:
    """Reads records; changes nothing. A key without the scope `account` reads only its own requests.

    `member_of_keys` returns the identity ids of the members who created the keys of an account.
    """

    activity: ActivityService
    member_of_keys: Callable[[str], Mapping[str, str]]

    def page(self, key: ApiKey, query: Mapping[str, str]) -> RequestPageView:
        """Return `{requests, cursor}`, the newest first; `cursor` is missing on the last page.

        `query` may have `kind`, `model`, `key`, `user`, `tag`, `status`, `from` and `to` (ISO 8601, `to`
        itself is not in), `limit` and `cursor`. Raises `InvalidInputError`.
        """
        wanted = read_records_query(query, DEFAULT_PAGE, MAX_PAGE)
        if Scope.ACCOUNT not in key.scopes:
            own = key.key_id if key.run is None else key.run.key_id
            if wanted.entries.labels.key not in (None, own):
                raise InvalidInputError(
                    [Problem("/key", "Must be this key, because it has no scope account.")]
                )
            token = wanted.entries.labels.token
            if key.token_id is not None and token not in (None, key.token_id):
                raise InvalidInputError([Problem("/token", "Must be this run token.")])
            labels = replace(wanted.entries.labels, key=own, token=key.token_id or token)
            wanted = replace(wanted, entries=replace(wanted.entries, labels=labels))
        page = self.activity.found(key.account_id, wanted, MAX_READ)
        members = self.member_of_keys(key.account_id) if page.rows else {}
        shown: RequestPageView = {"requests": [_record(found, members) for found in page.rows]}
        if page.cursor is not None:
            shown["cursor"] = page.cursor
        return shown

    def record(self, key: ApiKey, asked_id: str) -> RequestRecordView:
        """Return the record of a request. Raises `RequestNotFoundError`."""
        found = self._readable(key, asked_id)
        return _record(found, self.member_of_keys(key.account_id))

    def generation(self, key: ApiKey, asked_id: str | None) -> GenerationRecordView:
        """Return the same in OpenRouter's shape. Raises `InvalidInputError`, `RequestNotFoundError`."""
        if not asked_id:
            message = "Required: the id of a request, of its response, or of a task."
            raise InvalidInputError([Problem("/id", message)])
        return generation_view(asked_id, self._readable(key, asked_id))

    def find(self, account_id: str, asked_id: str) -> Found:
        """Return a request by its id, by the id of its response or by its task's.

        Raises `RequestNotFoundError`.
        """
        request_id = request_id_of(asked_id)
        if is_id("task", asked_id):
            found = self._task(account_id, asked_id)
        else:
            found = None if request_id is None else self._text(account_id, request_id)
        if found is None:
            raise RequestNotFoundError(NO_RECORD)
        return found

    def shown(self, account_id: str, asked_id: str) -> tuple[Found, RequestRecordView]:
        """Return a request and its record, for a member of its account. Raises as `find` does."""
        found = self.find(account_id, asked_id)
        return found, _record(found, self.member_of_keys(account_id))

    def _readable(self, key: ApiKey, asked_id: str) -> Found:
        found = self.find(key.account_id, asked_id)
        if Scope.ACCOUNT not in key.scopes and not _is_own(key, found.entry):
            raise RequestNotFoundError(NO_RECORD)
        return found

    def _task(self, account_id: str, task_id: str) -> Found | None:
        entries = self.activity.ledger.named(account_id, [charge_id(task_id)])
        task = self.activity.tasks.get(task_id) if entries else None
        return Found(entries[0], task) if entries else None

    def _text(self, account_id: str, request_id: str) -> Found | None:
        """Return a text request. A late charge has a separate entry, which tells more than the void."""
        ids = [text_entry_id(request_id), late_entry_id(request_id)]
        entries = {entry.kind: entry for entry in self.activity.ledger.named(account_id, ids)}
        entry = entries.get(EntryKind.TEXT) or entries.get(EntryKind.VOID)
        return None if entry is None else Found(entry)


def _is_own(key: ApiKey, entry: Entry) -> bool:
    """Return whether a request was sent with a key, or with a run token of that key."""
    return entry.key_id == key.listed_id if key.run is None else entry.token == key.token_id


def request_id_of(asked_id: str) -> str | None:
    """Return the id of the text request that an id names, its own or its response's; `None` for others."""
    for prefix in _ANSWER_PREFIXES:
        asked_id = asked_id.removeprefix(prefix)
    request_id = _REQUEST_PREFIX + asked_id.removeprefix(_REQUEST_PREFIX)
    return request_id if is_id("req", request_id) else None


def _record(found: Found, members: Mapping[str, str]) -> RequestRecordView:
    return record_of(found, members.get(found.entry.key_id or ""))
