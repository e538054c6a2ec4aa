from dataclasses import dataclass, field, asdict
from typing import Optional
import json
@dataclass(order=True)
class Task:
    priority: int
    name: str = field(compare=False)
    due: Optional[str] = None
    tags: list[str] = field(default_factory=list)
tasks = sorted([Task(3, "c"), Task(1, "a", tags=["x"]), Task(2, "b", "soon")])
print(tasks[0]); print(json.dumps([asdict(t) for t in tasks]))
