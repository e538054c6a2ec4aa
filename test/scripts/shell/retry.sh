#!/bin/bash
# Tries a command again until it works.
set -uo pipefail
retry() {
  local tries=$1 delay=$2; shift 2
  local n=1
  until "$@"; do
    local code=$?
    if (( n >= tries )); then
      echo "gave up after $n: $* (exit $code)" >&2
      return "$code"
    fi
    echo "attempt $n failed" >&2
    ((n++))
    sleep "$delay"
  done
  echo "worked at attempt $n"
}
flaky() {
  local n=$(( $(cat counter 2>/dev/null || echo 0) + 1 ))
  echo "$n" > counter
  [ "$n" -ge 3 ]
}
retry 5 0.01 flaky
retry 2 0.01 ls /nonexistent 2>/dev/null
echo "code $?"
