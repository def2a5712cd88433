"""A client for ``ralph --mode rpc``, with the standard library alone."""

from .client import RpcClient
from .errors import ProcessExited, RpcError
from .events import Event
from .gates import Approval, GateOption, WorkflowGate
from .host import CallContext, HostTool, UriScheme
from .prompts import PromptWork

__all__ = [
    "Approval",
    "CallContext",
    "Event",
    "GateOption",
    "HostTool",
    "ProcessExited",
    "PromptWork",
    "RpcClient",
    "RpcError",
    "UriScheme",
    "WorkflowGate",
]
