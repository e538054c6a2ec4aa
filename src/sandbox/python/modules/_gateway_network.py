"""Sends HTTP requests of Python code through the gateway, which sends them to approved hosts only.

Libraries write HTTP into a socket. This module replaces the socket by one that reads the request, lets the gateway send it, and
returns the response as HTTP.
"""

import io, json, socket
import _gateway_bridge as bridge
from pyodide.ffi import can_run_sync, run_sync, to_js

try:
    import ssl
except ImportError:
    ssl = None


#: Whether the skill of the current run declares hosts.
_is_open = False


def begin(is_open):
    global _is_open
    _is_open = bool(is_open)


class GatewaySocket:
    """A connected socket to one host. Created by `socket.create_connection`, which HTTP libraries use."""

    family, type, proto = socket.AF_INET, socket.SOCK_STREAM, 0

    def __init__(self, address, timeout=None):
        self._address, self._timeout = address, timeout
        self._tls = self._closed = False
        self._sent, self._received = bytearray(), bytearray()
        #: The length of the request that is being written, once its head is complete.
        self._length = None

    def send(self, data, flags=0):
        if self._closed:
            raise OSError(9, "Bad file descriptor")
        self._sent += data
        # A request is sent when it is complete, so that its failure is one of `connect` and `send`.
        if self._is_complete():
            self._exchange()
        return len(data)

    def sendall(self, data, flags=0):
        self.send(data)

    def recv(self, size, flags=0):
        if not self._received and self._sent:
            self._exchange()
        data = bytes(self._received[:size])
        del self._received[:size]
        return data

    def recv_into(self, buffer, size=0, flags=0):
        data = self.recv(size or len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def makefile(self, mode="r", buffering=None, **options):
        raw = _Stream(self)
        if buffering == 0:
            return raw
        file = io.BufferedWriter(raw) if "w" in mode else io.BufferedReader(raw)
        return file if "b" in mode else io.TextIOWrapper(file, **options)

    def _is_complete(self):
        if self._length is None:
            end = self._sent.find(b"\r\n\r\n")
            if end < 0:
                return False
            _, _, _, names, _ = _parsed(bytes(self._sent[: end + 4]))
            chunked = names.get("transfer-encoding") == "chunked"
            self._length = -1 if chunked else end + 4 + int(names.get("content-length") or 0)
        if self._length < 0:
            return self._sent.endswith(b"\r\n0\r\n\r\n")
        return len(self._sent) >= self._length

    def _exchange(self):
        method, target, headers, _, body = _parsed(bytes(self._sent))
        self._sent.clear()
        self._length = None
        host, port = self._address[:2]
        scheme, default = ("https", 443) if self._tls else ("http", 80)
        place = host if port == default else f"{host}:{port}"
        url = target if "://" in target else f"{scheme}://{place}{target}"
        if not can_run_sync():
            raise OSError("Requests cannot be sent here. Send them from the main thread of the script.")
        asked = json.dumps({"url": url, "method": method, "headers": headers})
        answer = run_sync(bridge.fetch(asked, to_js(body)))
        head = json.loads(answer.head)
        if "error" in head:
            raise OSError(head["error"])
        content = answer.body.to_bytes()
        lines = [f"HTTP/1.1 {head['status']} {head['statusText']}"]
        skipped = ("content-length", "transfer-encoding", "connection")
        lines += [f"{name}: {value}" for name, value in head["headers"] if name.lower() not in skipped]
        length = [] if head["status"] in (204, 304) else [f"content-length: {len(content)}"]
        # The length of the response to HEAD is that of the content that a GET would return.
        if method == "HEAD":
            length = [f"{name}: {value}" for name, value in head["headers"] if name.lower() == "content-length"]
        self._received += "\r\n".join([*lines, *length, "", ""]).encode("latin-1") + content

    def close(self):
        self._closed = True

    def shutdown(self, how):
        pass

    def detach(self):
        return -1

    def fileno(self):
        return -1

    def settimeout(self, timeout):
        self._timeout = timeout

    def gettimeout(self):
        return self._timeout

    def setblocking(self, flag):
        pass

    def setsockopt(self, *args):
        pass

    def getsockopt(self, *args):
        return 0

    def getpeername(self):
        return self._address

    def getsockname(self):
        return ("10.0.0.2", 40000)

    def getpeercert(self, binary_form=False):
        return b"" if binary_form else {}

    def selected_alpn_protocol(self):
        return "http/1.1" if self._tls else None

    def version(self):
        return "TLSv1.3" if self._tls else None

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()


class _Stream(io.RawIOBase):
    def __init__(self, connection):
        self._connection = connection

    def readable(self):
        return True

    def writable(self):
        return True

    def readinto(self, buffer):
        return self._connection.recv_into(buffer)

    def write(self, data):
        return self._connection.send(data)


def _parsed(sent):
    """Returns method, target, headers (as a list, and by lower-case name) and body of one HTTP/1.1 request (RFC 9112)."""
    head, _, rest = sent.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target = (first.split(" ") + ["", ""])[:2]
    pairs = [line.partition(":") for line in lines]
    headers = [(name.strip(), value.strip()) for name, colon, value in pairs if colon]
    names = {name.lower(): value.lower() for name, value in headers}
    body = _unchunked(rest) if names.get("transfer-encoding") == "chunked" else rest
    dropped = ("transfer-encoding", "content-length", "connection", "accept-encoding", "host")
    return method, target, [pair for pair in headers if pair[0].lower() not in dropped], names, body


def _unchunked(rest):
    body = bytearray()
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        count = int(size.split(b";")[0] or b"0", 16)
        if count == 0:
            break
        body += rest[:count]
        rest = rest[count + 2 :]
    return bytes(body)


def create_connection(address, timeout=None, source_address=None, *, all_errors=False):
    if not _is_open:
        raise OSError("There is no network. Code reaches the hosts that its skill declares as `network` in SKILL.md.")
    return GatewaySocket(address, timeout)


socket.create_connection = create_connection

if ssl is not None:
    _wrap_socket = ssl.SSLContext.wrap_socket

    def wrap_socket(self, sock, *args, **options):
        if not isinstance(sock, GatewaySocket):
            return _wrap_socket(self, sock, *args, **options)
        sock._tls = True
        return sock

    ssl.SSLContext.wrap_socket = wrap_socket
