#!/usr/bin/env bash
# Makes a project from nothing.
set -euo pipefail
SCRIPT_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$SCRIPT_DIR/lib.sh"

NAME=""
KIND=app
FORCE=false
while [[ $# -gt 0 ]]; do
  case $1 in
    -n|--name) NAME="$2"; shift 2 ;;
    --kind=*) KIND="${1#*=}"; shift ;;
    -f|--force) FORCE=true; shift ;;
    *) die "unknown option: $1" ;;
  esac
done
[[ -n "$NAME" ]] || die "--name is required"
[[ -d "$NAME" && "$FORCE" != true ]] && die "$NAME is there already"

mkdir -p "$NAME"/{src,tests,docs}
cat > "$NAME/README.md" <<EOF
# $NAME

A $KIND. Made on ${MADE_ON:-no day}.
EOF
cat > "$NAME/src/main.sh" <<'EOF'
#!/bin/sh
echo "Hello from $0" | sed 's|/.*/||'
EOF
chmod +x "$NAME/src/main.sh"
touch "$NAME/tests/.keep"
log "made $NAME"
(cd "$NAME" && find . -type f | sort)
"$NAME/src/main.sh"
