/** A DNS client over a stream (RFC 1035 4.2.2). */

import { connect, type Socket } from 'node:net';
import * as assert from 'uvu/assert';
import { until } from '../../support/until.ts';

/** Far above all timeouts in the tests. */
export const PATIENCE_MS = 20_000;

/** A client over TCP, or another stream, that splits the data into messages. */
export class StreamClient {
  readonly socket: Socket;
  readonly responses: Uint8Array[] = [];
  closed = false;
  ended = false;
  #rest = Buffer.alloc(0);

  constructor(socket: number | Socket) {
    this.socket =
      typeof socket === 'number' ? connect({ port: socket, host: '127.0.0.1', allowHalfOpen: true }) : socket;
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk) => this.#take(chunk));
    this.socket.on('end', () => {
      this.ended = true;
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.closed = true;
    });
  }

  async answers(count: number): Promise<Uint8Array[]> {
    await until(() => this.responses.length >= count || this.closed || this.ended, `${count} responses`, PATIENCE_MS);
    assert.is(this.responses.length, count);
    return this.responses;
  }

  /** Waits until the server has closed the connection. */
  cut(): Promise<void> {
    return until(() => this.ended || this.closed, 'the connection closed', PATIENCE_MS);
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 2 && this.#rest.length >= 2 + this.#rest.readUInt16BE(0)) {
      const end = 2 + this.#rest.readUInt16BE(0);
      this.responses.push(new Uint8Array(this.#rest.subarray(2, end)));
      this.#rest = this.#rest.subarray(end);
    }
  }
}

export function framed(...packets: readonly Uint8Array[]): Buffer {
  return Buffer.concat(packets.flatMap((packet) => [Uint8Array.of(packet.length >> 8, packet.length & 255), packet]));
}
