"""dragoman.toml of one repository: which model answers, what is left out of the index, where its forge is.

The file is optional and holds no secret, only the names of variables that do. It travels with the repository, so what
would send a key or a question to a place it names counts only once the person at this machine has said yes to it.
"""

import difflib
import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dragoman.harness.errors import ConfigurationError
from dragoman.repo import tree
from dragoman.repo.repository import Repository

FILE = "dragoman.toml"
_TRUSTED = "trusted"


@dataclass(frozen=True, slots=True)
class Index:
    """`exclude` holds patterns of paths that are left out, as in a .gitignore."""

    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Forge:
    """Where pull requests and issues are: `kind` is github, gitlab or empty; `token_variable` names a variable."""

    kind: str = ""
    base_url: str = ""
    token_variable: str = ""


@dataclass(frozen=True, slots=True)
class Config:
    """One dragoman.toml with every default filled in; the keys are those of the file.

    `keys` has the name of an environment variable for each provider whose key is not in the usual one.
    """

    provider: str = "auto"
    model: str = ""
    default_branch: str = ""
    provider_config: Mapping[str, Any] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    index: Index = Index()
    forge: Forge = Forge()

    def choice(self, environ: Mapping[str, str], provider: str = "", model: str = "") -> tuple[str, dict[str, Any]]:
        """The provider to create and its provider_config; `provider` and `model` are asked for on the command line.

        With "auto" a provider whose key stands in a variable named under `keys` goes first.
        """
        name = provider or self.provider
        if name == "auto":
            name = next((one for one, variable in self.keys.items() if environ.get(variable, "").strip()), name)
        if name == self.provider or self.provider == "auto":
            config = dict(self.provider_config)
            model = model or self.model
        else:  # the rest of the file speaks of another provider
            config = {}
        if variable := self.keys.get(name):
            config["key_variable"] = variable
        return name, {**config, "model": model} if model else config


def read(repository: Repository) -> Config:
    """What the file says, or every default where there is none.

    Raises ConfigurationError naming all that is wrong with it, or what nobody at this machine has said yes to.
    """
    path = repository.root / FILE
    data = content(repository)
    if data is None:
        return Config()
    found = parse(data, str(path))
    if far := _sends(found):
        kept = repository.state / _TRUSTED
        if not kept.is_file() or kept.read_text("utf-8").strip() != _digest(data):
            raise ConfigurationError(
                f"{path} sets {', '.join(far)}, which decides where your questions or keys are sent. "
                "Read it, and if you mean it, run: dragoman init --trust",
                code="untrusted",
            )
    return found


def content(repository: Repository) -> bytes | None:
    """The file's bytes, of a bare repository HEAD's where none lies in its own folder; None where there is none.

    Raises ConfigurationError where it cannot be read.
    """
    path = repository.root / FILE
    try:
        if path.is_file():
            return path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from None
    if not repository.bare:
        return None
    try:
        return tree.ask(repository, "cat-file", "blob", f"HEAD:{FILE}")
    except ConfigurationError:  # no such file there, or no commit yet
        return None


def trust(repository: Repository) -> None:
    """Say yes to the file as it stands now; another content of it asks again."""
    repository.state.mkdir(parents=True, exist_ok=True)
    (repository.state / _TRUSTED).write_text(_digest(content(repository) or b""), "utf-8")


def parse(data: bytes, where: str = FILE) -> Config:
    """The settings in the file's bytes. Raises ConfigurationError naming all that is wrong."""
    try:
        raw = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise ConfigurationError(f"{where} is not UTF-8 text.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{where} is not valid TOML: {error}.") from None
    problems: list[str] = []
    values = _read_keys("", raw, _KEYS, problems)
    sections = {name: _read_keys(name, values.pop(name, {}), keys, problems) for name, keys in _SECTIONS.items()}
    if not problems and values.get("model") and values.get("provider", "auto") == "auto":
        problems.append("model: needs a provider of its own, since auto takes the first whose key is there.")
    if problems:
        raise ConfigurationError("\n".join(f"{where}: {problem}" for problem in problems))
    return Config(
        **values,
        provider_config=sections["provider_config"],
        keys=sections["keys"],
        index=Index(**sections["index"]),
        forge=Forge(**sections["forge"]),
    )


def _sends(found: Config) -> list[str]:
    """The settings that decide where a key or a question goes, and cannot come with a clone unasked."""
    far = ["provider"] if "." in found.provider else []
    far += ["provider_config.base_url"] if "base_url" in found.provider_config else []
    far += ["keys"] if found.keys else []
    far += ["forge.base_url"] if found.forge.base_url else []
    far += ["forge.token_variable"] if found.forge.token_variable else []
    return far


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# What each key takes --------------------------------------------------------------------------------------------------


class _Unfit(ValueError):
    """A value is not what its key takes; the text says what was expected."""


type _Reader = Callable[[Any], Any]

# The beginnings of well-known keys and tokens, and long mixtures of letters and digits that no name looks like.
_SECRET = re.compile(
    r"\b(?:sk|pk|rk)-[\w-]{12,}|\bgh[pousr]_\w{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{12,}|\bAIza[\w-]{20,}"
    r"|\bxox[abprs]-[\w-]{10,}|\bAKIA[0-9A-Z]{12,}|\beyJ[\w-]{10,}\.[\w-]{10,}"
    r"|^(?=[^\s/]*\d)(?=[^\s/]*[a-z])(?=[^\s/]*[A-Z])[A-Za-z0-9+_=-]{32,}$"
    r"|://[^/\s:@]+:[^/\s@]+@"
)


def _read_keys(
    where: str, raw: Mapping[str, Any], readers: Mapping[str, _Reader] | _Reader, problems: list[str]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in raw.items():
        place = f"{where}.{key}" if where else key
        reader = readers if callable(readers) else readers.get(key)
        if reader is None:
            assert not callable(readers)
            problems.append(f"{place}: is not a setting. {_instead(key, readers)}")
        elif _is_secret(value):
            problems.append(
                f"{place}: holds what looks like a key. A key stands in an environment variable; name that here."
            )
        else:
            try:
                values[key] = reader(value)
            except _Unfit as unfit:
                problems.append(f"{place}: expected {unfit}, got {type(value).__name__}.")
    return values


def _instead(key: str, readers: Mapping[str, _Reader]) -> str:
    if key in _MOVED:
        return _MOVED[key]
    close = difflib.get_close_matches(key, readers, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"There is: {', '.join(readers)}."


def _is_secret(value: Any) -> bool:
    match value:
        case str():
            return _SECRET.search(value) is not None
        case Mapping():
            return any(map(_is_secret, value.values()))
        case list():
            return any(map(_is_secret, value))
        case _:
            return False


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Unfit("a text")
    return value


def _filled(value: Any) -> str:
    if not _text(value).strip():
        raise _Unfit("a text that is not empty")
    return str(value)


def _variable(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", value):
        raise _Unfit("the name of an environment variable, such as MY_API_KEY")
    return value


def _url(value: Any) -> str:
    if not isinstance(value, str) or not re.match(r"https?://[^/\s]", value):
        raise _Unfit("an address that begins with https:// or http://")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _Unfit("a list of texts")
    return tuple(value)


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _Unfit("a table")
    return dict(value)


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise _Unfit("a number of seconds above 0")
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Unfit("a whole number above 0")
    return value


def _forge_kind(value: Any) -> str:
    if value not in ("github", "gitlab"):
        raise _Unfit("'github' or 'gitlab'")
    return str(value)


_KEYS: dict[str, _Reader] = {
    "provider": _filled,
    "model": _text,
    "default_branch": _text,
    "provider_config": _table,
    "keys": _table,
    "index": _table,
    "forge": _table,
}

_SECTIONS: dict[str, Mapping[str, _Reader] | _Reader] = {
    "provider_config": {
        "base_url": _url,
        "timeout_seconds": _seconds,
        "stream_timeout_seconds": _seconds,
        "max_tokens": _whole,
        "tool_mode": _text,
        "options": _table,
    },
    "keys": _variable,
    "index": {"exclude": _texts},
    "forge": {"kind": _forge_kind, "base_url": _url, "token_variable": _variable},
}

# Keys that somebody might look for here, with where they went.
_MOVED = {
    "api_key": "A key never stands in this file: set the environment variable, and name it under [keys] if it is not the usual one.",
    "key_variable": 'The names of variables stand under [keys], such as anthropic = "MY_KEY".',
    "token": "A token never stands in this file: name its environment variable as token_variable.",
    "exclude": "It stands under [index].",
}
