"""Fakes and servers that tests share."""
