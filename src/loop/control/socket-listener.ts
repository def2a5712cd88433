import { chmodSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import type { ClientConnection, ClientSocket } from "./client-connection.ts";
import { temporarySocketPath } from "./socket-place.ts";

export interface ListenHandlers {
  connected(socket: ClientSocket): ClientConnection;
  closed(client: ClientConnection): void;
}

export interface SocketListener {
  /** Takes no more clients and removes the socket, where it is still this one. */
  refuse(): void;
  /** Resolves when no client is connected. */
  emptied(): Promise<void>;
  /** Ends the connections that are left. */
  close(): void;
}

interface Connected {
  client?: ClientConnection;
}

/**
 * Listens at the path, which is free or held by a socket that nobody serves. The socket is made under another name, closed to
 * everybody else, and then moved: at no moment can others connect, and what the path leads to is always one or the other. Throws
 * what the system throws.
 */
export function listenAt(directory: string, path: string, handlers: ListenHandlers): SocketListener {
  const sockets = new Set<Bun.Socket<Connected>>();
  let onEmpty: (() => void) | undefined;
  const temporary = temporarySocketPath(directory);
  const listener = withMask(0o077, () =>
    Bun.listen<Connected>({
      unix: temporary,
      allowHalfOpen: true,
      socket: {
        open(socket) {
          sockets.add(socket);
          socket.data = {};
          socket.data.client = handlers.connected(socket);
        },
        data: (socket, chunk) => socket.data.client?.onData(chunk),
        drain: (socket) => socket.data.client?.onRoom(),
        end: (socket) => socket.data.client?.onInputOver(),
        // The close that follows is all that matters.
        error: () => undefined,
        close(socket) {
          sockets.delete(socket);
          const { client } = socket.data;
          client?.onClosed();
          if (client !== undefined) handlers.closed(client);
          if (sockets.size === 0) onEmpty?.();
        },
      },
    }),
  );
  const identity = place(temporary, path, () => listener.stop(true));
  return {
    refuse() {
      if (identityOf(path) === identity) unlinkSync(path);
      listener.stop(false);
    },
    emptied: () =>
      new Promise((resolve) => {
        onEmpty = resolve;
        if (sockets.size === 0) resolve();
      }),
    close() {
      for (const socket of sockets) socket.terminate();
    },
  };
}

/** Moves the socket to its path and says which file it is. */
function place(temporary: string, path: string, giveUp: () => void): string | undefined {
  try {
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
    return identityOf(path);
  } catch (error) {
    giveUp();
    throw error;
  }
}

function identityOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/** Nothing else of this program runs in between. */
function withMask<T>(mask: number, make: () => T): T {
  const before = process.umask(mask);
  try {
    return make();
  } finally {
    process.umask(before);
  }
}
