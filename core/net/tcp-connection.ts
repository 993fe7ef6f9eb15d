/** One client over TCP (RFC 7766): messages with two bytes of length before them, any number on one connection, answered in order. */
import type { Socket } from 'node:net';
import type { TcpLimits } from './worker-data.ts';

/** Bytes that may wait for a client that does not read, before it is not read from any more. */
const MAX_UNSENT = 256 * 1024;
const LENGTH = 2;

/** Answers the query at packet[0, length) in place; returns the response's length, 0 for none. */
export type Respond = (length: number) => number;

export class TcpConnection {
  private readonly socket: Socket;
  private readonly limits: TcpLimits;
  private readonly respond: Respond;
  /** Where `respond` works: room for the largest message. */
  private readonly packet: Uint8Array;
  /** The message that is not complete yet, its length first. */
  private partial: Buffer | null = null;
  private timer: NodeJS.Timeout;

  constructor(socket: Socket, limits: TcpLimits, packet: Uint8Array, respond: Respond) {
    this.socket = socket;
    this.limits = limits;
    this.packet = packet;
    this.respond = respond;
    this.timer = this.expectWithin(limits.idleTimeout);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('drain', () => this.drained());
    socket.on('end', () => socket.end());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => clearTimeout(this.timer));
  }

  private receive(chunk: Buffer): void {
    const bytes = this.partial === null ? chunk : Buffer.concat([this.partial, chunk]);
    const begun = this.partial !== null;
    let at = 0;
    const responses: Buffer[] = [];
    while (bytes.length - at >= LENGTH) {
      const length = bytes.readUInt16BE(at);
      if (bytes.length - at < LENGTH + length) break;
      this.packet.set(bytes.subarray(at + LENGTH, at + LENGTH + length));
      at += LENGTH + length;
      const size = this.respond(length);
      // What deserves silence over UDP is no DNS client over TCP.
      if (size === 0) {
        this.socket.destroy();
        return;
      }
      const response = Buffer.allocUnsafe(LENGTH + size);
      response.writeUInt16BE(size);
      response.set(this.packet.subarray(0, size), LENGTH);
      responses.push(response);
    }
    this.partial = at === bytes.length ? null : Buffer.from(bytes.subarray(at));
    // A query must arrive whole in the time that its first byte started; only a new one starts it anew.
    if (this.partial === null) this.restart(this.limits.idleTimeout);
    else if (!begun || at > 0) this.restart(this.limits.queryTimeout);
    if (responses.length === 0) return;
    this.socket.write(responses.length === 1 ? responses[0] : Buffer.concat(responses));
    if (this.socket.writableLength > MAX_UNSENT) {
      this.socket.pause();
      this.restart(this.limits.queryTimeout);
    }
  }

  private drained(): void {
    if (!this.socket.isPaused()) return;
    this.socket.resume();
    this.restart(this.partial === null ? this.limits.idleTimeout : this.limits.queryTimeout);
  }

  private restart(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = this.expectWithin(milliseconds);
  }

  private expectWithin(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.socket.destroy(), milliseconds);
  }
}
