import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/domain/digest";
import { call, keyFor } from "../../support/call";
import { publishOwn } from "../../support/chat-turns";
import { openApi } from "../../support/openapi";
import { form, skillZip } from "../../support/skill";

const SKILLS = "/api/v1/kinds/skills";

let alice: string;
let path: string;
let firstVersion: string;

interface File {
  path: string;
  sha256: string;
}

interface Skill {
  metadata: { labels: { id: string } };
  status: { version_id: string; fileHash: string };
}

beforeAll(async () => {
  alice = await keyFor("alice");
  const files = {
    "scripts/run.js": "0123456789",
    "empty.txt": "",
    "图 1/ü (1).svg": "<svg/>",
    "a..b.md": "dots",
    "page.html": "<p>",
  };
  const upload = async (version: string) => {
    const body = form(skillZip({ name: "数据-files", version, files }));
    return (await call("POST", `${SKILLS}/upload`, { key: alice, body })).json<Skill>();
  };
  firstVersion = (await upload("1.0.0")).status.version_id;
  path = `${SKILLS}/${(await upload("2.0.0")).metadata.labels.id}`;
});

const get = (rest: string, headers: Record<string, string> = {}) =>
  call("GET", `${path}${rest}`, { key: alice, headers });

describe("download", () => {
  it("gives the canonical ZIP with its digest as tag", async () => {
    const answer = await get("/download");
    expect(answer.status).toBe(200);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const { status } = await (await get("")).json<Skill>();
    expect(await sha256Hex(bytes)).toBe(status.fileHash);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      etag: `"sha256-${status.fileHash}"`,
      "content-type": "application/zip",
      "content-length": `${bytes.length}`,
      "content-disposition": `attachment; filename="__-files.zip"; filename*=UTF-8''%E6%95%B0%E6%8D%AE-files.zip`,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
    });
    const etag = answer.headers.get("etag")!;
    for (const known of [etag, etag.replace("sha256-", "sha256:")])
      expect((await get("/download", { "if-none-match": known })).status).toBe(304);
    expect((await get("/download", { "if-none-match": etag.replace("sha256-", "sha512:") })).status).toBe(200);
    const again = await call("POST", `${SKILLS}/validate`, { key: alice, body: form(bytes) });
    expect(await again.json()).toMatchObject({ valid: true, name: "数据-files" });
  });

  it("gives an earlier version by id or label", async () => {
    const byId = await (await get(`/download?version=${firstVersion}`)).arrayBuffer();
    const byLabel = await (await get("/download?version=1.0.0")).arrayBuffer();
    expect(await sha256Hex(new Uint8Array(byId))).toBe(await sha256Hex(new Uint8Array(byLabel)));
    const missing = await get("/download?version=3.0.0");
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ code: "VERSION_NOT_FOUND" });
  });

  it("gives parts", async () => {
    const whole = new Uint8Array(await (await get("/download")).arrayBuffer());
    const part = await get("/download", { range: "bytes=10-19" });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe(`bytes 10-19/${whole.length}`);
    expect([...new Uint8Array(await part.arrayBuffer())]).toEqual([...whole.slice(10, 20)]);
  });
});

describe("files", () => {
  it("lists them", async () => {
    const answer = await get("/files");
    const listed = await answer.json<{ path: string; size: number; sha256: string }[]>();
    expect(listed.map((file) => file.path)).toEqual([
      "SKILL.md",
      "a..b.md",
      "empty.txt",
      "page.html",
      "scripts/run.js",
      "图 1/ü (1).svg",
    ]);
    expect(listed[4]).toEqual({ path: "scripts/run.js", size: 10, sha256: await sha256Hex("0123456789") });
    expect((await get("/files", { "if-none-match": answer.headers.get("etag")! })).status).toBe(304);
  });

  it("gives no type to what is only named like something that every object has", async () => {
    const key = await keyFor("proto");
    const names = ["x.constructor", "x.toString", "x.__proto__", "x.hasOwnProperty"];
    const { id } = await publishOwn(key, {
      name: "proto",
      files: Object.fromEntries(names.map((name) => [name, "x"])),
    });
    for (const name of names) {
      const file = await call("GET", `/api/v1/kinds/skills/${id}/files/${name}`, { key });
      expect([name, file.status, file.headers.get("content-type")]).toEqual([name, 200, "application/octet-stream"]);
    }
  });

  it("gives one, whatever its path", async () => {
    const run = await get("/files/scripts/run.js");
    expect(await run.text()).toBe("0123456789");
    expect(run.headers.get("etag")).toBe(`"sha256-${await sha256Hex("0123456789")}"`);
    expect(run.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await (await get("/files/scripts%2Frun.js")).text()).toBe("0123456789");
    expect(await (await get("/files/a..b.md")).text()).toBe("dots");
    const empty = await get("/files/empty.txt");
    expect([empty.status, await empty.text(), empty.headers.get("content-length")]).toEqual([200, "", "0"]);
    const svg = await get(`/files/${encodeURIComponent("图 1")}/${encodeURIComponent("ü (1).svg")}`);
    expect(await svg.text()).toBe("<svg/>");
    expect(svg.headers.get("content-type")).toBe("image/svg+xml");
    expect(svg.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(svg.headers.get("content-disposition")).toBe(
      `inline; filename="___1_.svg"; filename*=UTF-8''%C3%BC%20%281%29.svg`,
    );
    expect((await get("/files/page.html")).headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const missing = await get("/files/scripts/none.js");
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ code: "FILE_NOT_FOUND" });
    expect((await get("/files/../SKILL.md")).status).toBe(404);
  });

  it.each([
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=7-", 206, "789", "bytes 7-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=-30", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=8-99", 206, "89", "bytes 8-9/10"],
    ["bytes=10-", 416, null, "bytes */10"],
    ["bytes=-0", 416, null, "bytes */10"],
    ["bytes=4-2", 200, "0123456789", null],
    ["bytes=0-1,3-4", 200, "0123456789", null],
    ["lines=1-2", 200, "0123456789", null],
  ])("answers Range %s with %i", async (range, status, body, contentRange) => {
    const answer = await get("/files/scripts/run.js", { range });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-range")).toBe(contentRange);
    if (body === null) expect(await answer.json()).toMatchObject({ code: "RANGE_NOT_SATISFIABLE" });
    else expect(await answer.text()).toBe(body);
  });

  it("answers a part only of what the client has", async () => {
    const tag = (await get("/files/scripts/run.js")).headers.get("etag")!;
    expect((await get("/files/scripts/run.js", { range: "bytes=0-1", "if-range": tag })).status).toBe(206);
    expect((await get("/files/scripts/run.js", { range: "bytes=0-1", "if-range": '"old"' })).status).toBe(200);
    expect((await get("/files/scripts/run.js", { "if-none-match": "*" })).status).toBe(304);
  });

  it("answers HEAD without the bytes, and refuses other methods", async () => {
    const request = { method: "HEAD", headers: { authorization: `Bearer ${alice}` } };
    const head = await exports.default.fetch(`https://gateway.test${path}/files/scripts/run.js`, request);
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([
      200,
      `"sha256-${await sha256Hex("0123456789")}"`,
      "",
    ]);
    const put = await call("PUT", `${path}/files/scripts/run.js`, { key: alice });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET"]);
  });
});

describe("files of an older version", () => {
  const read = async (rest: string) => (await get(rest)).text();

  it("are listed and read by the version's id or label, even if it is not current", async () => {
    const now = new Map((await (await get("/files")).json<File[]>()).map((file) => [file.path, file.sha256]));
    for (const version of [firstVersion, "1.0.0"]) {
      const answer = await get(`/versions/${version}/files`);
      const before = await answer.json<File[]>();
      expect(before.map((file) => file.path)).toEqual([...now.keys()]);
      // Only the version in the frontmatter differs.
      expect(before.filter((file) => now.get(file.path) !== file.sha256).map((file) => file.path)).toEqual([
        "SKILL.md",
      ]);
      const headers = { "if-none-match": answer.headers.get("etag")! };
      expect((await get(`/versions/${version}/files`, headers)).status).toBe(304);
      expect(await read(`/versions/${version}/files/SKILL.md`)).toContain('version: "1.0.0"');
      const picture = `${encodeURIComponent("图 1")}/${encodeURIComponent("ü (1).svg")}`;
      const svg = await get(`/versions/${version}/files/${picture}`);
      expect([svg.status, svg.headers.get("content-security-policy")]).toEqual([200, "sandbox; default-src 'none'"]);
    }
    expect(await read("/files/SKILL.md")).toContain('version: "2.0.0"');
    const part = await get(`/versions/${firstVersion}/files/scripts/run.js`, { range: "bytes=2-4" });
    expect([part.status, await part.text()]).toEqual([206, "234"]);
  });

  it("are there when it is yanked, and not below another skill", async () => {
    expect((await call("POST", `${path}/versions/${firstVersion}/yank`, { key: alice })).status).toBe(200);
    expect(await read(`/versions/${firstVersion}/files/SKILL.md`)).toContain('version: "1.0.0"');
    const { id } = await publishOwn(alice, { name: "files-elsewhere" });
    for (const rest of ["files", "files/SKILL.md"]) {
      const elsewhere = await call("GET", `${SKILLS}/${id}/versions/${firstVersion}/${rest}`, { key: alice });
      expect([elsewhere.status, (await elsewhere.json<{ code: string }>()).code]).toEqual([404, "VERSION_NOT_FOUND"]);
      const never = await get(`/versions/ver_nothing/${rest}`);
      expect([never.status, (await never.json<{ code: string }>()).code]).toEqual([404, "VERSION_NOT_FOUND"]);
    }
    const missing = await get(`/versions/${firstVersion}/files/none.md`);
    expect([missing.status, (await missing.json<{ code: string }>()).code]).toEqual([404, "FILE_NOT_FOUND"]);
  });
});

describe("the document", () => {
  it("writes the path of a file as a parameter", async () => {
    const document = await openApi<{
      paths: Record<string, object>;
    }>();
    const paths = Object.keys(document.paths).filter((key) => key.startsWith(SKILLS));
    expect(paths).toContain(`${SKILLS}/{id}/files/{path}`);
    expect(paths.filter((key) => key.includes("{.+}"))).toEqual([]);
  });
});
