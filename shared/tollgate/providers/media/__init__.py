"""Media providers: one folder each."""
