import json, sys
data = json.load(sys.stdin)
print(json.dumps({"names": sorted(p["name"] for p in data), "total": sum(p["n"] for p in data)}, indent=2, ensure_ascii=False))
