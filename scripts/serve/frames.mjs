// Finds where a WebSocket frame ends in a stream of bytes (RFC 6455, section 5.2), so that a closing frame can follow it.

/** Status code "service restart" of the registry of WebSocket close codes. */
const SERVICE_RESTART = 1012;

/** Follows the frames that a server sends, which are not masked. */
export class FrameTracker {
  #header = [];
  #left = 0;

  /** Whether the next byte begins a frame. */
  get isBetweenFrames() {
    return this.#left === 0 && this.#header.length === 0;
  }

  /** @param {Uint8Array} bytes the next bytes of the stream */
  push(bytes) {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, bytes.length - at);
        this.#left -= taken;
        at += taken;
        continue;
      }
      this.#header.push(bytes[at]);
      at++;
      this.#readLength();
    }
  }

  #readLength() {
    const header = this.#header;
    if (header.length < 2) return;
    const short = header[1] & 0x7f;
    const size = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (header.length < 2 + size) return;
    this.#left = size === 0 ? short : header.slice(2).reduce((sum, byte) => sum * 256 + byte, 0);
    this.#header = [];
  }
}

/**
 * Returns a closing frame of a server.
 * @param {string} reason at most 123 bytes
 */
export function closingFrame(reason, code = SERVICE_RESTART) {
  const text = Buffer.from(reason);
  return Buffer.concat([Buffer.from([0x88, text.length + 2, code >> 8, code & 0xff]), text]);
}
