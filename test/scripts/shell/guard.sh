#!/bin/bash
# Looks for what it needs before it begins.
missing=()
for tool in grep sed awk definitely-not-a-tool; do
  if command -v "$tool" &> /dev/null; then
    echo "✓ $tool"
  else
    echo "✗ $tool"
    missing+=("$tool")
  fi
done
if [ ${#missing[@]} -ne 0 ]; then
  echo "Missing: ${missing[*]}" >&2
  exit 1
fi
