"""The law: a shortened name is valid for every provider, and leads back to the client's own name."""

from hypothesis import given
from hypothesis import strategies as st

from tollgate.text.translation.tool_names import MAX_NAME_CHARACTERS, names_by_short, short_name

NAMES = st.text("ab_-9", min_size=1, max_size=128)


@given(st.lists(NAMES, max_size=5, unique=True))
def test_each_short_name_leads_back(names: list[str]) -> None:
    back = names_by_short({"tools": [{"name": name} for name in names]})
    shorts = [short_name(name) for name in names]
    assert [back.get(short, short) for short in shorts] == names
    assert all(len(short) <= MAX_NAME_CHARACTERS for short in shorts)
    assert len(back) == sum(len(name) > MAX_NAME_CHARACTERS for name in names)
