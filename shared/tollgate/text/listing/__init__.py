"""Public descriptions of text models.

views.py          its public form; `listed.py`: its input, output and parameters
endpoints.py      its routes in OpenRouter's form
"""
