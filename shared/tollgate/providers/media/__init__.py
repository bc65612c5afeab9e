"""Providers of media: one folder each."""
