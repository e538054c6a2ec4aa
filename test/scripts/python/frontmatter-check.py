import pathlib, re, sys
text = pathlib.Path(sys.argv[1]).read_text() if len(sys.argv) > 1 else sys.stdin.read()
found = re.match(r"---\n(.*?)\n---\n", text, re.S)
problems = []
if not found: problems.append("no frontmatter")
else:
    fields = dict(line.split(": ", 1) for line in found[1].splitlines() if ": " in line)
    problems += [f"missing: {name}" for name in ("name", "description", "version") if name not in fields]
print("\n".join(problems) or "ok")
sys.exit(1 if problems else 0)
