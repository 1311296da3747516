"""Evidence: follow a turn, and say of its answer what each claim rests on."""

import datetime as dt
import logging
import re
from collections.abc import Sequence
from itertools import groupby

from dragoman.harness.claims.amounts import Context, Shown, from_answer, listed, support
from dragoman.harness.claims.cells import Cell, Fact, Holders, Ledger, arguments_of
from dragoman.harness.claims.claim import Claim, Source
from dragoman.harness.claims.names import Mention, leads, mentions, strangers
from dragoman.harness.claims.numerals import DATE, Day, days
from dragoman.harness.claims.reading import Candidate, Sentence, codes, counted, exact, numbers, quotes, sentences
from dragoman.harness.claims.words import REST, stem
from dragoman.harness.messages import Message

log = logging.getLogger("dragoman.turn")

MOST = 300  # claims of one answer
MOST_READ = 20_000  # characters of an answer
_WORD = re.compile(r"\w+")


class Basis:
    """What a turn has to rest on. Messages are read as they come, so that an answer costs only its own reading."""

    def __init__(self) -> None:
        self._ledger = Ledger()
        self._asked: list[tuple[str, str, Source]] = []
        self._today: dt.date | None = None
        self._has_rows = False
        self._read = 0

    def follow(self, messages: Sequence[Message]) -> None:
        """Read what is new in the messages of the turn, which begin with the question."""
        fresh, self._read = messages[self._read :], len(messages)
        for message in fresh:
            try:
                self._add(message)
            except Exception:  # evidence stands beside an answer and never in its way
                log.exception("A result could not be read as evidence; the turn goes on.")

    def claims(self, messages: Sequence[Message]) -> tuple[Claim, ...]:
        """The claims of the turn's answer, in its order; nothing unless the answer was written to its end."""
        last = messages[-1] if messages else None
        if last is None or last.role != "assistant" or not last.text or last.outcome is None:
            return ()
        if last.outcome.finish_reason in ("stopped", "interrupted"):
            return ()
        self.follow(messages)
        try:
            return self.of(last.text[:MOST_READ])
        except Exception:
            log.exception("An answer could not be read for its claims; the turn goes on.")
            return ()

    def of(self, answer: str) -> tuple[Claim, ...]:
        """The claims of a text in its order, without what only looks like one."""
        return _Reader(self._ledger, self._asked, self._today, self._has_rows, answer).read()

    def _add(self, message: Message) -> None:
        if message.role == "user":
            self._today = message.created.date()
            self._ask("question", message.text, Source(message.text[:200], field="question"))
        for call in message.calls:
            self._ledger.learn(call.name)
            for place, value in arguments_of(call.arguments):
                self._ledger.learn(place)
                self._ask("argument", value, Source(value[:200], call.id, call.name, None, place))
        if message.result is not None:
            self._ledger.add(message.result)
            self._has_rows = self._has_rows or not message.result.failed

    def _ask(self, how: str, text: str, source: Source) -> None:
        self._asked.append((how, text, source))
        self._ledger.learn(text)


def of_turn(messages: Sequence[Message]) -> tuple[Claim, ...]:
    """The claims of a stored turn's answer."""
    return Basis().claims(messages)


class _Reader:
    """One reading of one answer."""

    def __init__(
        self,
        ledger: Ledger,
        asked: Sequence[tuple[str, str, Source]],
        today: dt.date | None,
        has_rows: bool,
        answer: str,
    ) -> None:
        self.ledger, self.asked, self.today, self.has_rows, self.answer = ledger, asked, today, has_rows, answer
        self.taken = bytearray(len(answer))
        self.claims: list[Claim] = []
        self.known = bytearray(len(answer))

    def read(self) -> tuple[Claim, ...]:
        group = list(sentences(self.answer))
        spoken = [self._words_of(sentence) for sentence in group]
        self._numbers(group, spoken)
        if self.has_rows:
            for candidate in [
                *leads(group, self._is_known, self.ledger),
                *strangers(group, self.ledger, self._free, self.answer),
            ]:
                if self._free(candidate.start, candidate.end):
                    self._name(candidate)
        return tuple(sorted(self.claims, key=lambda claim: claim.start)[:MOST])

    # Everything but numbers -------------------------------------------------------------------------------------------

    def _words_of(self, sentence: Sentence) -> list[Mention]:
        found: list[Mention] = []
        for candidate in exact(sentence):
            if self._free(candidate.start, candidate.end) and (cell := self._exact(candidate, sentence)) is not None:
                found.append(Mention(candidate.text, candidate.start, candidate.end, Holders((cell,)), True))
        found += mentions(sentence, self.ledger)
        for mention in found:
            if self._free(mention.start, mention.end):
                _mark(self.known, mention.start, mention.end)
                if mention.named:
                    self._claim(mention.text, mention.start, mention.end, "name", mention.holders.source, "cell")
        for candidate in [*quotes(sentence), *codes(sentence)]:
            if self._free(candidate.start, candidate.end) and not candidate.text.replace(".", "").isdigit():
                candidate.soft = candidate.soft or sentence.asks
                self._name(candidate)
        return found

    def _exact(self, candidate: Candidate, sentence: Sentence) -> Cell | None:
        """Claim it where it is one; the cell of a hash, which names a row."""
        source, how, held = self._place_of(candidate)
        soft = candidate.soft or sentence.asks or (candidate.clock is not None and not self.ledger.clocks)
        if source is None and candidate.kind in ("path", "name"):
            self._name(candidate)
        elif source is not None or not soft:
            self._claim(candidate.text, candidate.start, candidate.end, candidate.kind, source, how)
        return held

    def _place_of(self, candidate: Candidate) -> tuple[Source | None, str, Cell | None]:
        ledger = self.ledger
        if candidate.kind == "hash":
            text = candidate.text
            for whole, cell in ledger.hashes.items():
                if whole.startswith(text) or (len(whole) >= 7 and text.startswith(whole)):
                    return cell.source(), "cell", cell
            return *self._said(text), None
        if candidate.clock is not None:
            held = ledger.clocks.get(candidate.clock)
            return *((held.source(), "cell") if held is not None else self._said(candidate.text)), None
        for day in candidate.days:
            if (known := ledger.days.get(day)) is not None:
                return known.source(), "cell", None
        for day in candidate.days:
            if asked := self._asked_day(day):
                return *asked, None
        return None, "unmatched", None

    def _asked_day(self, day: Day) -> tuple[Source, str] | None:
        for how, text, source in self.asked:
            for match in DATE.finditer(text):
                if any(day in (d, Day(d.year, d.month), Day(0, d.month, d.day), Day(d.year)) for d in days(match)):
                    return source, how
        if self.today and day.year in (0, self.today.year) and not day.quarter:
            for shift in (-1, 0, 1):
                near = self.today + dt.timedelta(days=shift)
                if (day.month, day.day) in ((near.month, near.day), (near.month, 0), (0, 0)):
                    return Source(str(self.today), field="today"), "today"
        return None

    def _name(self, candidate: Candidate) -> None:
        text = candidate.text.strip()
        if cell := self.ledger.holds(text) or self._shorter(candidate):
            return self._claim(candidate.text, candidate.start, candidate.end, candidate.kind, cell.source(), "cell")
        source, how = self._said(text)
        if source is not None:
            return self._claim(candidate.text, candidate.start, candidate.end, candidate.kind, source, how)
        all_known = all(stem(word) in self.ledger.vocabulary for word in _WORD.findall(text))
        lower = candidate.quoted and not any(c.isupper() or c.isdigit() or c in "_./" for c in text)
        phrase = candidate.code and " " in text
        if all_known or lower or phrase or candidate.soft or not self.has_rows:
            _mark(self.taken, candidate.start, candidate.end)
            return None
        return self._claim(candidate.text, candidate.start, candidate.end, candidate.kind, None, "unmatched")

    def _shorter(self, candidate: Candidate) -> Cell | None:
        """A path without its line or symbol, a name without an ending."""
        text = candidate.text
        if candidate.kind == "path":
            return self.ledger.holds(re.sub(r"::?[\w.]+$", "", text).removeprefix("./"))
        bare = text.rstrip("()")
        if candidate.code and bare != text:
            return self.ledger.holds(bare)
        return self.ledger.holds(text[:-1].rstrip("'\u2019")) if text.endswith("s") else None

    def _said(self, text: str) -> tuple[Source | None, str]:
        low = text.lower()
        for how, whole, source in self.asked:
            if re.search(rf"(?<!\w){re.escape(low)}(?!\w)", whole.lower()):
                return source, how
        return None, "unmatched"

    # Numbers ----------------------------------------------------------------------------------------------------------

    def _numbers(self, group: list[Sentence], spoken: list[list[Mention]]) -> None:
        asked = self._asked_numbers()
        bounds = frozenset(asked)
        counts = listed(self._lists(group))
        before: list[Fact] = []
        told: list[Fact] = []
        named: set[tuple[str, str, int | None]] = set()
        open_: list[tuple[Candidate, Context]] = []
        for sentence, spoken_here in zip(group, spoken, strict=True):
            context = Context(sentence, spoken_here, self.ledger, bounds, before)
            context.compare(named)
            for candidate in [*numbers(sentence, self._free), *counted(sentence)]:
                if len(self.claims) + len(open_) >= MOST:
                    break
                if not self._free(candidate.start, candidate.end):
                    continue
                candidate.soft = candidate.soft or sentence.asks or sentence.heading
                if found := support(candidate, context):
                    fact, how = found
                    context.said.append(fact)
                    self._claim(candidate.text, candidate.start, candidate.end, "number", fact.source, how)
                elif (source := self._otherwise(candidate, asked)) is not None:
                    context.said.append(Fact(candidate.readings[0].value, Cell("", "", "", None, "question", "")))
                    self._claim(candidate.text, candidate.start, candidate.end, "number", *source)
                else:
                    open_.append((candidate, context))
            told += context.said
            before, named = context.said, context.rows
        shown = self._shown(group, spoken)
        for candidate, context in open_:
            count = next((f for f in counts if any(r.value == f.value for r in candidate.readings)), None)
            if count is not None and not candidate.percent and not candidate.unit:
                self._claim(candidate.text, candidate.start, candidate.end, "number", count.source, "count")
            elif (rest := _rest(candidate, context, told, counts)) is not None:
                self._claim(candidate.text, candidate.start, candidate.end, "number", rest.source, "difference")
            elif found := from_answer(candidate, context, shown):
                self._claim(candidate.text, candidate.start, candidate.end, "number", found[0].source, found[1])
            elif not candidate.soft or self._is_counted_noun(candidate, context):
                self._claim(candidate.text, candidate.start, candidate.end, "number", None, "unmatched")

    def _otherwise(self, candidate: Candidate, asked: dict[float, tuple[Source, str]]) -> tuple[Source, str] | None:
        for reading in candidate.readings:
            if found := asked.get(reading.value):
                return found
            year = int(reading.value)
            if reading.place == 1 and 1900 <= year <= 2100 and year == reading.value and not candidate.unit:
                if cell := self.ledger.days.get(Day(year)):
                    return cell.source(), "cell"
                if self.today and self.today.year == year:
                    return Source(str(self.today), field="today"), "today"
        return None

    def _is_counted_noun(self, candidate: Candidate, context: Context) -> bool:
        if candidate.text[:1].isdigit() or context.sentence.asks:
            return False
        after = _WORD.search(self.answer, candidate.end)
        return after is not None and stem(after[0]) in self.ledger.vocabulary and after[0][0].isalpha()

    def _asked_numbers(self) -> dict[float, tuple[Source, str]]:
        found: dict[float, tuple[Source, str]] = {}
        for how, text, source in self.asked:
            for sentence in sentences(text):
                sentence.body = sentence.start
                for candidate in [*numbers(sentence), *counted(sentence)]:
                    for reading in candidate.readings:
                        found.setdefault(reading.value, (source, how))
        return found

    def _shown(self, group: list[Sentence], spoken: list[list[Mention]]) -> Shown:
        """What the answer's lists and tables name."""
        rows: dict[tuple[str, str], set[int]] = {}
        for sentence, mentioned in zip(group, spoken, strict=True):
            for mention in mentioned if sentence.listed or sentence.table else ():
                if mention.holders.only is not None:
                    call_id, table, row = mention.holders.only
                    rows.setdefault((call_id, table), set()).add(row)
        return Shown(self.ledger, rows)

    def _lists(self, group: list[Sentence]) -> list[int]:
        runs = (list(run) for kind, run in groupby(group, key=lambda s: (s.listed, s.table)) if any(kind))
        return [len(run) - 2 * run[0].table if len(run) > 2 else len(run) for run in runs]

    # Bookkeeping ------------------------------------------------------------------------------------------------------

    def _claim(self, text: str, start: int, end: int, kind: str, source: Source | None, how: str) -> None:
        _mark(self.taken, start, end)
        if source is not None:
            _mark(self.known, start, end)
        self.claims.append(Claim(text, start, end, kind, source, how))  # type: ignore[arg-type]

    def _free(self, start: int, end: int) -> bool:
        return self.taken.find(1, start, end) < 0

    def _is_known(self, start: int, end: int) -> bool:
        return self.known.find(1, start, end) >= 0


def _rest(candidate: Candidate, context: Context, told: Sequence[Fact], counts: Sequence[Fact]) -> Fact | None:
    """What a list leaves out of a number that was said before: "... and 40 more"."""
    if not REST.match(context.sentence.text):
        return None
    for fact in told:
        for count in counts:
            if any(reading.value == fact.value - count.value for reading in candidate.readings):
                return Fact(
                    fact.value - count.value, fact.cell, "difference", f"{fact.value:g} - {count.value:g} listed"
                )
    return None


def _mark(spans: bytearray, start: int, end: int) -> None:
    spans[start:end] = b"\1" * (end - start)
