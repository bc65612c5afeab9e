"""What a provider's own error codes mean for us, by table."""

from fnmatch import fnmatchcase

from tollgate.providers.runtime.base import Codes, Failed, Rejected, RejectionKind
from tollgate.providers.runtime.http import Reply, refused


def verdict(codes: Codes, code: str | None, message: str | None, reply: Reply) -> Rejected | Failed | None:
    """Return what `code` means, `None` where it is in no table.

    `message` is the provider's word for a customer; all of the answer is the operator's.
    """
    found = next((kind for pattern, kind in codes.items() if fnmatchcase(code or "", pattern)), None)
    if isinstance(found, RejectionKind):
        return refused(found, message)
    return None if found is None else Failed(found, reply.detail())
