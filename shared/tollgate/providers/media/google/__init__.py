"""Google's pictures and videos on the Gemini API (providers.md §5); its text is in `openai_compatible`."""
