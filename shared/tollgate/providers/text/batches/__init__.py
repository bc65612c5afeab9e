"""The vendors' batch APIs: a declaration of each over one common form (decision 0094).

files.py       the form of most: a file of lines, a batch of it, files of results
openai.py      OpenAI
google.py      Google's Gemini API
mistral.py     Mistral AI
xai.py         xAI
anthropic.py   Anthropic, whose batches have no files and no labels
known.py       the vendors with OpenAI's protocol, by their names
"""
