"""Checks its own examples."""
import doctest, sys


def double(n):
    """
    >>> double(2)
    4
    >>> double("ab")
    'abab'
    """
    return n + n


print(doctest.testmod())
help(double)
sys.exit(doctest.testmod().failed)
