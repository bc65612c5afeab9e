"""One file per provider: its wire format and nothing else."""
