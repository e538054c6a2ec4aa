"""Writes expected.json: what the machine's python3 makes of each script. Run it again after a change: python3 test/scripts/python/expect.py"""

import json, pathlib, platform, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).parent


def head(text, word, default):
    lines = [line for line in text.splitlines() if line.startswith(f"# {word}: ")]
    return json.loads(lines[0].removeprefix(f"# {word}: ")) if lines else default


expected = {}
for script in sorted((HERE / "scripts").glob("*.py")):
    text = script.read_text()
    with tempfile.TemporaryDirectory() as work:
        # A copy: the script must not find what lies beside it here.
        copied = pathlib.Path(work, "scripts", script.name)
        copied.parent.mkdir()
        copied.write_text(text)
        cwd = pathlib.Path(work, "workspace")
        cwd.mkdir()
        run = subprocess.run(
            [sys.executable, str(copied), *head(text, "args", [])],
            input=head(text, "input", "").encode(), capture_output=True, cwd=cwd,
            env={"HOME": str(cwd), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}, timeout=30,
        )
        written = {
            str(path.relative_to(cwd)): len(path.read_bytes()) if path.suffix == ".db" else path.read_text()
            for path in sorted(cwd.rglob("*")) if path.is_file()
        }
    last = run.stderr.decode().strip().splitlines()[-1:]
    expected[script.stem] = {"exit": run.returncode, "stdout": run.stdout.decode(), "last": "".join(last), "written": written}
made = {"python": platform.python_version(), "scripts": expected}
(HERE / "expected.json").write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n")
print(f"{len(expected)} scripts, Python {made['python']}")
