import statistics as st, math
data = [2.5, 3.1, 4.7, 5.0, 1.2, 3.1]
print(st.mean(data), st.median(data), st.mode(data), round(st.stdev(data), 6), st.quantiles(data, n=4))
print(math.isclose(sum([0.1] * 10), 1.0), math.fsum([0.1] * 10), math.comb(10, 3), math.gcd(12, 18))
