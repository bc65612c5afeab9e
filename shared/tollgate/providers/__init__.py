"""Providers: one folder each (client, media, facts), behind one protocol.

In: a job, which is a checked input with a route. Out: an outcome of `runtime/outcomes.py`; an adapter never
raises for a provider's behaviour. The facts of each wire format: docs/providers/README.md.

runtime/   finds, calls and orders the providers
mapping/   a checked input in a provider's fields; shared by several providers
media/     one folder each: declaration, facts, mappings, adapter
text/      one folder for each protocol of a text provider
"""
