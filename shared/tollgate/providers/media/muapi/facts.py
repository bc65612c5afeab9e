"""MuAPI's names and codes. Sources: docs/providers/muapi.md; public clients (paths, statuses, `outputs`)."""

WAITING = frozenset({"pending", "queued", "processing", "starting"})
COMPLETED = "completed"
FAILED = frozenset({"failed", "timeout", "canceled", "cancelled"})
