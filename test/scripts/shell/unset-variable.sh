#!/bin/bash
set -eu
echo before
echo "$NOT_SET_ANYWHERE"
echo after
