"""How a checked input is said in a provider's fields."""
