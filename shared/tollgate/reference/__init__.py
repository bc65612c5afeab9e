"""The reference: OpenAPI, the docs and a text for language models, all generated from one document.

operations.yaml   every route, in a short notation
schemas.yaml      the schemas of requests, and of responses in other protocols
answers.py        the schemas of Tollgate's responses, from the code's types
errors.py         every error that customers can receive, from all packages
document.py       OpenAPI 3.1 from all of these and the catalog
generations.py    the catalog's part of the document: the create body of each model, with an example
site.py           the docs: Markdown from the templates in site/; markup.py converts it to HTML
guides.py         the pages that people write: order, links, advice of the errors page
examples.py       programs in the docs; audio_examples.py, media_examples.py: parts
                  of them; snippets.py: code on pages
prices.py         the prices of models; calculator.py: the cost of an input
clients.py        the packages of Tollgate's clients at /clients
previews.py       the images that previews of links show; preview_store.py: their files
pages.py          all of it, rendered once per catalog; views.py describes schemas in words
"""

from pathlib import Path

HERE = Path(__file__).parent
