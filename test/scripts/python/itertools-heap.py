import bisect, functools, heapq, itertools, operator
print(list(itertools.accumulate([1, 2, 3, 4], operator.mul)), heapq.nsmallest(2, [5, 1, 4]), bisect.bisect([1, 3, 5], 4))
print([(k, len(list(g))) for k, g in itertools.groupby("aabbbc")], list(itertools.batched("abcde", 2)) if hasattr(itertools, "batched") and False else "")
@functools.lru_cache(None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(90), fib.cache_info().misses)
