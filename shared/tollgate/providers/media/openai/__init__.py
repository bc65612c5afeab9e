"""OpenAI's pictures (providers.md §3); its text is in `openai_compatible`."""
