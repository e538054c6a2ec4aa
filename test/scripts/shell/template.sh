#!/bin/bash
# Fills {{NAME}} of a template with NAME=value arguments.
set -euo pipefail
template=$(< "$1"); shift
for pair in "$@"; do
  key="${pair%%=*}" value="${pair#*=}"
  template="${template//\{\{$key\}\}/$value}"
done
printf '%s\n' "$template"
left=$(grep -o '{{[A-Z_]*}}' <<< "$template" | sort -u | tr '\n' ' ') || true
if [[ -n "$left" ]]; then
  echo "not filled: $left" >&2
  exit 1
fi
