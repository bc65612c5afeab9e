"""Results in our own storage: what may be stored, and copying it there.

In: a result's URL at a provider, or a data URI of a request. Out: an object in our bucket and what it is
by its bytes.

store.py          copies results, part by part: memory stays flat
models.py         a stored file
sniff.py          what a file is, by its first bytes
completeness.py   whether a file goes on to its own end
inputs.py         data URIs of a request; `uploads.py`: files that customers sent before it
files.py          uploads and their end, with their lines in the audit log
presence.py       whether an object is stored
results.py        stored results: their bytes, for answers that carry them, and their end
"""
