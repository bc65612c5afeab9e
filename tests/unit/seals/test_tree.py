"""Merkle trees: the published vectors, and the law that every entry's path leads to the root."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.seals import tree
from tollgate.seals.verification import canonical, root_from_path, root_of

# The inputs and roots that implementations of RFC 6962 test with, for example
# transparency-dev/merkle, `testonly/constants.go`.
INPUTS = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}
LEAVES = [sha256(b"\x00" + bytes.fromhex(one)).digest() for one in INPUTS]


@pytest.mark.parametrize(("count", "root"), ROOTS.items())
def test_published_roots(count: int, root: str) -> None:
    assert root_of(LEAVES[:count]).hex() == root


@given(count=st.integers(1, 70), data=st.data())
def test_a_path_through_blocks_leads_to_the_root_and_only_from_its_place(
    count: int, data: st.DataObject
) -> None:
    leaves = [sha256(str(number).encode()).digest() for number in range(count)]
    index = data.draw(st.integers(0, count - 1))
    other = data.draw(st.integers(-1, count))
    size = 4
    blocks = [leaves[first : first + size] for first in range(0, count, size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "BLOCK", size)
        path = tree.path_through(blocks[index // size], [root_of(block) for block in blocks], index)
    root = root_of(leaves)
    assert root_from_path(leaves[index], index, count, path) == root
    if other != index:
        assert root_from_path(leaves[index], other, count, path) != root
    assert root_from_path(leaves[index], index, count, [*path, root]) is None
    if path:
        assert root_from_path(leaves[index], index, count, path[:-1]) != root


def test_canonical_json_is_that_of_rfc_8785() -> None:
    # The examples of RFC 8785, 3.2.2 and 3.2.3, for the values that seals have.
    found = canonical({"€": '€$\u000f\nA\'B"\\\\"/', "1": True, "\r": None})
    assert found.decode() == '{"\\r":null,"1":true,"€":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
