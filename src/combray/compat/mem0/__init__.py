"""mem0 over Combray: its `Memory` and `AsyncMemory`, and what the REST surfaces share with them.

>>> from combray.compat.mem0 import Memory
>>> memory = Memory(location=":memory:")
>>> added = memory.add("Ana owns the billing service", user_id="ann")
>>> memory.get_all(filters={"user_id": "ann"})["results"][0]["memory"]
'Ana owns the billing service'
"""

from combray.compat.mem0.memory import AsyncMem0Memory as AsyncMemory
from combray.compat.mem0.memory import Mem0Memory as Memory

__all__ = ["AsyncMemory", "Memory"]
