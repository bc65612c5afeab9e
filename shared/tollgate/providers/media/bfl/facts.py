"""BFL's names and codes.

Sources: docs/providers/bfl.md; BFL's OpenAPI document and its pages "Get Result" and "FLUX 3 Video", quoted
in public repositories (statuses, fields).
"""

from decimal import Decimal

# Jobs are polled at a cluster's own host, such as api.eu1.bfl.ai.
DOMAIN = ".bfl.ai"

WAITING = frozenset({"Pending", "Processing", "Reasoning", "Generating"})
READY = "Ready"
# `cost` is in credits of one cent.
CREDIT_USD = Decimal("0.01")
# States without a file. A task is no longer found after its result expires.
FAILED = frozenset({"Error", "Failed", "Task not found"})
# In `details` of a moderated job: an array of texts.
REASONS = "Moderation Reasons"
# Moderation of the prompt or an image in the request, and of the result.
MODERATED = frozenset({"Request Moderated", "Content Moderated"})

RESOLUTIONS = {"720p": "hd", "1080p": "fhd"}
