"""Counts what goes wrong with providers, for media and text alike."""

from tollgate.kit.observability import emit


def report_error(provider: str, *, is_ours: bool) -> None:
    """Count a failed call; one that is about our own account there (`is_ours`) also rings an alarm."""
    emit({"ProviderErrors": 1}, provider=provider)
    if is_ours:
        emit({"ProviderAccountErrors": 1})
