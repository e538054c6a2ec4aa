#!/bin/bash
# Copies files into place, and says what it did.
set -euo pipefail
SRC="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/data"
DEST="$HOME/.config/tool"
mkdir -p "$DEST"
copied=0 skipped=0
for f in "$SRC"/*; do
  name=$(basename "$f")
  if [[ -e "$DEST/$name" ]] && cmp -s "$f" "$DEST/$name" 2>/dev/null; then
    skipped=$((skipped + 1))
    continue
  fi
  cp "$f" "$DEST/$name"
  copied=$((copied + 1))
done
echo "copied $copied, skipped $skipped"
ls -1 "$DEST"
