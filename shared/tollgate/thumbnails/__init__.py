"""Thumbnails of results: a small image, a poster frame of a video, a waveform of a sound; each WebP, ≤ 40 KB.

In: the URL of a stored result. Out: an object beside it, with the name from `StoredFile.thumbnail_url`.

`service.py` is the side with permissions; all other modules run in `draw_thumbnail`, which has none
(docs/decisions/0009-files-of-customers.md).

service.py   calls `draw_thumbnail`, and stores the result
response.py  the response of `draw_thumbnail`, as JSON
generator.py one file: its bytes, and the process that decodes them
renderer.py  that process: an image, frame or waveform as WebP
images.py    images, by Pillow, and how all thumbnails are scaled
frames.py    the poster frame of a video, by PyAV
waveform.py  the waveform of a sound, by PyAV
"""
