"""Thumbnails of results: a small image, a poster frame of a video, a waveform of a sound; each WebP, ≤ 40 KB.

In: the URL of a stored result. Out: an object beside it, of the name that `StoredFile.thumbnail_url` says.

`service.py` is the side with permissions; all others run in `draw_thumbnail`, which has none
(docs/decisions/0033-thumbnails.md).

service.py   has a thumbnail drawn, and stores it
drawn.py     what is drawn, as JSON between the two
drawer.py    one file: its bytes, and the process that decodes them
painter.py   that process: an image, frame or waveform as WebP
images.py    images, by Pillow, and how all are made small
frames.py    the poster frame of a video, by PyAV
waves.py     the waveform of a sound, by PyAV
"""
