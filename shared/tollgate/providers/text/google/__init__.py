"""Google's own protocol of the Gemini API, for chat models that answer with images.

Only its usage counts the tokens of images. Google's other text models have OpenAI's protocol
(`providers/text/openai_compatible/`), with the same key.

facts.py     Google's names and codes
request.py   a chat as a request to `generateContent`
answer.py    its responses as chat completions, complete and streamed
text.py      one request
"""
