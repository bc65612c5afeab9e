"""Probing: the length, image size, container and bytes of a customer's media, before the charge.

In: URLs of a customer's files. Out: the facts of each file (`facts.py`), or the reason why it cannot be
probed, which becomes a 400.

`service.py` is the API's side; `reader.py` and the modules below it run only in `probe_media`, which has no
permissions (docs/decisions/0009-files-of-customers.md).

service.py       calls `probe_media` for all files at once
recordings.py    the same for an uploaded recording, from the text function
facts.py         the result of a probe, as JSON between the two
reader.py        one file: its header, and the facts in it
remote.py        the file by HTTP ranges, within bounds
images.py        the size of an image, only from its header
declared_size.py the size that a file declares for itself
tracks.py        starts and ends the process that parses
child.py         the limits of such a process; seccomp.py: its allowed system calls
demuxer.py       that process: ffmpeg on a header; `page_counter.py`: the same for a document's pages
documents.py     the type of a document, from its first bytes
"""
