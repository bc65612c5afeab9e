"""Amazon Bedrock's Converse API: a reserve route for Claude. It has no key: the function's role signs.

The wire maps to and from Anthropic's messages, so that everything beyond it is one path (style 15).
"""
