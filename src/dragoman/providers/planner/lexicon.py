"""General English the planner knows by heart; every other word must be found in the schema, its texts or its rows."""

# Words that carry no condition. A question may hold any number of them.
FUNCTION = frozenset(
    """a an the of in on at to for from by with within into onto and or but as is are was were be been being am do does
    did doing done has have had having will would can could should may might must shall that which who whom whose what
    where when how many much me i we us our ours you your it its they them their theirs he she his her him this these
    those there here than then so just only also too currently now today any some all every everything each per please kindly
    tell show list give find get display see know want need like look fetch print name named called about
    whether if one ones anybody anyone somebody someone nobody anything thing things exist exists existing let lets could hey hi hello ok okay well right actually
    still already yet both either such same other overall altogether across among between through via out up
    s t re ve ll d m dont doesnt isnt arent whats whos yes sure thanks thank total""".split()
) - {"total", "done", "other", "same"}

# Verbs that only say that two things go together, and nouns for "one of these".
RELATING = frozenset(
    """contain contains containing contained use uses used using include includes including included consist consists
    consisting made make makes making belong belongs belonging involve involves involving involved hold holds holding
    carry carries carrying relate relates related relating concern concerning associate associated connect connected
    link linked attached go goes going come comes coming take takes get gets got require requires required requiring
    build built feature features featuring appear appears regarding stand stands
    sit sits sitting based located situated stuck waiting worth cause causes caused causing happen happens happened occur
    occurs occurred entry entries record records row rows item items data database information info details overview kind kinds
    type types sort different distinct various individual particular specific certain""".split()
)

# Those that ask with what a thing has to do: "what does X use?"
DEALING = frozenset(
    "contain contains use uses include includes consist consists involve involves hold holds require requires".split()
)

ASKING = frozenset("which what who whom whose where when how list show find give tell get display name fetch".split())
ASKED_BEFORE = frozenset("the their its his her whose with which what show me".split())  # a field after them is wanted
DETAILS = frozenset("show tell describe details about information info overview".split())
COUNTING = frozenset({("how", "many"), ("number", "of"), ("count", "of"), ("count",), ("amount", "of")})
PREPOSITIONS = frozenset(
    "of in on at for from by with within containing contain contains using use uses used per into to that including"
    " include having have has without via through whose".split()
)
GROUPING = frozenset("per each every by".split())
NEGATIONS = frozenset("not no without except excluding non never isn isnt aren arent doesn dont neither nor un".split())
PRONOUNS = frozenset("they them their theirs those these it its he she his her him ones one same".split())
OWN = frozenset("my mine myself".split())
REASONS = frozenset("why because should predict forecast recommend suggest explain".split())
GREETINGS = frozenset("hi hello hey greetings morning afternoon evening welcome".split())
THANKS = frozenset("thanks thank thx cheers great perfect cool ok okay bye goodbye nice".split())

MISSPELT = {
    "wich": "which", "whcih": "which", "waht": "what", "wat": "what", "hwo": "how", "whos": "who is", "teh": "the",
    "shwo": "show", "lsit": "list", "mnay": "many",
}  # fmt: skip
BREAKING_DOWN = frozenset("break broken breakdown down split grouped group".split())  # "break the rows down by ..."
ENDING = frozenset("expire expires expired expiring expiry expiration".split())  # of a date that is called "until"
PERSONS = frozenset("who anybody anyone somebody someone nobody people".split())
COMPOUNDS = frozenset("address value figure level amount".split())  # after the name of a field they add nothing
FILLERS = frozenset("longer anymore".split())  # in "no longer"; a comparison has been read before

# What an adjective measures, and in which direction: the kinds are those of units, see amounts.KINDS.
ADJECTIVES: dict[str, tuple[str, int]] = {
    "heavy": ("heavy", 1),
    "light": ("heavy", -1),
    "expensive": ("money", 1),
    "pricey": ("money", 1),
    "costly": ("money", 1),
    "dear": ("money", 1),
    "cheap": ("money", -1),
    "inexpensive": ("money", -1),
    "long": ("long", 1),
    "short": ("long", -1),
    "tall": ("length", 1),
    "wide": ("length", 1),
    "hot": ("warm", 1),
    "warm": ("warm", 1),
    "cold": ("warm", -1),
    "new": ("date", 1),
    "recent": ("date", 1),
    "late": ("date", 1),
    "young": ("date", 1),
    "old": ("date", -1),
    "early": ("date", -1),
    "big": ("", 1),
    "large": ("", 1),
    "great": ("", 1),
    "high": ("", 1),
    "good": ("", 1),
    "low": ("", -1),
    "small": ("", -1),
    "little": ("", -1),
    "bad": ("", -1),
}
IRREGULAR_DEGREES = {
    "most": ("", 1),
    "least": ("", -1),
    "fewest": ("", -1),
    "best": ("", 1),
    "worst": ("", -1),
    "top": ("", 1),
    "bottom": ("", -1),
    "latest": ("date", 1),
    "last": ("date", 1),
    "first": ("date", -1),
    "priciest": ("money", 1),
}
VERBS_OF_KINDS = {"weigh": "heavy", "weighs": "heavy", "weighing": "heavy", "lasts": "lasting"}

MEASURES = {
    "total": "sum",
    "sum": "sum",
    "altogether": "sum",
    "combined": "sum",
    "average": "avg",
    "avg": "avg",
    "mean": "avg",
    "typical": "avg",
    "maximum": "max",
    "max": "max",
    "minimum": "min",
    "min": "min",
}

MORE = frozenset("over above exceeding exceed exceeds beyond upwards".split())
LESS = frozenset("under below fewer".split())

# Verbs that ask for a change, each with the first words mutations of that sense have.
CHANGES: dict[str, tuple[str, ...]] = {
    "set": ("update", "set", "change", "edit"),
    "change": ("update", "change", "set", "edit"),
    "update": ("update", "change", "set", "edit"),
    "edit": ("update", "edit"),
    "modify": ("update", "modify"),
    "rename": ("update", "rename"),
    "add": ("create", "add"),
    "create": ("create", "add"),
    "register": ("create", "register", "add"),
    "record": ("create", "record", "add"),
    "delete": ("delete", "remove"),
    "remove": ("delete", "remove"),
    "erase": ("delete", "remove"),
}

# Words that say a date has gone by and the thing is still open; what such a date and such an end are called in general.
OVERDUE = frozenset("overdue late delayed".split())
DUE_WORDS = frozenset("due deadline until expires expiry expected target end".split())
OPEN_ENDS = frozenset("done closed finished complete ended paid over cancelled canceled".split())


def degree(word: str) -> tuple[str, int, str] | None:
    """What a graded adjective measures: (kind, direction, "est" | "er" | "base"), or None."""
    if word in IRREGULAR_DEGREES:
        return (*IRREGULAR_DEGREES[word], "est")
    if word in ADJECTIVES:
        return (*ADJECTIVES[word], "base")
    for ending in ("est", "er"):
        if word.endswith(ending):
            bare = word[: -len(ending)]
            for adjective in (bare, bare + "e", bare[:-1] + "y" if bare.endswith("i") else "", bare[:-1]):
                if adjective in ADJECTIVES:
                    return (*ADJECTIVES[adjective], ending)
    return None
