/** The way to the origin after 101 (RFC 9110 section 7.8); the way back is the response's body. */
import type { OriginTunnel } from './origin.ts';
import type { OriginSocket } from './sockets.ts';

export class SocketTunnel implements OriginTunnel {
  readonly #socket: OriginSocket;
  readonly #destroy: () => void;
  #listener: (() => void) | null = null;

  /** `destroy`: ends the connection, and the way back. */
  constructor(socket: OriginSocket, destroy: () => void) {
    this.#socket = socket;
    this.#destroy = destroy;
  }

  write(chunk: Uint8Array): boolean {
    return this.#socket.isWritable ? this.#socket.write(chunk) : true;
  }

  end(): void {
    if (this.#socket.isWritable) this.#socket.end();
  }

  onDrain(listener: () => void): void {
    this.#listener = listener;
  }

  destroy(): void {
    this.#destroy();
  }

  drained(): void {
    this.#listener?.();
  }
}
