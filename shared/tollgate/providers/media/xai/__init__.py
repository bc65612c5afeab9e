"""xAI's pictures and videos (providers.md §13); its text is in `openai_compatible`."""
