"""PixVerse's platform: its own videos (providers.md §11)."""
