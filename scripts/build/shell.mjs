// Builds what stands around shell scripts in their isolate, from guest/shell/ and npm's just-bash, into public/sandbox/shell.js, where
// the gateway reads it as text. What is edited in just-bash, and why, stands beside each edit; THIRD_PARTY.md says more.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { readOrNull, root, writeWhole } from "../kit/files.mjs";
import { bundle, WORKERD } from "./bundle.mjs";
import { kept } from "./kept.mjs";

const ENTRY = "guest/shell/main.js";
const THIS = "scripts/build/shell.mjs";
const OURS = "guest/shell/process.js";

/** What stands in just-bash's browser.js, and what stands there instead. Each must be there exactly once. */
const EDITS = [
  // An unquoted `$CMD` of several words is a command and its first arguments.
  [
    "let u=await _e(this.ctx,t.name),f=[],d=[],p=",
    'let words_=(await dr(this.ctx,t.name)).values,u=words_[0]??"",f=words_.slice(1),d=f.map(()=>!1),p=',
  ],
  // BASH_SOURCE in a file that is sourced, and after it.
  ["e.state.currentSource=r;try{", "e.state.currentSource=r,e.state.sourceStack=[r,...e.state.sourceStack??[]];try{"],
  [
    "if(e.state.sourceDepth--,e.state.currentSource=a,",
    "if(e.state.sourceDepth--,e.state.currentSource=a,e.state.sourceStack=e.state.sourceStack?.slice(1),",
  ],
  // A script is a process of its own, knows its path, and ends with its trap.
  [
    'e.state.currentSource=t,e.state.env.set("0",t)',
    'e.state.currentSource=t,beginScript(e.state),e.state.env.set("0",t)',
  ],
  [
    "try{let c=new be().parse(i),u=await s(c);return a(),u}catch(l){if(a(),l instanceof he)",
    `let part_=async x=>{try{return await s(new be().parse(x))}catch(l){if(l instanceof he)return{...Q(l.stdout,l.stderr,l.exitCode),left_:!0};throw l}};
try{let u=await part_(i),trap_=takeTrap(e.state,u.exitCode);if(trap_){let v=await part_(trap_),both=new hn(e.executionScope,"script");
both.appendResult(u,$c(u)),both.appendResult(v,$c(v)),u=both.build(v.left_?v.exitCode:u.exitCode)}return a(),u}catch(l){if(a(),l instanceof he)`,
  ],
  // It steps aside now and then, so that clocks are heard: whatever it waits for is there at once, and nothing else gets a turn.
  [
    'async executeStatement(t){if(this.assertDefenseContext("statement"),',
    'async executeStatement(t){let turn_=breathe();if(turn_&&await turn_,this.assertDefenseContext("statement"),',
  ],
  // What it wrote before it was stopped is not lost.
  [
    "throw i instanceof _t&&i.prependOutput(r.stdout,r.stderr),i}return{...r.build(n),env:Ht(this.ctx.state.env)}",
    "throw(i instanceof _t||i instanceof He)&&i.prependOutput(r.stdout,r.stderr),i}return{...r.build(n),env:Ht(this.ctx.state.env)}",
  ],
  // A file that cannot be written fails its command, and not the whole script.
  [
    "catch(a){throw await Ad(this.ctx,s).catch(()=>{}),a}",
    "catch(a){let told_=fileFault(a);if(told_===null)throw await Ad(this.ctx,s).catch(()=>{}),a;i=K(told_)}",
  ],
  // What is not there is told as it is here.
  [
    /return n4\(t\)\?K\(`bash: \$\{t\}: command not available[^`]*`,127\):K\(`bash: \$\{t\}: command not found\n`,127\)/,
    "return K(notFound(t),127)",
  ],
];

/**
 * Writes the harness of shell scripts, unless it is there and current.
 * @param {string} folder where static files live
 * @returns {Promise<boolean>} whether something was written
 */
export async function prepareShell(folder) {
  const file = path.join(folder, "sandbox", "shell.js");
  const text = await kept("guest-shell", bundleShell);
  if ((await readOrNull(file)) === text) return false;
  await writeWhole(file, text);
  return true;
}

const edited = {
  name: "just-bash as it is here",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]just-bash[\\/]dist[\\/]bundle[\\/]browser\.js$/ }, async (args) => {
      const text = await readFile(args.path, "utf8");
      const ours = path.relative(path.dirname(args.path), path.join(root, OURS)).split(path.sep).join("/");
      const first = `import { beginScript, breathe, fileFault, notFound, takeTrap } from ${JSON.stringify(ours)};\n`;
      return {
        contents: first + EDITS.reduce((before, [what, by]) => replaceOnce(before, what, by), text),
        loader: "js",
      };
    });
  },
};

/** The inside of just-bash is no interface: another version may look different, and then somebody has to look, too. */
function replaceOnce(text, what, by) {
  const parts = text.split(what);
  if (parts.length !== 2)
    throw new Error(`just-bash has changed: expected once, found ${parts.length - 1} times: ${what}`);
  return parts.join(by);
}

async function bundleShell() {
  const { outputFiles, metafile } = await bundle({
    ...WORKERD,
    platform: "browser",
    conditions: [],
    entryPoints: [ENTRY],
    minify: true,
    keepNames: false,
    legalComments: "none",
    metafile: true,
    plugins: [edited],
  });
  return { result: outputFiles[0].text, metafile: { inputs: { ...metafile.inputs, [THIS]: {} } } };
}
