/**
 * The sending side of an upgraded connection (RFC 9110 section 7.8). The response body is the
 * receiving side.
 */
import type { OriginTunnel } from './origin.ts';
import type { OriginSocket } from './sockets.ts';

export class SocketTunnel implements OriginTunnel {
  readonly #socket: OriginSocket;
  readonly #destroy: () => void;
  #listener: (() => void) | null = null;

  /** `destroy`: closes the connection, including the receiving side. */
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
