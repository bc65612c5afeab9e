"""Top-ups: a customer pays on Stripe's own page, and the signed event of it puts the money on the account."""
