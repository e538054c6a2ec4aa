from decimal import Decimal, ROUND_HALF_UP, getcontext
from fractions import Fraction
getcontext().prec = 30
print((Decimal("2.675") * 3).quantize(Decimal("0.01"), ROUND_HALF_UP), Decimal(1) / 7, Fraction(3, 4) + Fraction(1, 6))
print(f"{1234567.891:,.2f} {0.000123:e} {255:#x} {5:08b} {'x':^7}|{3.0!r}")
