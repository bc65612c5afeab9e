"""Results in our own storage: what may be stored, and copying it there."""
