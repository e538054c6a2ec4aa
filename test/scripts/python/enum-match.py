from enum import Enum, auto
class Colour(Enum):
    RED = auto(); GREEN = auto()
def tell(x):
    match x:
        case Colour.RED: return "red"
        case {"kind": kind, **rest}: return f"{kind} {len(rest)}"
        case [first, *_]: return first
        case _: return "else"
print([tell(x) for x in (Colour.RED, {"kind": "k", "a": 1}, [5, 6], None)], list(Colour), Colour["GREEN"].value)
