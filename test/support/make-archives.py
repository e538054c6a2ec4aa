#!/usr/bin/env python3
"""Makes the honest archives of the tests with real tools and writes them to archives.ts as base64.

usage: python3 test/support/make-archives.py        (needs `zip`, and Node with node_modules/fflate)
"""
import base64, io, os, pathlib, subprocess, tempfile, unicodedata, zipfile

HERE = pathlib.Path(__file__).resolve().parent
SKILL = "---\nname: demo\ndescription: Says hello.\n---\n\nSay hello.\n"
TEXT = "café\n" * 40
FILES = {"demo/SKILL.md": SKILL, "demo/docs/café.md": TEXT, "demo/scripts/run.sh": "#!/bin/sh\necho hello\n"}

MODES = {"demo/scripts/run.sh": 0o100755}


class Unseekable(io.RawIOBase):
    """A stream without seek, like a socket."""

    def __init__(self):
        self.buffer = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.buffer += bytes(data)
        return len(data)


def write_python(target):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in FILES.items():
            info = zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = MODES.get(name, 0o100644) << 16
            archive.writestr(info, text)
        with archive.open(zipfile.ZipInfo("demo/forced.txt", (2024, 1, 2, 3, 4, 6)), "w", force_zip64=True) as file:
            file.write(b"zip64")
    return target


def macos():
    """Writes an archive like macOS Finder: NFD names without the UTF-8 flag, data descriptors, and AppleDouble files."""
    stream = Unseekable()
    double = bytes.fromhex("00051607000200004d6163204f532058")
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        def put(name, data):
            # zipfile sets the UTF-8 flag for such a name; it is cleared below.
            info = zipfile.ZipInfo(unicodedata.normalize("NFD", name), (2024, 1, 2, 3, 4, 6))
            info.create_version, info.create_system = 21, 3
            info.compress_type = zipfile.ZIP_STORED if name.endswith("/") else zipfile.ZIP_DEFLATED
            info.external_attr = ((0o40755 << 16) | 0x10) if name.endswith("/") else MODES.get(name, 0o100644) << 16
            archive.writestr(info, data)
        put("demo/", "")
        for name, text in FILES.items():
            put(name, text)
            folder, file = name.rsplit("/", 1)
            put(f"__MACOSX/{folder}/._{file}", double)
        put("demo/.DS_Store", b"\0\0\0\1Bud1")
    data = bytearray(stream.buffer)
    for signature, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        start = data.find(signature)
        while start >= 0:
            data[start + at + 1] &= ~0x08
            start = data.find(signature, start + 4)
    return bytes(data)


def run(command, folder, **options):
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, **options).stdout


def main():
    archives = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755 if name.endswith(".sh") else 0o644)
        for root, folders, files in os.walk(folder):
            for name in folders + files:
                os.utime(pathlib.Path(root, name), (1704164646, 1704164646))
        archives["zip"] = run(["zip", "-qr", "-", "demo"], folder)  # streams: stdout is a pipe
        run(["zip", "-qr", "seekable.zip", "demo"], folder)
        archives["zipSeekable"] = pathlib.Path(folder, "seekable.zip").read_bytes()
        run(["zip", "-qr", "-fz", "zip64.zip", "demo"], folder)
        archives["zip64"] = pathlib.Path(folder, "zip64.zip").read_bytes()
        run(["zip", "-qrz", "comment.zip", "demo"], folder, input=b"a comment, as GitHub writes one\n")
        archives["zipComment"] = pathlib.Path(folder, "comment.zip").read_bytes()
        (pathlib.Path(folder, "stream.mjs")).write_text(FFLATE)
        (pathlib.Path(folder, "node_modules")).symlink_to(HERE.parent.parent / "node_modules")
        archives["fflate"] = run(["node", "stream.mjs"], folder)
    archives["python"] = write_python(io.BytesIO()).getvalue()
    archives["pythonStreaming"] = bytes(write_python(Unseekable()).buffer)
    archives["macos"] = macos()

    lines = [
        "// Made by make-archives.py with real writers. Do not edit.",
        "",
        "/** Honest ZIPs of one skill, in base64, by the tool that made them. */",
        "export const ARCHIVES = {",
        *(f'  {name}:\n    "{base64.b64encode(data).decode()}",' for name, data in archives.items()),
        "} as const;",
        "",
    ]
    (HERE / "archives.ts").write_text("\n".join(lines))
    print({name: len(data) for name, data in archives.items()})


FFLATE = """
import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import { readFileSync } from "node:fs";
const zip = new Zip((error, chunk) => { if (error) throw error; process.stdout.write(chunk); });
for (const [name, Kind] of [["demo/SKILL.md", ZipDeflate], ["demo/docs/café.md", ZipDeflate], ["demo/scripts/run.sh", ZipPassThrough]]) {
  const file = new Kind(name);
  file.mtime = new Date(2024, 0, 2);
  if (name.endsWith(".sh")) Object.assign(file, { os: 3, attrs: 0o100755 << 16 });
  zip.add(file);
  const bytes = readFileSync(name);
  file.push(bytes.subarray(0, 10));
  file.push(bytes.subarray(10), true);
}
zip.end();
"""

if __name__ == "__main__":
    main()
