"""Artifacts: results and customers' files in Tollgate's own storage.

In: a result's URL at a provider, a data URI in a request, or a customer's upload. Out: an object in the
bucket, and its type, which its bytes show.

store.py          copies results part by part, with constant memory
models.py         a stored file
sniff.py          the type of a file, from its first bytes
completeness.py   checks that a file is not cut off
inputs.py         data URIs in a request; `uploads.py`: files uploaded before it
deletions.py      tombstones of deleted uploads, whose forms are still valid
files.py          uploads and their deletion, with the audit log
uploaded.py       uploaded files in the shapes of OpenAI's and Anthropic's SDKs
prompt_files.py   uploaded files for prompts, read without an SDK
presence.py       whether an object is stored
results.py        stored results: reads and deletes their files
"""
