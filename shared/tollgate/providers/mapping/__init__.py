"""Mappings: a checked input in a provider's fields.

Pure: values in; a body out, or the mapper's refusal if the provider does not support something.

fields.py       fields by table: renamed, required, by variant; `targets.py`: bounded, translated, left out
frames.py       images by role; `images.py`, `keyframes.py`, `content.py`: other formats for the same
pixels.py       ratio and tier as pixels; `gpt_image.py`: the sizes of GPT Image
midjourney.py   flags in the prompt; `suno.py`: actions of music
grok.py         Grok at all providers; `flux.py`: FLUX; `kling_4.py`: Kling 4.0
hunyuan.py      Hunyuan 3D
reading.py      reads a provider's JSON, which may have any shape
outputs.py      text and data as results; `inline.py`: files inside an answer
"""
