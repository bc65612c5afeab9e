"""fal.ai's queue API (providers.md §1)."""
