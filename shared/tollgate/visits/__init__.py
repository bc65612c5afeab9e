"""Visits: the service from outside, as a customer finds it. Nothing in here knows a table or another package.

    address, key ─► page ─► chat, streamed ─► image, from create to the deleted file ─► what failed

Why it is a customer and no probe of parts: docs/decisions/0047-visits.md.

visitor.py   the steps, their tries and their bounds
"""
