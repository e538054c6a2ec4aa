import csv, io, statistics, sys
rows = list(csv.DictReader(sys.stdin))
by = {}
for row in rows:
    by.setdefault(row["team"], []).append(float(row["points"]))
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["team", "n", "mean", "stdev"])
for team, points in sorted(by.items()):
    out.writerow([team, len(points), f"{statistics.mean(points):.2f}", f"{statistics.pstdev(points):.2f}"])
