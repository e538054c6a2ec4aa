#!/bin/bash
. "$(dirname "$0")/lib.sh"
for word in "$@"; do slugify "$word"; done
