"""The prices of models on days: those the index holds, and where it holds none, those of the library."""

import sqlite3
from datetime import UTC, datetime, timedelta

from ccindex.meaning.prices import Rates, list_prices, prices_version
from ccindex.model.usage import DAY_MS
from ccindex.store.keyed import forget_rates, known_rates, put_rates, rates_version

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Prices:
    """Asks the library, which takes a while to load, only for days that were not asked for before."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known = {key: tuple(map(Rates._make, rows)) for key, rows in known_rates(connection).items()}
        self._days: dict[int, str] = {}
        self._is_checked = False
        self.replaced_others = False

    def of(self, model: str | None, at: int) -> tuple[Rates, ...]:
        """The rates of a model on the day of an instant."""
        key = (model or "", self._day(at))
        if key not in self._known:
            self._check_version()
            self._known[key] = list_prices(*key)
            put_rates(self._connection, {key: self._known[key]}, prices_version())
        return self._known[key]

    def _day(self, at: int) -> str:
        number = at // DAY_MS
        if number not in self._days:
            self._days[number] = _date_of(at)
        return self._days[number]

    def _check_version(self) -> None:
        """Give up all prices that another version of the library told."""
        if self._is_checked:
            return
        self._is_checked = True
        if rates_version(self._connection) not in (None, prices_version()):
            forget_rates(self._connection)
            self._known.clear()
            self.replaced_others = True


def _date_of(at: int) -> str:
    try:
        return (_EPOCH + timedelta(milliseconds=at)).date().isoformat()
    except OverflowError:  # the last hours of the calendar, with an offset
        return _EPOCH.date().isoformat()
