import base64, hashlib, hmac, sys, uuid, zlib
data = sys.stdin.buffer.read()
print(hashlib.sha256(data).hexdigest(), hashlib.md5(data).hexdigest(), zlib.crc32(data))
print(base64.b64encode(data).decode(), hmac.new(b"k", data, "sha1").hexdigest(), uuid.uuid5(uuid.NAMESPACE_DNS, "x.org"), hashlib.blake2b(data, digest_size=8).hexdigest())
