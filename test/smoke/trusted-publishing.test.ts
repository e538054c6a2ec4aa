// The jobs in docs/trusted-publishing.md, run against a gateway and a local issuer that imitates GitHub Actions and GitLab CI.

import { spawn } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { githubClaims, gitlabClaims } from "../support/ci-claims";
import { Issuer, sign } from "../support/issuer";
import { program, Stub, skillText, WorkFolder } from "../support/skillgate";
import { type Gateway, startShared } from "./launcher";

const REQUEST_TOKEN = "the token of the job at its runner";

let gateway: Gateway;
let work: WorkFolder;
let issuer: Stub;
let url: string;
let keys: Issuer;
let pair: Awaited<ReturnType<Issuer["add"]>>;
/** Audiences for which a job has requested a token. */
const requested: (string | null)[] = [];

/** The metadata and keys of the issuer, and the endpoint at which a job of GitHub Actions requests its token. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", url);
  const bodies: Record<string, () => unknown> = {
    "/.well-known/openid-configuration": () => ({ issuer: url, jwks_uri: `${url}/jwks` }),
    "/jwks": () => ({ keys: keys.published }),
    "/token": async () => {
      if (request.headers.authorization !== `Bearer ${REQUEST_TOKEN}`) throw new Error("another job asks");
      const aud = searchParams.get("audience");
      requested.push(aud);
      return { value: await sign(pair, githubClaims(url, { aud })) };
    },
  };
  const body = bodies[pathname];
  response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify((await body?.()) ?? {}));
}

beforeAll(async () => {
  keys = new Issuer();
  pair = await keys.add("ci", "RS256");
  issuer = await Stub.open((request, response) => void answer(request, response));
  url = issuer.url;
  gateway = await startShared();
  work = await WorkFolder.make();
  await mkdir(path.join(work.folder, "bin"), { recursive: true });
  // The job's `npx --package skill-gateway skillgate` starts the program of this checkout.
  const npx = path.join(work.folder, "bin", "npx");
  const lines = ["#!/bin/sh", 'while [ "$1" != skillgate ]; do shift; done', "shift"];
  await writeFile(npx, `${[...lines, `exec "${process.execPath}" "${await program()}" "$@"`].join("\n")}\n`);
  await chmod(npx, 0o755);
});
afterAll(async () => {
  issuer?.close();
  await work?.remove();
});

/** The YAML blocks of the page, in order: GitHub Actions, GitLab CI. */
async function jobs(): Promise<unknown[]> {
  const page = await readFile("docs/trusted-publishing.md", "utf8");
  return [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => parse(text));
}

async function newPublisher(name: string, claims: Record<string, string>): Promise<string> {
  const response = await gateway.fetch(`/api/v1/publishers/${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ issuer: url, claims, skills: ["tide-tables"], scope: "public" }),
  });
  const { id } = (await response.json()) as { id: string };
  return id;
}

/** Runs the lines of a job as its runner does, in a shell that ends with the first failure. */
function run(lines: string[], env: Record<string, string>): Promise<{ code: number | null; text: string }> {
  const shell = spawn("sh", ["-e", "-c", lines.join("\n")], {
    cwd: work.folder,
    env: {
      PATH: `${path.join(work.folder, "bin")}:${process.env.PATH ?? ""}`,
      HOME: work.folder,
      CI: "true",
      ...env,
    },
  });
  let text = "";
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
  return new Promise((resolve) => {
    shell.once("close", (code) => resolve({ code, text }));
  });
}

async function provenanceOf(version: string): Promise<unknown> {
  const list = await gateway.fetch("/api/v1/kinds/skills?name=tide-tables");
  const { items } = (await list.json()) as { items: { metadata: { labels: { id: string } } }[] };
  const id = items[0]?.metadata.labels.id;
  const versions = await gateway.fetch(`/api/v1/kinds/skills/${id}/versions`);
  const found = (await versions.json()) as { items: { version: string; provenance?: unknown }[] };
  return found.items.find((item) => item.version === version)?.provenance;
}

const writeSkill = (version: string) =>
  work.write({ "skills/tide-tables/SKILL.md": skillText("tide-tables", "Tells when the tide is high.", version) });

describe("the job of", () => {
  it("GitHub Actions publishes, and repeats nothing it may not", async () => {
    const [job] = (await jobs()) as [
      { permissions: object; env: Record<string, string>; jobs: { publish: { steps: { run?: string }[] } } },
    ];
    expect(job.permissions).toEqual({ contents: "read", "id-token": "write" });
    expect(Object.keys(job.env)).toEqual(["GATEWAY_URL", "SKILLGATE_PUBLISHER"]);
    const lines = job.jobs.publish.steps.flatMap((step) => (step.run === undefined ? [] : [step.run]));
    expect(lines).toHaveLength(1);
    await writeSkill("1.0.0");
    const env = {
      GATEWAY_URL: gateway.url,
      SKILLGATE_PUBLISHER: await newPublisher("github", { repository: "acme/skills", environment: "release" }),
      GITHUB_ACTIONS: "true",
      ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
    };
    const ended = await run(lines, env);
    expect(ended).toEqual({ code: 0, text: expect.stringContaining("tide-tables 1.0.0 was published as") });
    expect(ended.text).not.toMatch(/sgp_|eyJ/);
    expect(requested).toEqual([gateway.url]);
    expect(
      (await run(['npx skillgate info tide-tables --url "$GATEWAY_URL" --key "$KEY"'], { ...env, KEY: gateway.key }))
        .text,
    ).toMatch(/built from +acme\/skills at 0123456789abcdef/);
    expect(await provenanceOf("1.0.0")).toMatchObject({ publisher: "github", repository: "acme/skills" });

    const { ACTIONS_ID_TOKEN_REQUEST_URL: _, ...without } = env;
    expect(await run(lines, without)).toMatchObject({ code: 3, text: expect.stringContaining("id-token: write") });
    await newPublisher("github", { repository: "acme/skills", environment: "production" });
    expect(await run(lines, env)).toMatchObject({ code: 3, text: expect.stringContaining("PUBLISHER_TOKEN_REFUSED") });
  });

  it("GitLab CI publishes", async () => {
    const [, { publish: job }] = (await jobs()) as [
      unknown,
      { publish: { id_tokens: Record<string, { aud: string }>; variables: Record<string, string>; script: string[] } },
    ];
    expect(Object.keys(job.id_tokens)).toEqual(["SKILLGATE_ID_TOKEN"]);
    expect(job.id_tokens.SKILLGATE_ID_TOKEN?.aud).toBe(job.variables.GATEWAY_URL);
    await writeSkill("1.1.0");
    const env = {
      GATEWAY_URL: gateway.url,
      SKILLGATE_PUBLISHER: await newPublisher("gitlab", { project_path: "acme/tools/skills", ref_protected: "true" }),
      GITLAB_CI: "true",
      SKILLGATE_ID_TOKEN: await sign(pair, gitlabClaims(url, { aud: gateway.url })),
    };
    expect(await run(job.script, env)).toEqual({
      code: 0,
      text: expect.stringContaining("tide-tables 1.1.0 was published as"),
    });
    expect(await provenanceOf("1.1.0")).toMatchObject({
      publisher: "gitlab",
      repository: "acme/tools/skills",
      run_url: `${url}/acme/tools/skills/-/jobs/9001`,
    });
    // The token was used.
    expect(await run(job.script, env)).toMatchObject({ code: 3 });
  });
});

it("sends no token over a connection that others can read", async () => {
  const ended = await run(["npx skillgate push skills/tide-tables --url http://gateway.acme.dev --publisher pub_1"], {
    SKILLGATE_ID_TOKEN: "a.b.c",
  });
  expect(ended).toMatchObject({ code: 2, text: expect.stringContaining("is not https") });
});
