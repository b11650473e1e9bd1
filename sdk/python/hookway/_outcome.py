"""What all hooks of one event answered together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._errors import HookwayError

if TYPE_CHECKING:
    from .types import Action, Fact, Lane, Would


@dataclass(frozen=True)
class Step:
    """One hook's part in an outcome."""

    hook: str
    lane: Lane
    action: Action
    reason: str
    duration_ms: float
    changed: bool = False
    injected: bool = False
    rule: str = ""  # behind its decision, with its version
    would: Would | None = None  # what it would have decided, did it count
    note: str = ""  # what was odd about its answer, which counts nevertheless
    error: str = ""  # why the hook failed, or what was refused of its decision


@dataclass(frozen=True)
class Outcome:
    """The decision, the payload as hooks left it, and a step for each hook that was asked."""

    event: str
    action: Action
    reason: str  # for the agent
    by: str  # the hook that decided
    payload: Any
    inject: str  # text for the agent
    result: Any  # with answer
    retry_delay_ms: float
    steps: tuple[Step, ...]
    user_message: str = ""  # for the user only
    metadata: dict[str, Any] = field(default_factory=dict)
    rule: str = ""  # behind the decision that counts
    facts: tuple[Fact, ...] = ()  # what the call would do, if a hook asked

    @property
    def blocked(self) -> bool:
        """Whether the operation must not run."""
        return self.action == "block"


_STEP = frozenset(Step.__dataclass_fields__)
_OUTCOME = frozenset(Outcome.__dataclass_fields__)


def read(value: Any) -> Outcome:
    """Read an outcome. Fields of a newer hookway are left out."""
    try:
        fields: dict[str, Any] = {k: v for k, v in value.items() if k in _OUTCOME and v is not None or k in ("payload", "result")}
        fields["steps"] = tuple(Step(**{k: v for k, v in s.items() if k in _STEP}) for s in value.get("steps") or ())
        fields["facts"] = tuple(value.get("facts") or ())
        return Outcome(**fields)
    except (AttributeError, TypeError) as wrong:
        raise HookwayError(f"hookway's answer is not an outcome ({wrong}); is the hookway that runs newer than this package?") from None
