"""MuAPI's own words. Sources: docs/providers/muapi.md; public clients of it (paths, statuses, `outputs`)."""

WAITING = frozenset({"pending", "queued", "processing", "starting"})
COMPLETED = "completed"
FAILED = frozenset({"failed", "timeout", "canceled", "cancelled"})
