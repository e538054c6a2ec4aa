import unicodedata, sys
text = sys.stdin.read().strip()
print(len(text), text.upper(), unicodedata.normalize("NFD", text).encode("ascii", "ignore"), text.encode("utf-16-le").hex(), [unicodedata.name(c) for c in text[:2]])
