"""Providers of text."""
