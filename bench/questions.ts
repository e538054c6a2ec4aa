// Floors for questions to the browser: the minimum that any gateway needs, in plain code. Wired into bench/worker.ts.

import { DurableObject } from "cloudflare:workers";

/** Writes a row, sets the alarm, sends a frame, receives the answer, updates the row. Sockets hibernate; `echo:` is sent back at once. */
export class AskingFloor extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;
  readonly #waiting = new Map<string, (answer: string) => void>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS asked (id TEXT PRIMARY KEY, payload TEXT NOT NULL, deadline INTEGER NOT NULL, answer TEXT)",
    );
  }

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  async ask(payload: string): Promise<string> {
    const id = crypto.randomUUID();
    const deadline = Date.now() + 30_000;
    this.#sql.exec("INSERT INTO asked (id, payload, deadline) VALUES (?, ?, ?)", id, payload, deadline);
    void this.ctx.storage.setAlarm(deadline);
    const answered = new Promise<string>((resolve) => this.#waiting.set(id, resolve));
    for (const socket of this.ctx.getWebSockets()) socket.send(JSON.stringify({ id, payload }));
    return answered;
  }

  override async webSocketMessage(socket: WebSocket, message: string): Promise<void> {
    if (message.startsWith("echo:")) return socket.send(message);
    const { id, answer } = JSON.parse(message);
    // As in the gateway, the key of a socket is checked for every answer.
    await this.env.DB.prepare("SELECT * FROM keys WHERE id = ? AND revoked_at IS NULL").bind("bench").first();
    this.#sql.exec("UPDATE asked SET answer = ? WHERE id = ? AND answer IS NULL", JSON.stringify(answer), id);
    this.#waiting.get(id)?.(JSON.stringify(answer));
    this.#waiting.delete(id);
  }

  override async alarm(): Promise<void> {}
}
