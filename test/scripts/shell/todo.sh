#!/usr/bin/env bash
# A to-do list in a Markdown file.
set -euo pipefail
FILE="${TODO_FILE:-TODO.md}"

usage() {
  cat <<EOF
Usage: $(basename "$0") <add|done|list|clear> [text]

  add <text>    add an entry
  done <n>      mark the nth entry
  list          show what is open
EOF
}

init() { [[ -f "$FILE" ]] || printf '# To do\n\n' > "$FILE"; }

case "${1:-}" in
  add)
    shift
    [[ $# -gt 0 ]] || { echo "error: what shall be done?" >&2; exit 2; }
    init
    echo "- [ ] $*" >> "$FILE"
    echo "added: $*"
    ;;
  done)
    init
    n="${2:?which one?}"
    line=$(grep -n '^- \[ \]' "$FILE" | sed -n "${n}p" | cut -d: -f1)
    if [[ -z "$line" ]]; then
      echo "there is no entry $n" >&2
      exit 1
    fi
    sed -i "${line}s/\[ \]/[x]/" "$FILE"
    echo "done: $(sed -n "${line}p" "$FILE" | sed 's/^- \[x\] //')"
    ;;
  list)
    init
    open=$(grep -c '^- \[ \]' "$FILE" || true)
    echo "$open open"
    grep '^- \[ \]' "$FILE" | nl -w2 -s'. ' | sed 's/- \[ \] //' || true
    ;;
  -h|--help|help) usage ;;
  *) usage >&2; exit 64 ;;
esac
