"""Black Forest Labs, the vendor of FLUX (catalog.md, provider call shapes)."""
