"""PiAPI, a relay with one task API for all its models (providers.md §14b)."""
