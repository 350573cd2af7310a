"""What a guard needs of a driver, and how its sequence of steps is run.

Steps that wait are yielded as calls, so that one sequence serves drivers that block and drivers that are awaited. A ``Wire``
sends what it is given and nothing else.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    from haltsql._load import native

__all__ = ["Answer", "Steps", "Wire", "awaited", "blocking", "known", "whole"]

_T = TypeVar("_T")
_C = TypeVar("_C")

Steps: TypeAlias = Generator[Callable[[], Any], Any, _T]
"""A sequence of calls: each is made, awaited where the driver is awaited, and its value sent back."""


@dataclass
class Answer:
    """What a driver got for one statement."""

    columns: list[tuple[str, int]]
    texts: list[list[str | None]]
    rows: list[tuple[Any, ...]]
    problem: Exception | None
    """Why the driver could not make its own values."""
    tag: str
    """The command tag, such as ``INSERT 0 3``."""
    elapsed_us: int


class Known:
    """What is known of a connection: what was asked of it once, and whether it is in use."""

    def __init__(self) -> None:
        self.database: str | None = None
        self.sealed: set[tuple[str, ...]] = set()
        self.held = threading.Lock()
        """Held while a transaction of a guard is on it."""


_known: weakref.WeakKeyDictionary[Any, Known] = weakref.WeakKeyDictionary()


def known(connection: Any) -> Known:
    """What is known of this connection."""
    return _known.setdefault(connection, Known())


class Wire(ABC, Generic[_C]):
    """One connection of a driver, for the time of one transaction or statement."""

    @abstractmethod
    def given(self) -> Any:
        """The connection, where the caller gave one: threads and tasks can give it twice. ``None`` where a pool lends it."""

    @abstractmethod
    def take(self) -> Steps[None]:
        """Gets the connection. After an error too, ``give_back`` follows.

        Raises:
            ArgumentError: somebody has begun something on it.
        """

    @abstractmethod
    def begin(self, begin: str, pin: dict[str, Any], run: dict[str, Any]) -> Steps[tuple[list[Any], Answer | None]]:
        """BEGIN, then the pin; the first statement may travel with them where one Sync ends all three."""

    @abstractmethod
    def run(self, statement: native.Statement, run: dict[str, Any]) -> Steps[Answer]:
        """Gate and statement."""

    @abstractmethod
    def ask(self, texts: list[tuple[str, list[str] | None]]) -> Steps[list[list[list[str | None]]]]:
        """Sends texts of the core's, with values declared as ``text``, one after another; the rows of each."""

    @abstractmethod
    def physical(self) -> Any:
        """The driver's own object for the connection, whatever lends it out."""

    @abstractmethod
    def end(self, end: str) -> Steps[str]:
        """COMMIT or ROLLBACK; the command tag."""

    @abstractmethod
    def in_transaction(self) -> bool:
        """A transaction is open, and has not failed."""

    @abstractmethod
    def clean(self) -> bool:
        """No transaction is open, and the connection is there."""

    @abstractmethod
    def gone(self) -> bool:
        """The connection is closed."""

    @abstractmethod
    def discard(self) -> None:
        """Closes the connection, now."""

    @abstractmethod
    def give_back(self) -> Steps[None]:
        """Leaves the connection as it was found: also one that was not yet taken, or only in part."""

    @abstractmethod
    def spelt(self, error: BaseException) -> dict[str, str | None] | None:
        """A database's error, as the core reads it; ``sqlstate`` is empty where the connection broke; ``None``: it is none."""


def blocking(steps: Steps[_T]) -> _T:
    """Makes the calls one after another."""
    try:
        call = next(steps)
        while True:
            try:
                value = call()
            except BaseException as error:
                call = steps.throw(error)
            else:
                call = steps.send(value)
    except StopIteration as done:
        return done.value


async def awaited(steps: Steps[_T]) -> _T:
    """Makes the calls one after another, and awaits what they return."""
    try:
        call = next(steps)
        while True:
            try:
                value = call()
                if inspect.isawaitable(value):
                    value = await cast("Coroutine[Any, Any, Any]", value)
            except BaseException as error:
                call = steps.throw(error)
            else:
                call = steps.send(value)
    except StopIteration as done:
        return done.value


async def whole(steps: Steps[_T]) -> _T:
    """The same, to the end even where the task is cancelled meanwhile; the cancellation goes on then.

    psycopg_pool loses a connection whose ``putconn`` is cancelled (3.3.3: while it waits for the pool's lock).
    """
    task = asyncio.ensure_future(awaited(steps))
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()
