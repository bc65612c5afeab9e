"""kie.ai, a relay with one envelope for all its models (catalog.md, provider call shapes)."""
