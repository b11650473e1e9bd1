"""What can go wrong between an agent and its hooks. Each error says what to do."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from ._outcome import Outcome


class HookwayError(Exception):
    """Any error of this package."""


class NoDaemon(HookwayError):
    """hookway cannot be reached: there is no decision."""


class Timeout(HookwayError, TimeoutError):
    """There was no outcome in time."""


class Refused(HookwayError):
    """hookway does not take the request. type is the end of the problem's type, such as unknown-event."""

    def __init__(self, status: int, type: str, detail: str, field: str = "") -> None:
        super().__init__(detail)
        self.status = status
        self.type = type
        self.detail = detail
        self.field = field  # of the request, where one is wrong


class Blocked(HookwayError):
    """Hooks refused a tool's call, or its result. Its text is for the agent."""

    def __init__(self, outcome: Outcome, ran: bool = False) -> None:
        text = outcome.reason or f"Blocked by hook {outcome.by}"
        super().__init__(text + ("\n\n" + outcome.inject if outcome.inject else ""))
        self.outcome = outcome
        self.reason = text
        self.ran = ran  # the tool has run, and its result is withheld


class TooManyRetries(Blocked):
    """A hook asked for one retry after another."""

    def __str__(self) -> str:
        return f"hook {self.outcome.by} asked for more than 10 retries: {self.reason}"
