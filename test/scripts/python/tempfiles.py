import os, shutil, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "x.txt")
    with open(path, "w") as f: f.write("hello")
    shutil.copy(path, os.path.join(folder, "y.txt"))
    print(sorted(os.listdir(folder)))
print(os.path.exists(folder))
with tempfile.NamedTemporaryFile("w+", suffix=".md") as f: f.write("x"); f.flush(); f.seek(0); print(f.read(), f.name.endswith(".md"))
