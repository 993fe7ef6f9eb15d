/**
 * The least of HTTP/2 that carries header blocks: frames of HEADERS and SETTINGS over a socket,
 * with our codec on both ways.
 */
import type { Socket } from 'node:net';
import * as assert from 'uvu/assert';
import { HpackDecoder } from '../../../../../edge/http/http2/hpack/decoder.ts';
import { HpackEncoder } from '../../../../../edge/http/http2/hpack/encoder.ts';
import { Collected, encode, OUTCOME_NAMES, WIDE } from './fixture.ts';

const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const GOAWAY = 7;
const HEADER_TABLE_SIZE = 1;
const ACK = 1;
const END_STREAM_AND_HEADERS = 5;
const PADDED = 8;
const PRIORITY = 0x20;

export class FramePeer {
  readonly #socket: Socket;
  readonly #encoder: HpackEncoder;
  readonly #decoder = new HpackDecoder(WIDE);
  /** Table sizes that were sent and not acknowledged yet; undefined for SETTINGS without one. */
  readonly #sent: (number | undefined)[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #preface: number;
  #failure: unknown;
  #settled: () => void = () => {};
  /** A header list that came, with the flags of its lines. */
  onList: (stream: number, lines: string[], flags: number[]) => void = () => {};

  /** `preface`: bytes that come before the first frame. */
  constructor(socket: Socket, maxTableSize: number, preface: number) {
    this.#socket = socket;
    this.#encoder = new HpackEncoder(maxTableSize);
    this.#preface = preface;
    socket.on('data', (chunk: Buffer) => {
      try {
        this.#take(chunk);
      } catch (error) {
        this.#failure = error;
        socket.destroy();
      }
    });
    socket.setNoDelay(true);
    socket.on('close', () => this.#settled());
    socket.on('error', () => {}); // what it leaves undone is found by the code that waits for it
  }

  /** Throws what went wrong while frames were read. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  sendSettings(tableSize?: number): void {
    const payload = Buffer.alloc(tableSize === undefined ? 0 : 6);
    if (tableSize !== undefined) {
      payload.writeUInt16BE(HEADER_TABLE_SIZE, 0);
      payload.writeUInt32BE(tableSize, 2);
    }
    this.#sent.push(tableSize);
    this.#send(SETTINGS, 0, 0, payload);
  }

  /** Until all SETTINGS that were sent are acknowledged. */
  async settled(): Promise<void> {
    if (this.#sent.length > 0 && !this.#socket.destroyed)
      await new Promise<void>((resolve) => {
        this.#settled = resolve;
      });
    this.check();
  }

  sendList(stream: number, lines: readonly string[]): void {
    this.#send(HEADERS, END_STREAM_AND_HEADERS, stream, encode(this.#encoder, lines));
  }

  #send(type: number, flags: number, stream: number, payload: Uint8Array): void {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(stream, 5);
    this.#socket.write(Buffer.concat([head, payload]));
  }

  #take(chunk: Buffer): void {
    const data = Buffer.concat([this.#rest, chunk]);
    if (data.length < this.#preface) {
      this.#rest = data;
      return;
    }
    let at = this.#preface;
    this.#preface = 0;
    while (data.length - at >= 9 && data.length - at >= 9 + data.readUIntBE(at, 3)) {
      const end = at + 9 + data.readUIntBE(at, 3);
      this.#frame(data[at + 3], data[at + 4], data.readUInt32BE(at + 5), data.subarray(at + 9, end));
      at = end;
    }
    this.#rest = data.subarray(at);
  }

  #frame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === SETTINGS) this.#settings(flags, payload);
    else if (type === GOAWAY && payload.readUInt32BE(4) !== 0) assert.unreachable(`GOAWAY ${payload.readUInt32BE(4)}`);
    else if (type === RST_STREAM && payload.readUInt32BE(0) !== 0)
      assert.unreachable(`reset ${payload.readUInt32BE(0)}`);
    else if (type === HEADERS) {
      assert.is(flags & (4 | PADDED), 4, 'one frame for a list, without padding');
      const collected = new Collected();
      const start = (flags & PRIORITY) === 0 ? 0 : 5;
      const outcome = this.#decoder.decode(payload, start, payload.length, collected);
      assert.is(OUTCOME_NAMES[outcome], 'decoded');
      this.onList(stream, collected.lines, collected.flags);
    }
  }

  #settings(flags: number, payload: Buffer): void {
    if ((flags & ACK) !== 0) {
      const size = this.#sent.shift();
      if (size !== undefined) this.#decoder.acknowledgeTableSize(size);
      if (this.#sent.length === 0) this.#settled();
      return;
    }
    for (let at = 0; at < payload.length; at += 6)
      if (payload.readUInt16BE(at) === HEADER_TABLE_SIZE) this.#encoder.allowTableSize(payload.readUInt32BE(at + 2));
    this.#send(SETTINGS, ACK, 0, Buffer.alloc(0));
  }
}
