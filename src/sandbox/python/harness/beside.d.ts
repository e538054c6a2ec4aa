// Declares the modules next to the harness in its isolate. scripts/build/python builds them, except those of the package, which
// `isolate.ts` creates.

declare module "*/core.js" {
  export default function createModule(settings: object): Promise<import("./emscripten").Core>;
}

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*.zip" {
  const bytes: ArrayBuffer;
  export default bytes;
}

declare module "*/package.json" {
  const files: readonly { path: string; offset: number; size: number }[];
  export default files;
}
