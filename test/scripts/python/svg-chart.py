import sys
values = [int(line.split(",")[1]) for line in sys.stdin]
top = max(values)
bars = "".join(f'<rect x="{20 * i}" y="{100 - 100 * v / top:.0f}" width="16" height="{100 * v / top:.0f}"/>' for i, v in enumerate(values))
open("chart.svg", "w").write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {20 * len(values)} 100">{bars}</svg>\n')
print("chart.svg", len(values))
