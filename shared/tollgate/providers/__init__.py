"""Providers: one folder each (client, media, facts), behind one protocol.

In: a job, which is a checked input with a route. Out: one of the outcomes of `runtime/outcomes.py`; an
adapter never raises for what a provider does. What we know of each wire: docs/providers/README.md.

runtime/   finding providers, asking them, choosing between them
mapping/   a checked input in a provider's fields; shared by several
media/     one folder each: declaration, facts, mappings, adapter
text/      one folder for each protocol that is spoken
"""
