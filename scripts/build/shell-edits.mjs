// Edits npm's just-bash while it is bundled. The edits are under the Apache-2.0, like the file they change (see THIRD_PARTY.md). Many real
// scripts need each of them.

/** Functions of src/sandbox/guest/shell/process.js that the edits call. */
export const SHELL_CALLS = [
  "beginScript",
  "breathe",
  "fileFault",
  "isArithmetic",
  "notFound",
  "placed",
  "placeError",
  "takeTrap",
];

/** Pairs of a text in just-bash's browser.js and its replacement. Each text must occur exactly once. */
const EDITS = [
  // An unquoted `$CMD` of several words is a command and its first arguments.
  [
    "let u=await _e(this.ctx,t.name),f=[],d=[],p=",
    'let words_=(await dr(this.ctx,t.name)).values,u=words_[0]??"",f=words_.slice(1),d=f.map(()=>!1),p=',
  ],
  // Sets BASH_SOURCE in a sourced file, and restores it afterwards.
  ["e.state.currentSource=r;try{", "e.state.currentSource=r,e.state.sourceStack=[r,...e.state.sourceStack??[]];try{"],
  [
    "if(e.state.sourceDepth--,e.state.currentSource=a,",
    "if(e.state.sourceDepth--,e.state.currentSource=a,e.state.sourceStack=e.state.sourceStack?.slice(1),",
  ],
  // An assignment alone has status 0, unless it contains a failing command substitution.
  [
    'return this.ctx.state.expansionStderr="",Q("",N,this.ctx.state.lastExitCode)}',
    'return this.ctx.state.expansionStderr="",Q("",N,JSON.stringify(t.assignments).includes(\'"CommandSubstitution"\')?this.ctx.state.lastExitCode:0)}',
  ],
  // A script runs as a separate process, has its path in `$0`, and runs its trap at its end.
  ['e.state.currentSource=t,e.state.env.set("0",t)', 'e.state.env.set("0",beginScript(e.state,t))'],
  [
    "try{let c=new be().parse(i),u=await s(c);return a(),u}catch(l){if(a(),l instanceof he)",
    `let part_=async x=>{try{return await s(new be().parse(x))}catch(l){if(l instanceof he)return{...Q(l.stdout,l.stderr,l.exitCode),left_:!0};throw l}};
try{let u=await part_(i),trap_=takeTrap(e.state,u.exitCode);if(trap_){let v=await part_(trap_),both=new hn(e.executionScope,"script");
both.appendResult(u,$c(u)),both.appendResult(v,$c(v)),u=both.build(v.left_?v.exitCode:u.exitCode)}return a(),u}catch(l){if(a(),l instanceof he)`,
  ],
  // The interpreter yields from time to time so that timers can run. Everything it awaits is ready at once, so nothing else would get a
  // turn.
  [
    'async executeStatement(t){if(this.assertDefenseContext("statement"),',
    'async executeStatement(t){let turn_=breathe();if(turn_&&await turn_,this.assertDefenseContext("statement"),',
  ],
  // Output that was written before the script was stopped is not lost.
  [
    "throw i instanceof _t&&i.prependOutput(r.stdout,r.stderr),i}return{...r.build(n),env:Ht(this.ctx.state.env)}",
    "throw(i instanceof _t||i instanceof He)&&i.prependOutput(r.stdout,r.stderr),i}return{...r.build(n),env:Ht(this.ctx.state.env)}",
  ],
  // A file that cannot be written fails its command, not the whole script.
  [
    "catch(a){throw await Ad(this.ctx,s).catch(()=>{}),a}",
    "catch(a){placeError(a,this.ctx.state);let told_=fileFault(a);if(told_===null)throw await Ad(this.ctx,s).catch(()=>{}),a;i=K(told_)}",
  ],
  // A missing command is reported with the gateway's own message.
  [
    /return n4\(t\)\?K\(`bash: \$\{t\}: command not available[^`]*`,127\):K\(`bash: \$\{t\}: command not found\n`,127\)/,
    "return K(notFound(t),127)",
  ],
  // Errors of the shell contain the script and the line, like those of bash. A program that is started by name has that name in `$0`.
  [
    "let s=jw(this.ctx),i;try{i=await this.executeCommandInner(t,n,r)}",
    "let s=jw(this.ctx),i;try{i=await this.executeCommandInner(t,n,r),i=placed(i,this.ctx.state)}",
  ],
  ["await a(c.path,n,r);let{cmd:u,path:f}=c;", "(i.state.called_=t,await a(c.path,n,r));let{cmd:u,path:f}=c;"],
  // The first line counts, too.
  ["(i=i.slice(l+1))}let o=e.state.loopDepth", "(i=i.slice(l))}let o=e.state.loopDepth"],
  // `((a -= 1))` is not parsed as a command with an option.
  ["this.looksLikeNestedSubshells(n+2)||this.dparenClosesWithSpacedParens(n+2)?", "!isArithmetic(this.input,n+2)?"],
  // `$(( ${count[$key]:-0} + 1 ))`: an array element is evaluated like a variable.
  [
    'a=e.state.env.get(i),l=a===void 0,c=a==="",u=s.startsWith(":")',
    'a=i.includes("[")?await We(e,i)||void 0:e.state.env.get(i),l=a===void 0,c=a==="",u=s.startsWith(":")',
  ],
  // `"${2:-x}"` as a whole word is not an unset variable under `set -u`.
  ['c=await Cr(e,l),u=await We(e,l),f=u===""', 'c=await Cr(e,l),u=await We(e,l,!1),f=u===""'],
  // `printf %d "' "`: the character can be a space.
  ["function aa(e){Yn=!1;", "function aa(e){Yn=!1;if(/^['\"][^]$/u.test(e))return e.codePointAt(1);"],
  // sort: blanks before the first field do not form a field.
  [
    "s=e.split(r),i=t.startField-1;if(i>=s.length)",
    "s=(n!==null?e:e.trimStart()).split(r),i=t.startField-1;if(i>=s.length)",
  ],
  // jq: reads the other files if one cannot be opened, as the real one.
  ["let x=[];if(!l)if(m.length===0||", 'let x=[],unread_="";if(!l)if(m.length===0||'],
  [
    'let S=await n("file read",()=>Js(t,m,{cmdName:"jq",stopOnError:!0}));if(S.exitCode!==0)return{stdout:"",stderr:S.stderr,exitCode:2};x=',
    'let S=await n("file read",()=>Js(t,m,{cmdName:"jq"}));unread_=S.stderr.replace(/^jq: /gm,"jq: error: Could not open file ");x=',
  ],
  [
    ':"",stderr:"",exitCode:M}}catch(S){if(S instanceof ye)',
    ':"",stderr:unread_,exitCode:unread_===""?M:2}}catch(S){if(S instanceof ye)',
  ],
  // jq: @csv quotes all texts, whatever they contain.
  ['let i=String(s);return i.includes(",")||', 'let i=String(s);return!0||i.includes(",")||'],
];

/** @param {string} text of just-bash's browser.js */
export function editShell(text) {
  return EDITS.reduce((before, [what, by]) => replaceOnce(before, what, by), text);
}

/** just-bash's internals are not a public interface. If a new version differs here, the edits need a review. */
function replaceOnce(text, what, by) {
  const parts = text.split(what);
  if (parts.length !== 2)
    throw new Error(`The edit does not match just-bash (found ${parts.length - 1} times, expected once): ${what}`);
  return parts.join(by);
}
