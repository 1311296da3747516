"""What the words around a claim mean: months, units, counting words, and words that are no names."""

import re

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner janvier enero gennaio",
            "february feb februar février febrero febbraio",
            "march mar märz maerz mrz mars marzo",
            "april apr avril abril aprile",
            "may mai mayo maggio",
            "june jun juni juin junio giugno",
            "july jul juli juillet julio luglio",
            "august aug août agosto",
            "september sep sept septembre septiembre settembre",
            "october oct oktober okt octobre octubre ottobre",
            "november nov novembre noviembre",
            "december dec dezember dez décembre diciembre dicembre",
        ),
        1,
    )
    for name in names.split()
}

COUNTING = {
    word: number
    for words in (
        "two three four five six seven eight nine ten eleven twelve",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "deux trois quatre cinq six sept huit neuf dix onze douze",
    )
    for number, word in enumerate(words.split(), 2)
}

# A unit by what it is written as: its family, and how many of the family's smallest it is.
UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("mg",), ("mass", 1.0)),
    **dict.fromkeys(("g", "gram", "grams", "gramm"), ("mass", 1e3)),
    **dict.fromkeys(("kg", "kilogram", "kilograms", "kilo", "kilos", "kilogramm"), ("mass", 1e6)),
    **dict.fromkeys(("t", "ton", "tons", "tonne", "tonnes", "tonnen"), ("mass", 1e9)),
    **dict.fromkeys(("mm", "millimeter", "millimetre", "millimeters"), ("length", 1.0)),
    **dict.fromkeys(("cm", "centimeter", "zentimeter"), ("length", 10.0)),
    **dict.fromkeys(("m", "meter", "metre", "meters", "metres"), ("length", 1e3)),
    **dict.fromkeys(("km", "kilometer", "kilometre", "kilometers"), ("length", 1e6)),
    **dict.fromkeys(("ms",), ("time", 1.0)),
    **dict.fromkeys(("s", "sec", "second", "seconds", "sekunden"), ("time", 1e3)),
    **dict.fromkeys(("min", "minute", "minutes", "minuten"), ("time", 6e4)),
    **dict.fromkeys(("h", "hour", "hours", "stunde", "stunden"), ("time", 3.6e6)),
    **dict.fromkeys(("day", "days", "tag", "tage", "tagen", "jours"), ("time", 8.64e7)),
    **dict.fromkeys(("week", "weeks", "woche", "wochen"), ("time", 6.048e8)),
    **dict.fromkeys(("ml",), ("volume", 1.0)),
    **dict.fromkeys(("l", "liter", "litre", "liters", "litres"), ("volume", 1e3)),
    **dict.fromkeys(("€", "eur", "euro", "euros"), ("eur", 1.0)),
    **dict.fromkeys(("$", "usd", "dollar", "dollars"), ("usd", 1.0)),
    **dict.fromkeys(("£", "gbp", "pound", "pounds"), ("gbp", 1.0)),
    **dict.fromkeys(("chf", "franken", "francs"), ("chf", 1.0)),
}
SCALES = {
    **dict.fromkeys(("k", "thousand", "tsd", "tausend"), 1e3),
    **dict.fromkeys(("m", "million", "millions", "mio", "millionen"), 1e6),
    **dict.fromkeys(("bn", "billion", "billions", "mrd", "milliarden"), 1e9),
}
PERCENT = frozenset({"%", "percent", "prozent", "pct"})


def cue(words: str) -> re.Pattern[str]:
    """A pattern for any of these words, in any case."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(words.split())})(?!\w)", re.IGNORECASE)


ABOUT = cue(
    r"about around approximately roughly approx\.? circa ca\.? some nearly almost rund etwa ungefähr fast knapp ~ ≈ environ"
)
ABOVE = cue(r"over above exceeding more.than greater.than at.least über mehr.als mindestens plus.de")
BELOW = cue(r"under below less.than fewer.than at.most unter weniger.als höchstens moins.de")
# What numbers a row or a line: "id 7", "line 12", `app.py:12`, `app.py:12-20`.
NUMBERED = re.compile(
    r"(?:(?:#|\b(?:id|ids|pk|no\.?|nr\.?|number|nummer|row|zeile|lines?))\W{0,3}|[A-Za-z_.]:(?:\d+[-\u2013])?)$",
    re.IGNORECASE,
)
# A line that says how much a list leaves out.
REST = re.compile(
    r"\W*(?:(?:and|und)\s+)?\d[\d.,]*\s+(?:more|further|earlier|others?|weitere[nrs]?|andere[nrs]?)\b", re.IGNORECASE
)
LABELS = tuple(
    "page step option version chapter section figure table level phase part seite schritt punkt teil abschnitt".split()
)
LABELLED = re.compile(rf"(?:\b(?:{'|'.join(LABELS)}))\s$", re.IGNORECASE)
# A sentence with one of these speaks of more rows than the one it names.
BROAD = cue(
    r"others? rest remaining followed than overall all average total while whereas versus vs\.? compared between next "
    r"andere[nrs]? übrigen restlichen gesamt insgesamt gefolgt als während durchschnitt\w* alle[nr]? together zusammen out.of of"
)
LACKING = cue(r"no without missing none lacks? kein\w* ohne fehlt fehlen unset empty")
DIFFERENCE = cue(
    r"more less fewer higher lower difference gap ahead apart cheaper dearer heavier lighter longer shorter later "
    r"earlier than mehr weniger höher niedriger unterschied differenz abstand vorsprung als increase decrease rise drop "
    r"exceeds? behind between"
)
DAYS = cue(r"days? weeks? tag\w* wochen?")

GERMAN = cue(r"der die das und ist sind nicht mit von den dem ein eine wurde wurden gibt es im hat haben auf für")
ENGLISH = cue(r"the and is are not with of to a an there was were in has have on for by")

# Words that open a sentence or a label without naming anything.
PLAIN = frozenset(
    """
    a about above according across additionally after all also altogether although among an and another any anything are as
    at average based because before below besides best between both but by can cheapest count currently data date dates
    details during each earliest either every everything few fewer finally first for found four from further given
    had has have he heaviest hello her here hers hi highest his how however i if in instead is it item items its largest
    last later latest least less lightest list longest lowest many matching may maybe mean median more most moreover my name
    names neither newest next no nobody none nor not note nothing now number oldest on once one only or other others otherwise our
    out over overall overview part per perhaps please quantity rank remaining result results row rows same second see several she
    shortest since six smallest so some sorry source status still sum summary ten that the their them then there these they
    third this those three thus to together total totals two type under unfortunately unit units until up value values was we
    were what when where which while who whose why will with within without would yes yet you your answer hint important warning
    again today yesterday tomorrow cost costs price prices amount amounts worst top please unknown active inactive open closed
    neither nevertheless apart sure certainly okay ok great good only despite except following left right recent recently
    nr pos anzahl summe gesamt durchschnitt insgesamt aber alle allerdings als also am an andere auch auf aus außerdem bei beide
    bis bitte bislang da dabei dafür damit danach daneben dann daraus das davon dazu dem den denn der deren des deshalb die dies
    diese dieser dieses doch dort drei durch ein eine einen einer eines er erst es etwa fast folgende für gefunden genau gibt hier
    ich ihr im immer in insgesamt ist ja jede jeder jedes jedoch kein keine können laut leider mehr mein mit nach nein nicht noch
    nun nur ob oder ohne quelle rund seit sie sind so sowie teuerste um und uns unter viele vier vom von vor war was weil weiter
    weitere welche wenn wer wie wir wird wo wurde zu zudem zum zur zusammen zuletzt zunächst zwei zwischen hinweis ergebnis
    bestand größte kleinste höchste niedrigste neueste älteste derzeit aktuell heute gestern morgen übrigens nächste letzte
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag
    english german french sql graphql api csv json url pdf python django utc eur usd gbp chf id ids kg mm euro euros dollar
    millionen prozent stück mio mrd tage wochen monate jahre ende anfang mitte uhr herr frau
    le la les il elle des du un une en dans avec pour sur et ou voici aucun el los las hay
    """.split()
)
VERBS = frozenset(
    """has is was had holds costs cost weighs leads needs uses contains comes ships supplies provides runs ends starts began
    ended stands makes lists shows wrote changed owns and with follows ranks tops delivers remains hat ist war kostet wiegt
    führt liefert enthält benötigt liegt steht endet beginnt kommt""".split()
)


def stem(word: str) -> str:
    """A word without case and without the endings of plurals."""
    low = word.lower()
    if low.endswith("ies") and len(low) > 4:
        return low[:-3] + "y"
    for ending in ("es", "en", "s", "n", "e"):
        if low.endswith(ending) and len(low) - len(ending) >= 3:
            return low[: -len(ending)]
    return low
