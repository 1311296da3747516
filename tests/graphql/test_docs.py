"""The page about the tools knows every tool, argument, lookup and measure there is."""

from pathlib import Path

import pytest

from dragoman.graphql.aggregate import FUNCTIONS
from dragoman.graphql.compute import LOOKUPS
from dragoman.graphql.describe import PARTS
from dragoman.graphql.tools import definitions

TOOLS = definitions([])


@pytest.mark.parametrize(
    "word",
    [
        *(tool.name for tool in TOOLS),
        *(name for tool in TOOLS for name in tool.parameters["properties"]),
        *LOOKUPS,
        *FUNCTIONS,
        *PARTS,
        "chat_exposed",
        "chat_search_fields",
        "chat_name_fields",
        "value_search",
    ],
)
def test_the_page_about_the_tools_tells_of(word: str, root: Path) -> None:
    assert word in (root / "docs" / "tools.md").read_text(), f"docs/tools.md should say what {word} is."
