import io, zipfile, tarfile, gzip
data = io.BytesIO()
with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr(zipfile.ZipInfo("a/b.txt", (2024, 1, 1, 0, 0, 0)), "text " * 100)
with zipfile.ZipFile(data) as z:
    print(z.namelist(), len(z.read("a/b.txt")), z.testzip(), z.infolist()[0].CRC)
print(gzip.decompress(gzip.compress(b"abc")))
