"""Providers: one folder each (client, media, facts), behind one protocol."""
