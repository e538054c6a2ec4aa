// `npm run try:self-host`: runs nginx and Caddy from Debian's packages, with the blocks of docs/self-host.md, in front of `npm run serve`.
// Everything runs in network and mount namespaces of its own, so that the blocks are used as they are written.
// usage: npm run try:self-host -- [--only nginx | caddy]

import { execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { request as sendRequest } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { strToU8, unzipSync, zipSync } from "fflate";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";
import { Checks, initialize, ORIGIN, openServed, waitFor } from "./kit/served-gateway.mjs";

const USAGE = `Use: npm run try:self-host -- [--only nginx | caddy]
Needs Linux and: apt-get install nginx caddy openssl iproute2`;
/** The environment variable of the process inside the namespaces: the folder of its files. */
const INSIDE = "TRY_SELF_HOST";
const HOST = new URL(ORIGIN).host;
const MiB = 1024 * 1024;
/** A skill has at most 16 MiB, and a file of it 10 MiB. */
const UPLOAD = [8 * MiB, 7 * MiB];
/** Above `client_max_body_size` of the documented block for nginx. */
const TOO_LARGE = 80 * MiB;
/** Wrong keys of one address in a minute, as in wrangler.toml. */
const GUESSES = 30;

const checks = new Checks();

async function main() {
  const { values } = readOptions(USAGE, { only: { type: "string" } });
  const proxies = Object.keys(PROXIES).filter((name) => values.only === undefined || name === values.only);
  if (proxies.length === 0) throw new Refusal(`--only ${values.only} is unknown.\n${USAGE}`);
  const inside = process.env[INSIDE];
  if (inside !== undefined) return tryProxies(inside, proxies);
  const folder = await mkdtemp(path.join(tmpdir(), "try-self-host-"));
  try {
    await prepare(folder);
    const child = spawn(
      "unshare",
      [
        "--map-root-user",
        "--net",
        "--mount",
        "--",
        "sh",
        "-c",
        SETUP,
        "sh",
        folder,
        process.execPath,
        process.argv[1],
        ...process.argv.slice(2),
      ],
      {
        stdio: "inherit",
        env: { ...process.env, [INSIDE]: folder, NODE_EXTRA_CA_CERTS: path.join(folder, "authorities.pem") },
      },
    );
    const [code] = await once(child, "exit");
    process.exitCode = code ?? 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Gives the namespaces a loopback device, the name of the gateway, and the certificate where the block for nginx expects it, beside those of public authorities. */
const SETUP = `set -e
ip link set lo up
mount --make-rprivate /
mount --bind "$1/hosts" /etc/hosts
cp -rL /etc/ssl "$1/ssl"
cp "$1/cert.pem" "$1/ssl/${HOST}.pem"
cp "$1/key.pem" "$1/ssl/${HOST}.key"
mount --bind "$1/ssl" /etc/ssl
shift
exec "$@"`;

async function prepare(folder) {
  await writeFile(path.join(folder, "hosts"), `127.0.0.1 localhost ${HOST}\n`);
  const files = ["-keyout", path.join(folder, "key.pem"), "-out", path.join(folder, "cert.pem")];
  const names = ["-subj", `/CN=${HOST}`, "-addext", `subjectAltName=DNS:${HOST}`];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...files, ...names], {
    stdio: "pipe",
  });
  await writeFile(path.join(folder, "authorities.pem"), await readFile(path.join(folder, "cert.pem")));
  await writeFile(path.join(folder, "blocks.json"), JSON.stringify(await readBlocks()));
}

/** Reads the blocks of the documentation. */
async function readBlocks() {
  const text = await readFile(path.join(root, "docs", "self-host.md"), "utf8");
  const block = (pattern, what) => {
    const found = pattern.exec(text)?.[1];
    if (found === undefined) throw new Refusal(`docs/self-host.md has no block for ${what}.`);
    return found;
  };
  return {
    caddy: block(/Caddy obtains[\s\S]*?```text\n([\s\S]*?)```/, "Caddy"),
    nginx: block(/```nginx\n([\s\S]*?)```/, "nginx"),
  };
}

const PROXIES = {
  async nginx(folder, block) {
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const config = `user root; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; events {}\nhttp { access_log off; ${places.join(" ")}\n${block}\n}\n`;
    await writeFile(path.join(folder, "nginx.conf"), config);
    return spawn("nginx", ["-c", path.join(folder, "nginx.conf"), "-e", path.join(folder, "nginx.log")], {
      stdio: ["ignore", "inherit", "inherit"],
    });
  },
  async caddy(folder, block) {
    // There is no network, so Caddy's own authority issues the certificate.
    await writeFile(path.join(folder, "Caddyfile"), `{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n}\n${block}`);
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    return spawn("caddy", ["run", "--config", path.join(folder, "Caddyfile"), "--adapter", "caddyfile"], {
      env,
      stdio: "ignore",
    });
  },
};

async function tryProxies(folder, proxies) {
  const blocks = JSON.parse(await readFile(path.join(folder, "blocks.json"), "utf8"));
  const vendor = await startVendor();
  for (const name of proxies) {
    console.log(`\n${name}`);
    const state = path.join(folder, `state-${name}`);
    await mkdir(state);
    initialize(state);
    const gateway = await openServed(state, { env: { TRUSTED_PROXIES: "127.0.0.1", MODEL_HOSTS: vendor.url } });
    const proxy = await PROXIES[name](folder, blocks[name]);
    try {
      await waitFor(`${name} listens`, () =>
        ask({ path: "/health/live" }).then(
          ({ status }) => status === 200,
          () => false,
        ),
      );
      await tryProxy(name, gateway, vendor);
    } finally {
      proxy.kill("SIGTERM");
      await once(proxy, "exit");
      await gateway.stop();
    }
  }
  console.log(`\n${checks.count} checks passed`);
  process.exit();
}

async function tryProxy(name, gateway, vendor) {
  const key = { authorization: `Bearer ${gateway.key}` };
  const json = { ...key, "content-type": "application/json" };
  const me = await ask({ path: "/api/v1/me", headers: key });
  checks.that(me.status === 200 && me.encrypted, "TLS ends at the proxy");

  await trySpoofing(name, gateway);
  await tryCookies(gateway);
  await tryStream(gateway, vendor, json);
  await tryUpload(key, gateway);
  await trySocket(json);

  const large = await ask({
    method: "POST",
    path: "/api/v1/groups",
    headers: { ...json, "transfer-encoding": "chunked" },
    body: Buffer.alloc(TOO_LARGE, "x"),
  });
  checks.that(large.status === 413, `a body of ${TOO_LARGE / MiB} MiB in chunks is a 413`);
  const files = await Promise.all(
    ["/../gateway.env", "/..%2fgateway.env", "/%2e%2e/gateway.env", "/v3/", "/gateway.lock"].map((each) =>
      ask({ path: each }),
    ),
  );
  checks.that(
    files.every(({ text, status }) => status >= 400 && !text.includes("GATEWAY_ADMIN_KEY")),
    "no file of the state is served",
  );

  const stream = await openStream(vendor, json);
  const stopped = gateway.stop();
  const rest = await stream.rest();
  await stopped;
  checks.that(rest.includes('"code":"GATEWAY_STOPPING"'), "a stop ends an open stream with an event");
}

/** Headers that the client invents do not count. */
async function trySpoofing(name, gateway) {
  const wrong = (from, n) =>
    ask({
      path: "/api/v1/me",
      from,
      headers: {
        authorization: "Bearer sgw_wrong",
        "x-forwarded-for": `198.51.100.${n}`,
        "x-real-ip": `198.51.100.${n}`,
        "cf-connecting-ip": `198.51.100.${n}`,
        forwarded: `for=198.51.100.${n}`,
      },
    });
  const statuses = [];
  for (let n = 0; n < GUESSES + 10; n++) statuses.push((await wrong("127.0.0.2", n)).status);
  checks.that(
    statuses.filter((status) => status === 429).length === 10,
    "invented addresses do not avoid the limit of wrong keys",
  );
  checks.that((await wrong("127.0.0.3", 0)).status === 401, "another client behind the same proxy is not limited");
  const plain = await ask({ path: "/console", headers: { "x-forwarded-proto": "http" } });
  checks.that(plain.status !== 308, "an invented X-Forwarded-Proto is ignored");
  const other = await ask({ path: "/health", headers: { host: "evil.example" } });
  checks.that(
    other.status === 421 || !other.text.includes("version"),
    `the host of another site is not served (${other.status})`,
  );
  const direct = await fetch(`http://${gateway.listens}/console`, {
    redirect: "manual",
    headers: { "x-forwarded-proto": "http" },
  });
  checks.that(
    direct.status === 308 && direct.headers.get("location") === `${ORIGIN}/console`,
    "a request over http is redirected to https",
  );
  if (name !== "caddy") return;
  const http = await fetch(`http://${HOST}/console`, { redirect: "manual" });
  checks.that(
    http.status === 308 && http.headers.get("location") === `${ORIGIN}/console`,
    "Caddy redirects http to https",
  );
}

async function tryCookies(gateway) {
  const page = {
    "content-type": "application/json",
    origin: ORIGIN,
    "sec-fetch-site": "same-origin",
    "x-skillgate-console": "1",
  };
  const signedIn = await ask({
    method: "POST",
    path: "/console/api/session",
    headers: page,
    body: JSON.stringify({ key: gateway.key }),
  });
  const [cookie] = signedIn.headers["set-cookie"] ?? [""];
  checks.that(
    /^__Host-.*; Secure; SameSite=Strict$/.test(cookie),
    "the cookie of the console is secure and for this host only",
  );
  const headers = { ...page, cookie: cookie.split(";")[0] };
  checks.that((await ask({ path: "/console/api/session", headers })).status === 200, "and signs in");
}

/** Sends a chat whose answer the simulated provider holds back, and reads its first event. */
async function openStream(vendor, json) {
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "hello" }] });
  const sent = open({ method: "POST", path: "/openai/v1/chat/completions", headers: json, body });
  const say = await vendor.asked();
  say("first");
  const [response] = await once(sent, "response");
  let text = "";
  response.setEncoding("utf8").on("data", (part) => {
    text += part;
  });
  await waitFor("the first event", () => text.includes("first"));
  return {
    say,
    async rest() {
      if (!response.readableEnded) await once(response, "close");
      return text;
    },
  };
}

async function tryStream(gateway, vendor, json) {
  const stored = await ask({
    method: "PUT",
    path: "/api/v1/models/m",
    headers: json,
    body: JSON.stringify({ api: ["openai-chat"], base_url: `${vendor.url}/v1`, model: "vendor", scope: "gateway" }),
  });
  if (stored.status >= 300) throw new Refusal(`The model was not stored: ${stored.text}\n${gateway.log()}`);
  const stream = await openStream(vendor, json);
  stream.say("second", true);
  checks.that((await stream.rest()).includes("second"), "events arrive one by one, before the answer ends");
}

async function tryUpload(key, gateway) {
  const noise = UPLOAD.map((size, n) => [`big/noise-${n}.bin`, randomBytes(size)]);
  const text = "---\nname: big\ndescription: A skill of this trial.\nversion: 1.0.0\n---\n\nDo it.\n";
  const zip = zipSync({ "big/SKILL.md": strToU8(text), ...Object.fromEntries(noise) }, { level: 0 });
  const form = new FormData();
  form.set("file", new Blob([zip]), "big.zip");
  const encoded = new Response(form);
  const headers = { ...key, "content-type": encoded.headers.get("content-type") };
  const made = await ask({
    method: "POST",
    path: "/api/v1/kinds/skills/public",
    headers,
    body: Buffer.from(await encoded.arrayBuffer()),
  });
  if (made.status !== 201)
    throw new Refusal(`The upload was rejected (${made.status}): ${made.text}\n${gateway.log().slice(-1_500)}`);
  checks.that(true, `an upload of ${(zip.length / MiB).toFixed(0)} MiB is stored`);
  const { id } = JSON.parse(made.text).metadata.labels;
  const download = await ask({ path: `/api/v1/kinds/skills/public/${id}/download`, headers: key });
  const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
  if (download.status !== 200) throw new Refusal(`The download was not served: ${download.text}`);
  const file = unzipSync(download.bytes)["big/noise-1.bin"] ?? new Uint8Array();
  checks.that(digest(file) === digest(noise[1][1]), `and downloaded as it was`);
}

async function trySocket(json) {
  await ask({ method: "POST", path: "/api/v1/conversations", headers: json, body: '{"id":"socket"}' });
  const { ticket } = JSON.parse(
    (await ask({ method: "POST", path: "/api/v1/conversations/socket/tickets", headers: json, body: "{}" })).text,
  );
  const sent = open({
    path: "/api/v1/conversations/socket/socket",
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
      "sec-websocket-protocol": `skill-gateway.v1, ticket.${ticket}`,
    },
  });
  const [response, socket, head] = await Promise.race([
    once(sent, "upgrade"),
    once(sent, "response").then(([{ statusCode }]) => {
      throw new Refusal(`The upgrade was rejected (${statusCode}).`);
    }),
  ]);
  let received = head.toString("latin1");
  socket.on("data", (part) => {
    received += part.toString("latin1");
  });
  socket.write(textFrame(JSON.stringify({ type: "hello" })));
  await waitFor("the welcome", () => received.includes("welcome"));
  checks.that(response.statusCode === 101, "a WebSocket passes, in both directions");
  socket.destroy();
}

/** A masked frame of a client (RFC 6455, section 5.2) with at most 125 bytes. */
function textFrame(text) {
  const mask = randomBytes(4);
  const bytes = Buffer.from(text).map((byte, n) => byte ^ mask[n % 4]);
  return Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length]), mask, bytes]);
}

/** Sends a request to the proxy from another address than the proxy's. Certificates of Caddy's own authority are not checked. */
function open({ method = "GET", path: target, headers = {}, body, from = "127.0.0.4" }) {
  const sent = sendRequest({
    host: "127.0.0.1",
    servername: HOST,
    port: 443,
    localAddress: from,
    agent: false,
    rejectUnauthorized: false,
    method,
    path: target,
    headers: {
      host: HOST,
      ...(body === undefined || headers["transfer-encoding"] ? {} : { "content-length": Buffer.byteLength(body) }),
      ...headers,
    },
  });
  sent.end(body);
  return sent;
}

async function ask(options) {
  const sent = open(options);
  // A proxy may answer and close before it has read the body.
  const [response] = await once(sent, "response");
  sent.on("error", () => {});
  const parts = [];
  for await (const part of response) parts.push(part);
  const bytes = Buffer.concat(parts);
  return {
    status: response.statusCode,
    headers: response.headers,
    bytes,
    text: bytes.toString("utf8"),
    encrypted: response.socket.encrypted === true,
  };
}

/** A model provider whose answers this script writes event by event. */
async function startVendor() {
  const waiting = [];
  const server = createServer(async (request, response) => {
    request.resume();
    await once(request, "end");
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = (fields) =>
      response.write(
        `data: ${JSON.stringify({ id: "a", object: "chat.completion.chunk", created: 1, model: "vendor", ...fields })}\n\n`,
      );
    waiting.push((content, isLast = false) => {
      event({ choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] });
      if (!isLast) return;
      event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
      response.end("data: [DONE]\n\n");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked: () => waitFor("the model is asked", () => waiting.shift()),
  };
}

main().catch(fail);
