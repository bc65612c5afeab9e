"""Replicate, a platform of models under one API (providers.md §2)."""
