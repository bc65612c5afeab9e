"""Customers: the account, its API keys, who is calling."""
