"""The countries we trade with: code, name, region, and whether goods cross no customs border."""

_ROWS = [
    ("AT", "Austria", "Europe", True),
    ("BE", "Belgium", "Europe", True),
    ("CA", "Canada", "North America", False),
    ("CH", "Switzerland", "Europe", False),
    ("CZ", "Czechia", "Europe", True),
    ("DE", "Germany", "Europe", True),
    ("DK", "Denmark", "Europe", True),
    ("ES", "Spain", "Europe", True),
    ("FI", "Finland", "Europe", True),
    ("FR", "France", "Europe", True),
    ("GB", "United Kingdom", "Europe", False),
    ("IN", "India", "Asia", False),
    ("IT", "Italy", "Europe", True),
    ("JP", "Japan", "Asia", False),
    ("KR", "South Korea", "Asia", False),
    ("NL", "Netherlands", "Europe", True),
    ("NO", "Norway", "Europe", False),
    ("PL", "Poland", "Europe", True),
    ("PT", "Portugal", "Europe", True),
    ("SE", "Sweden", "Europe", True),
    ("TR", "Turkey", "Asia", False),
    ("US", "United States", "North America", False),
]

COUNTRIES: list[dict[str, object]] = [
    {"code": code, "name": name, "region": region, "in_customs_union": union} for code, name, region, union in _ROWS
]
