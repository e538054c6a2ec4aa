// Pages for the bench: the shipped client in Node, and a plain WebSocket for the floors.

import { connect } from "../public/client/skill-gateway.js";

/** Opens a page of the user's conversation that answers every `echo` with its payload. Resolves when the page is connected. */
export async function openPage(gateway, user, conversation) {
  const connection = connect({
    ticket: () => gateway.call(user, "POST", `/api/v1/conversations/${conversation}/tickets`, {}),
  });
  connection.on("echo", (payload) => payload);
  await new Promise((resolve, reject) => {
    const look = ({ status, closed }) => {
      if (status === "open") resolve();
      if (status === "closed") reject(new Error(`refused: ${closed.code} ${closed.reason}`));
    };
    connection.subscribe(look);
    look(connection.state);
  });
  return connection;
}

/** An open WebSocket. */
export async function openSocket(url, protocols = []) {
  const socket = new WebSocket(url, protocols);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onclose = ({ code, reason }) => reject(new Error(`closed: ${code} ${reason}`));
  });
  return socket;
}
