"""Statistics: what an account used and spent, by day and by model, kept from the ledger's stream."""
