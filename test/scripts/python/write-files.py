import os, pathlib
folder = pathlib.Path("out/deep"); folder.mkdir(parents=True, exist_ok=True)
for n in range(3): (folder / f"{n}.txt").write_text(f"file {n}\n")
(folder / "1.txt").rename(folder / "one.txt")
print(sorted(str(p) for p in pathlib.Path("out").rglob("*")), os.path.getsize("out/deep/2.txt"))
