# SPDX-License-Identifier: Apache-2.0
"""An end of reactive-netio's wire format: the framing STREAM over plain TCP, with asyncio and nothing else."""

from .connection import Connection
from .netio import Netio, Source
from .requests import Request, Requester, Responder
from .streams import Message, Subscription
from .wire import UNBOUNDED, Code, Policy, Settings, StreamError, Tags, WireError

__all__ = ["UNBOUNDED", "Code", "Connection", "Message", "Netio", "Policy", "Request", "Requester", "Responder", "Settings",
           "Source", "StreamError", "Subscription", "Tags", "WireError"]
