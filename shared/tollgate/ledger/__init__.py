"""Money: the balance and the append-only ledger. Nothing else writes either."""
