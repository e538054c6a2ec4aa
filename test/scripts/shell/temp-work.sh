#!/bin/bash
# Works in a temporary folder that goes away.
set -euo pipefail
WORK=$(mktemp -d)
cleanup() {
  local code=$?
  rm -rf "$WORK"
  [[ ! -d "$WORK" ]] && echo "cleaned up (exit $code)"
}
trap cleanup EXIT INT TERM
cd "$WORK"
for n in 3 1 2; do echo "line $n" > "part$n.txt"; done
cat part*.txt | tee all.txt | wc -l | tr -d ' '
md5sum all.txt | cut -d' ' -f1
cp all.txt /workspace/result.txt
[[ "${1:-}" == fail ]] && false
echo finished
