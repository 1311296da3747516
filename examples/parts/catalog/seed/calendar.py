"""Dates that keep their meaning whatever the day is: so many months ago, or so many days from now."""

from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class Calendar:
    """A fixed today, and the dates around it."""

    today: date

    def months_ago(self, months: int, day: int) -> date:
        """That day (1 to 28) of the calendar month so many months before this one; 1 is last month."""
        year, month = divmod(self.today.year * 12 + self.today.month - 1 - months, 12)
        return date(year, month + 1, day)

    def in_days(self, days: int) -> date:
        """So many days from today; negative is the past."""
        return self.today + timedelta(days=days)
