import json, sys
try:
    json.loads(sys.stdin.read())
except json.JSONDecodeError as e:
    print(f"line {e.lineno} column {e.colno}: {e.msg}")
    sys.exit(2)
