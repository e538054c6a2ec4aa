#!/usr/bin/env bash
# semver.sh VERSION major|minor|patch
set -euo pipefail
if [[ ! "${1:-}" =~ ^v?([0-9]+)\.([0-9]+)\.([0-9]+)(-[a-z0-9.]+)?$ ]]; then
  echo "not a version: '${1:-}'" >&2
  exit 2
fi
major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]} patch=${BASH_REMATCH[3]}
case "${2:-patch}" in
  major) ((major += 1)); minor=0; patch=0 ;;
  minor) ((minor += 1)); patch=0 ;;
  patch) ((patch += 1)) ;;
  *) echo "unknown part: $2" >&2; exit 2 ;;
esac
echo "$major.$minor.$patch"
