"""Tollgate: one API key and one prepaid balance for media generation and text models."""
