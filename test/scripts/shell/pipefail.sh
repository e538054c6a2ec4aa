#!/bin/bash
set -o pipefail
false | true; echo "pipefail: $?"
set +o pipefail
false | true; echo "without: $? ${PIPESTATUS[*]}"
if out=$(grep -c nothing <<< "something"); then echo found; else echo "not found: $out $?"; fi
f() { return 3; }
f || echo "f: $?"
! f; echo "not: $?"
(exit 7); echo "subshell: $?"
set -e
f && echo never
echo still here
false
echo never
