"""Ask each question about the code once: answers are kept, a circle proves nothing, and what other files said is noted.

An answer does not depend on what was asked before it. So a file that is resolved alone, later, is told what it would
be told among all others; and what it was told changes only where something it looked up has changed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from dragoman.repo.languages.found import Answer, File

DEEP = 60  # questions within questions, before the last of them is answered first
_CLOSED = 1 << 60


class Cell(NamedTuple):
    """Something that can be looked up: `kind` says what, `text` by which name. See cells.py."""

    path: str
    kind: str
    scope: int
    text: str


class Deep(Exception):
    """A chain of questions is too long to be followed to its end at once."""

    def __init__(self, question: "Question") -> None:
        super().__init__()
        self.question = question


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked; `own`: by the file itself."""

    file: File
    own: bool
    key: object
    answer: Callable[..., Any]
    arguments: tuple[Any, ...]


class Asking:
    """Keeps answers. `home` is the file that is being resolved: what it says itself needs no note.

    A file asks for itself with other answers than others ask it with, because only those hold what was looked up.
    """

    def __init__(self) -> None:
        self.home: File | None = None
        self.reads: set[int] = set()  # numbers of cells: of the file at home, or of the question in hand
        self.cells: list[Cell] = []
        self._numbers: dict[Cell, int] = {}
        self._depth = 0
        self._low = _CLOSED  # how far down the questions in hand the circle reaches that this one is part of
        self._open: list[tuple[dict[object, Answer], object, Answer]] = []  # parts of circles not yet gone round

    def ask(self, file: File, key: object, answer: Callable[..., Any], *arguments: Any) -> Any:
        """The answer, None where it rests on itself. `key` is one of a kind for the file."""
        own = file is self.home
        memo = file.own if own else file.seen
        known = memo.get(key)
        if known is not None:
            if known.low < self._low:
                self._low = known.low
            if known.reads:
                self.reads |= known.reads
            return known.found
        depth = self._depth
        if depth >= DEEP:
            raise Deep(Question(file, own, key, answer, arguments))
        home, reads, low, opened = self.home, self.reads, self._low, len(self._open)
        made = memo[key] = Answer(depth)
        if not own:
            self.home, self.reads = None, set()
        self._low, self._depth = _CLOSED, depth + 1
        try:
            found = answer(*arguments)
        except Deep:
            self.home, self.reads = home, reads
            for kept, name, _ in (*self._open[opened:], (memo, key, made)):
                del kept[name]
            del self._open[opened:]
            raise
        finally:
            reaches, self._low, self._depth = self._low, low, depth
        if not own:
            made.reads = self.reads or None
            self.home, self.reads = home, reads
            if made.reads:
                reads |= made.reads
        if reaches == _CLOSED:
            made.found, made.low = found, _CLOSED
        elif reaches < depth:
            made.low = reaches
            self._open.append((memo, key, made))
            self._low = min(low, reaches)
        else:
            made.low = _CLOSED
            for *_, part in self._open[opened:]:
                part.low, part.reads = _CLOSED, made.reads
            del self._open[opened:]
        return made.found

    def whole(self, asked: Callable[[], Any]) -> Any:
        """What `asked` gives back, however long the chain is that leads to it."""
        home = self.home
        waiting: list[Question] = []
        while True:
            try:
                if not waiting:
                    return asked()
                last = waiting[-1]
                self.home = home if last.own else None
                self.ask(last.file, last.key, last.answer, *last.arguments)
                waiting.pop()
            except Deep as deep:
                question = deep.question
                if any(each.file is question.file and each.key == question.key for each in waiting):
                    self._give_up(question)
                else:
                    waiting.append(question)
            finally:
                self.home = home

    def _give_up(self, question: Question) -> None:
        """A circle longer than can be gone round: nothing is proven, and whoever asks for it asks again every time."""
        memo = question.file.own if question.own else question.file.seen
        memo[question.key] = Answer(_CLOSED, None, {self.number(Cell("", "*", 0, ""))})

    def note(self, file: File, kind: str, scope: int, text: str) -> None:
        """Something was looked up in a file's facts."""
        if file is self.home:
            return
        key = (kind, scope, text)
        number = file.cells.get(key)
        if number is None:
            number = file.cells[key] = self.number(Cell(file.path, kind, scope, text))
        self.reads.add(number)

    def number(self, cell: Cell) -> int:
        """The number by which a cell is noted."""
        number = self._numbers.get(cell)
        if number is None:
            number = self._numbers[cell] = len(self.cells)
            self.cells.append(cell)
        return number

    def find(self, file: File, module: str) -> str | None:
        """The file that `module`, as written in a file, means. It depends on which files there are, and on what
        configs say, so it is always noted."""
        self.reads.add(self.number(Cell(file.path, "f", 0, module)))
        return file.modules.find(file.path, module)

    def knows(self, file: File, module: str) -> bool:
        """Whether a module that was not found may lie in the repository."""
        # Of a script this is told with what `find` noted.
        if not file.script and not module.startswith("."):
            self.find(file, module.partition(".")[0])
        return file.modules.knows(file.path, module)
