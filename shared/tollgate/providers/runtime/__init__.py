"""How providers are found, asked and chosen."""
