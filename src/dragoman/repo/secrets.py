"""Mask what looks like a secret in a text: keys, tokens, private keys, passwords. Ordinary code stays as it is.

A line keeps its place, so line numbers hold; what is masked reads [masked].
"""

import re
from dataclasses import dataclass

MASKED = "[masked]"

# Tokens known by their beginnings. Each is long enough, or mixed enough, that no identifier looks like it.
_TOKENS = re.compile(
    r"\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{40,}|\bgl(?:pat|ptt|dt|rt|cbt|ft|soat)-[\w-]{20,}"
    r"|\bxox[abeoprs]-[\w-]{10,}|\bxapp-\d-[\w-]{20,}|\bhooks\.slack\.com/services/[\w/]{20,}"
    r"|\bsk-(?:ant|proj|or|svcacct|admin)-(?=[\w-]{0,100}\d)[\w-]{20,}|\bsk-(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{24,}"
    r"|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/=]{16,}"
    r"|\bAIza[\w-]{35}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}"
    r"|\bnpm_[A-Za-z0-9]{36}|\bpypi-(?=[\w-]{0,100}\d)[\w-]{40,}|\bhf_[A-Za-z0-9]{30,}|\bdop_v1_[0-9a-f]{40,}"
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bSK[0-9a-f]{32}\b|\bAGE-SECRET-KEY-1[0-9A-Z]{50,}"
    r"|\beyJ[\w-]{8,4000}+\.eyJ[\w-]{8,4000}+\.[\w-]{8,}"
)

# What may stand for a value that is filled in later: $NAME, ${NAME}, {{ name }}, %(name)s, <name>, ***.
_FILLED_IN = re.compile(r"[$<{*]|%[({sA-Z]|x{4,}\b|\.\.\.|\[masked\]|(?i:your[-_]|change[-_]?me|example)")

_URL = re.compile(r"(\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@'\"<>]*:)([^\s/@'\"<>]+)(?=@)", re.IGNORECASE)
_HEADER = re.compile(
    r"(\bauthorization\b[\"']?\s*[:=,]\s*[\"']?(?:bearer|basic|token)\s+)([\w.~+/=-]{12,})", re.IGNORECASE
)
_NPM = re.compile(r"((?:^|[\s:/])_(?:authToken|auth|password)\s*=\s*[\"']?)([^\s\"']{6,})")
_NETRC = re.compile(r"(\bmachine\s+\S+\s+login\s+\S+\s+(?:account\s+\S+\s+)?password\s+)(\S+)")
_CONNECTION = re.compile(r"(\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=)([^;\s\"']{16,})", re.IGNORECASE)
_CONNECTION_PASSWORD = re.compile(r"(;\s*(?:password|pwd)=)([^;\s\"']{3,})", re.IGNORECASE)

_WORD = (
    r"(?:pass(?:word|wd|phrase)|pwd|secret(?:[_-]?(?:key|access[_-]?key))?|token|api[_-]?key|access[_-]?key(?:[_-]?id)?"
    r"|(?:private|signing|encryption|auth)[_-]?key|client[_-]?secret|credentials?)\d*"
)
# name = "value", name: 'value', "name" => `value`; the name ends with the word, so token_url is none.
_QUOTED = re.compile(
    rf"((?<![A-Za-z]){_WORD}[\"'\]]*\s*(?::=|=>|[:=])\s*[bru]?)([\"'`])([^\"'`\s]+)(?=\2)",
    re.IGNORECASE,
)
_CAMEL = re.compile(
    r"(\b\w*(?:Password|Passphrase|Secret|SecretKey|Token|ApiKey|AccessKey|PrivateKey|ClientSecret)[\"'\]]*\s*(?::=|=>|[:=])\s*)([\"'`])([^\"'`\s]+)(?=\2)"
)
# NAME=value of an .env file or a shell, and name = value, name: value of an .ini or .yaml file, to the end of the line.
_BARE = re.compile(
    rf"(^[+\- ]?\s*(?:export\s+|ENV\s+|-\s+)?(?:[\w.-]*[_.-])?{_WORD}\s*[=:]\s*)([^\s\"'`]+)(?=\s*(?:#.*)?$)",
    re.IGNORECASE,
)

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_WHOLE = re.compile(rf"{_BEGIN.pattern}(?:\\[rn]|[A-Za-z0-9+/=:,\s]|-(?!----))+?{_END.pattern}")
# A line of a key's body, maybe quoted, commented out or part of a diff, with the few headers that may stand before it.
_BODY = re.compile(
    r"^[+\- ]?[\s\"'#*/>|]*+(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]+={1,2}|=[A-Za-z0-9+/]{4}|(?:Proc-Type|DEK-Info|Version|Comment):.*"
    r"|)(?:\\[rn])*[\s\"',+\\);]*$"
)
_SHORT_BODY = re.compile(r"^[+\- ]?[\s\"'#*/>|]*+[A-Za-z0-9+/]{1,64}={0,2}(?:\\[rn])*[\s\"',+\\]*$")

# Without one of these there is nothing to look for; most lines of a program have none.
_HINT = re.compile(
    r"pass|pwd|secret|token|key|credential|auth|://|-----|machine\s|AKIA|ASIA|AROA|AIDA|gh[pousr]_|github_pat_|gl\w+-|xox|xapp-"
    r"|hooks\.slack|sk-|[rs]k_|whsec_|AIza|ya29|GOCSPX|npm_|pypi-|hf_|dop_v1_|SG\.|SK[0-9a-f]|AGE-|eyJ",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Masker:
    """Masks a text line by line; `inside` says that a private key began above, `counted` that it was counted."""

    inside: bool = False
    counted: bool = False

    def line(self, text: str) -> tuple[str, int]:
        """The line without its secrets, and how many there were; a private key counts once."""
        if self.inside:
            if end := _END.search(text):
                self.inside = False
                return MASKED + text[end.end() :], 0
            if not text.strip():
                return text, 0
            if _BODY.match(text) or _SHORT_BODY.match(text):
                fresh, self.counted = not self.counted, True
                return MASKED, int(fresh)
            self.inside = False
        if not _HINT.search(text):
            return text, 0
        text, count = _WHOLE.subn(MASKED, text)
        if begin := _BEGIN.search(text):
            rest = text[begin.end() :]
            # A program that names the mark, as this one does, goes on with something else than a key.
            if re.match(r"(?:\\[rn])*[\s\"',+\\(]*$", rest):
                self.inside, self.counted = True, False
        for pattern in (
            _TOKENS,
            _URL,
            _HEADER,
            _NPM,
            _NETRC,
            _CONNECTION,
            _CONNECTION_PASSWORD,
            _QUOTED,
            _CAMEL,
            _BARE,
        ):
            text, masked = _without(pattern, text)
            count += masked
        return text, count


def mask(text: str) -> tuple[str, int]:
    """The text with its secrets masked, and how many there were."""
    if not _HINT.search(text):
        return text, 0
    masker, count, lines = Masker(), 0, []
    for line in text.split("\n"):
        masked, found = masker.line(line)
        lines.append(masked)
        count += found
    return "\n".join(lines), count


def _without(pattern: re.Pattern[str], text: str) -> tuple[str, int]:
    count = 0

    def replaced(found: re.Match[str]) -> str:
        nonlocal count
        groups = found.groups()
        value = groups[-1] if groups else found.group()
        if groups and (_FILLED_IN.match(value) or not _DOUBTFUL.get(pattern, _always)(value)):
            return found.group()
        count += 1
        return found.group()[: len(found.group()) - len(value)] + MASKED

    return pattern.sub(replaced, text), count


def _always(value: str) -> bool:
    return True


def _likely(value: str) -> bool:
    """A quoted value that is no word, name, path or address: letters mixed with digits or signs."""
    if len(value) < 6 or re.fullmatch(r"[A-Za-z]+(?:[ _.:/-][A-Za-z]+)*|\d+(?:\.\d+)*|(?:\.{0,2}/|https?:).*", value):
        return False
    return bool(re.search(r"[A-Za-z]", value)) and bool(re.search(r"[\d!@#^&*?+=]", value)) and "(" not in value


def _random(value: str) -> bool:
    """A bare value that nobody would take for a name or an expression."""
    if not re.fullmatch(r"[\w+/=!@#%^&*?~.:-]{8,}", value) or re.fullmatch(
        r"(?:[A-Za-z_]\w*)(?:\.[A-Za-z_]\w*)+", value
    ):
        return False
    kinds = sum(bool(re.search(kind, value)) for kind in (r"[a-z]", r"[A-Z]", r"\d", r"[+/=!@#%^&*?~]"))
    return kinds >= 3 or (kinds == 2 and len(value) >= 20 and len(re.findall(r"\d", value)) >= 4)


_DOUBTFUL = {_QUOTED: _likely, _CAMEL: _likely, _BARE: _random}
