"""Requests and responses in the other protocol: OpenAI's chat completions and Anthropic's messages. No I/O.

request_to_*.py, conversation_to_messages.py, answer_to_*.py   the translations
thinking.py       thinking that clients return unread; `call_state.py`, `message_state.py`: other state
tool_names.py     shorter names of tools, for providers with a lower limit than Anthropic
capabilities.py   fields that a model or a route refuses, and their removal; `schemas.py`: of JSON schemas
"""
