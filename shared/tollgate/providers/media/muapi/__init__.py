"""MuAPI, a reseller of many models (catalog.md)."""
