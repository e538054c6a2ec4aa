"""Counts words of a text."""
import argparse, collections, re, sys
parser = argparse.ArgumentParser(prog="report")
parser.add_argument("--top", type=int, default=2)
parser.add_argument("--lower", action="store_true")
options = parser.parse_args()
text = sys.stdin.read()
words = re.findall(r"\w+", text.lower() if options.lower else text)
for word, count in collections.Counter(words).most_common(options.top):
    print(f"{word:<10}{count:>4}")
