"""APIMart, a relay with Midjourney and Suno beside images and videos (catalog.md, provider call shapes)."""
