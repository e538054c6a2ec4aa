#!/bin/bash
# What two lists have in common.
a=${1:?} b=${2:?}
echo "only in first:"
comm -23 <(sort "$a") <(sort "$b")
echo "only in second:"
comm -13 <(sort "$a") <(sort "$b")
echo "both: $(comm -12 <(sort "$a") <(sort "$b") | wc -l | tr -d ' ')"
if diff -q "$a" "$b" > /dev/null; then echo same; else echo different; fi
