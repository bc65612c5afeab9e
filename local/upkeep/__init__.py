"""Programs that keep the repository's words and generated text in order.

prose.py        counts awkward sentences; `prose_files.py`: the text that it counts
languages.py    the catalogs of the pages' texts; `language_tables.py`: the texts of tables
architecture.py draws the diagram; `provider_table.py` and `template_index.py`: other generated text
audit.py        secrets and vulnerabilities
newest.py       the newest versions of others' clients
"""
