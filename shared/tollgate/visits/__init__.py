"""Visits: a test of the service from outside, like a customer. It uses no table and no other package.

    address, key ─► page ─► chat, streamed ─► image, from create to the deleted file ─► failed steps

The reason for a customer instead of probes of parts: docs/decisions/0047-visits.md.

visitor.py   the steps, their tries and their bounds
"""
