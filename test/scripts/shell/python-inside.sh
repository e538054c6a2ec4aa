#!/bin/bash
# The hard part is done by Python.
set -e
DIR="$(cd "$(dirname "$0")" && pwd)"
echo "== inline"
python3 - "$@" <<'PY'
import sys, json
numbers = [int(a) for a in sys.argv[1:]]
print(json.dumps({"n": len(numbers), "sum": sum(numbers)}))
PY
echo "== -c"
TOTAL=$(python3 -c "print(sum(map(int, '$*'.split())))")
echo "total $TOTAL"
echo "== file"
echo '{"b": [1, 2], "a": null}' | python3 "$DIR/fmt.py" --sort > out.json
cat out.json
if ! python3 -c 'import sys; sys.exit(4)'; then echo "it failed"; fi
