"""BFL's own words.

Sources: docs/providers/bfl.md; BFL's OpenAPI document and its pages "Get Result" and "FLUX 3
Video" as public repositories quote them (statuses, fields).
"""

# Jobs are asked for at a cluster's own host, such as api.eu1.bfl.ai.
DOMAIN = ".bfl.ai"

WAITING = frozenset({"Pending", "Processing", "Reasoning", "Generating"})
READY = "Ready"
# Ends without a file; a task is not found any more after its result's time is over.
FAILED = frozenset({"Error", "Failed", "Task not found"})
# In `details` of a moderated job: an array of words.
REASONS = "Moderation Reasons"
# The prompt or an image of the request; the result.
MODERATED = frozenset({"Request Moderated", "Content Moderated"})

RESOLUTIONS = {"720p": "hd", "1080p": "fhd"}
