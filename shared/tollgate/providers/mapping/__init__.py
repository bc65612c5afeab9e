"""How a checked input is said in a provider's fields.

Pure: values in, a body out, or the mapper's own refusal where a provider has no word for something.

fields.py       fields by table: renamed, required, by variant; `targets.py`: bounded, translated, left out
frames.py       images by role; `images.py`, `keyframes.py`, `content.py`: other shapes of the same
pixels.py       ratio and tier as pixels; `gpt_image.py`: those of GPT Image
midjourney.py   flags in the prompt; `suno.py`: actions of music; `grok.py`, `flux.py`: Grok and FLUX anywhere
reading.py      a provider's JSON, of which nothing is certain
outputs.py      words and data as results; `inline.py`: files inside an answer
"""
