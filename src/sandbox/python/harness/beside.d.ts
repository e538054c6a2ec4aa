// The modules that lie beside the harness in its isolate. scripts/build/python makes them, and `isolate.ts` the package's.

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
