"""One file per provider, which contains only its wire format."""
