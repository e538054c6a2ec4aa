// Creates tar archives like those of Git hosts, optionally with defects.

export interface TarFile {
  path: string;
  text?: string | Uint8Array;
  /** `0`: a file; `5`: a folder; `2`: a link; `x`, `g`, `L`: headers. */
  type?: string;
  mode?: number;
  /** A false size for the header. */
  size?: number;
}

const encoder = new TextEncoder();

export function tarOf(files: readonly TarFile[]): Uint8Array<ArrayBuffer> {
  const blocks = files.flatMap(({ path, text = "", type = "0", mode = 0o644, size }) => {
    const header = new Uint8Array(512);
    const data = typeof text === "string" ? encoder.encode(text) : text;
    const write = (value: string, at: number) => header.set(encoder.encode(value), at);
    write(path, 0);
    write(mode.toString(8).padStart(7, "0"), 100);
    write((size ?? data.length).toString(8).padStart(11, "0"), 124);
    write("        ", 148);
    write(type, 156);
    write("ustar\x0000", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, data, new Uint8Array((512 - (data.length % 512)) % 512)];
  });
  return joined([...blocks, new Uint8Array(1024)]);
}

/** Compresses with the runtime's gzip, independently of the gateway's code. */
export async function gzipOf(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** Returns an archive like a Git host's: a header with the commit, then all files in one folder. */
export function hostTar(
  files: Record<string, string | Uint8Array>,
  more: readonly TarFile[] = [],
): Uint8Array<ArrayBuffer> {
  const commit = "52 comment=0123456789012345678901234567890123456789\n";
  const entries = Object.entries(files).map(([path, text]) => ({ path: `repo-main/${path}`, text }));
  return tarOf([
    { path: "pax_global_header", type: "g", text: commit },
    { path: "repo-main/", type: "5" },
    ...entries,
    ...more,
  ]);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
