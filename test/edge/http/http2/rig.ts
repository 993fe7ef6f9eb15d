/**
 * A session over memory: its client is the test, its clock a number, and what it wrote are frames.
 */
import { MemoryBudget } from '../../../../edge/http/exchange/client-memory.ts';
import type { Client, Exchange, Handler } from '../../../../edge/http/exchange/exchange.ts';
import type { Clock, Ticking } from '../../../../edge/http/http2/clock.ts';
import { Http2Counters } from '../../../../edge/http/http2/counters.ts';
import { HpackDecoder } from '../../../../edge/http/http2/hpack/decoder.ts';
import { encodeStateless } from '../../../../edge/http/http2/hpack/encoder.ts';
import { DEFAULT_LIMITS, type Http2Limits } from '../../../../edge/http/http2/limits.ts';
import { FLAG, FRAME, FRAME_HEADER, PREFACE } from '../../../../edge/http/http2/protocol.ts';
import { Http2Session } from '../../../../edge/http/http2/session.ts';
import type { Transport, TransportReceiver } from '../../../../edge/http/transport/transport.ts';

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** Writes complete in the next turn of the loop, or not at all while `isHeld`. */
export class MemoryTransport implements Transport {
  readonly writes: Buffer[] = [];
  isHeld = false;
  unsent = 0;
  unacknowledged = 0;
  isPaused = false;
  isEnded = false;
  isDestroyed = false;
  #receiver: TransportReceiver | undefined;
  #done: (() => void) | undefined;

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
  }

  receive(bytes: Buffer): void {
    this.#receiver?.onBytes(bytes);
  }

  /** The client closes the connection. */
  close(): void {
    this.#receiver?.onClose();
  }

  endByClient(): void {
    this.#receiver?.onEnd();
  }

  write(bytes: Buffer, done: () => void): void {
    if (this.#done !== undefined) throw new Error('Two writes at a time.');
    this.writes.push(Buffer.from(bytes));
    this.#done = done;
    this.unsent = bytes.length;
    if (!this.isHeld) setImmediate(() => this.release());
  }

  /** Completes the pending write. */
  release(): void {
    const done = this.#done;
    this.#done = undefined;
    this.unsent = 0;
    done?.();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  end(): void {
    this.isEnded = true;
  }

  destroy(): void {
    this.isDestroyed = true;
    setImmediate(() => this.close());
  }
}

export class ManualClock implements Clock {
  now = 0;
  readonly #tickings = new Set<Ticking>();

  get count(): number {
    return this.#tickings.size;
  }

  add(ticking: Ticking): void {
    this.#tickings.add(ticking);
  }

  remove(ticking: Ticking): void {
    this.#tickings.delete(ticking);
  }

  /** So many seconds, one after the other. */
  advance(seconds: number): void {
    for (let i = 0; i < seconds; i++) {
      this.now++;
      for (const ticking of [...this.#tickings]) ticking.tick(this.now);
    }
  }
}

export function frame(
  type: number,
  flags: number,
  streamId: number,
  payload: Uint8Array | readonly number[] = [],
): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(FRAME_HEADER);
  head.writeUIntBE(bytes.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, bytes]);
}

export const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

export const settings = (...pairs: (readonly [id: number, value: number])[]): Buffer =>
  frame(
    FRAME.SETTINGS,
    0,
    0,
    Buffer.concat(pairs.map(([id, value]) => Buffer.concat([Buffer.from([id >> 8, id & 255]), word(value)]))),
  );

export const SETTINGS_ACK = frame(FRAME.SETTINGS, FLAG.ACK, 0);
export const ping = (text = '12345678', flags = 0): Buffer => frame(FRAME.PING, flags, 0, Buffer.from(text, 'latin1'));
export const windowUpdate = (streamId: number, increment: number): Buffer =>
  frame(FRAME.WINDOW_UPDATE, 0, streamId, word(increment));
export const reset = (streamId: number, code = 8): Buffer => frame(FRAME.RST_STREAM, 0, streamId, word(code));
export const data = (streamId: number, bytes: Uint8Array | string, isEnd = false): Buffer =>
  frame(FRAME.DATA, isEnd ? FLAG.END_STREAM : 0, streamId, Buffer.from(bytes as Uint8Array));

export const GET: readonly string[] = [':method', 'GET', ':scheme', 'https', ':authority', 'a.test', ':path', '/'];
export const POST: readonly string[] = [':method', 'POST', ':scheme', 'https', ':authority', 'a.test', ':path', '/'];

export const block = (fields: readonly string[]): Uint8Array => encodeStateless(0, fields);

export const headers = (streamId: number, fields: readonly string[] = GET, isEnd = true): Buffer =>
  frame(FRAME.HEADERS, FLAG.END_HEADERS | (isEnd ? FLAG.END_STREAM : 0), streamId, block(fields));

/** Cuts bytes into frames. Throws when they end within one. */
export function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + FRAME_HEADER + bytes.readUIntBE(at, 3);
    if (end > bytes.length) throw new Error('A frame is not whole.');
    const streamId = bytes.readUInt32BE(at + 5);
    frames.push({
      type: bytes[at + 3],
      flags: bytes[at + 4],
      streamId,
      payload: bytes.subarray(at + FRAME_HEADER, end),
    });
    at = end;
  }
  return frames;
}

const CLIENT: Client = { address: '192.0.2.1', port: 4711, serverName: 'a.test', isEncrypted: true };

/** Bytes. */
const THREAD_LIMIT = 256 * 1024 * 1024;

export interface RigOptions {
  readonly handler?: Handler;
  readonly limits?: Partial<Http2Limits>;
  /** Does not send the preface. */
  readonly isSilent?: boolean;
  readonly memory?: MemoryBudget;
}

export class Rig {
  readonly transport = new MemoryTransport();
  readonly clock = new ManualClock();
  readonly events: string[] = [];
  readonly counters = new Http2Counters({ onEnding: (name, count) => this.events.push(`${name} ${count}`) });
  readonly exchanges: Exchange[] = [];
  readonly errors: unknown[] = [];
  readonly session: Http2Session;
  closes = 0;
  readonly #decoder = new HpackDecoder({ maxListSize: 100_000, maxListCount: 1000 });
  #seen = 0;

  constructor(options: RigOptions = {}) {
    this.session = new Http2Session(this.transport, {
      handler: (exchange) => {
        this.exchanges.push(exchange);
        return options.handler?.(exchange);
      },
      client: CLIENT,
      scheme: 'https',
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      counters: this.counters,
      // Not that of the thread: sessions of earlier cases are still open and would use it up.
      memory: options.memory ?? new MemoryBudget(THREAD_LIMIT),
      clock: this.clock,
      onClose: () => this.closes++,
      onHandlerError: (error) => this.errors.push(error),
    });
    if (options.isSilent !== true) this.send(PREFACE, settings(), SETTINGS_ACK);
  }

  /** One part, as if read at once. */
  send(...parts: readonly Uint8Array[]): void {
    this.transport.receive(Buffer.concat(parts));
  }

  /** All that has been written since the last call, when nothing more comes by itself. */
  async frames(): Promise<Frame[]> {
    for (let before = -1; before !== this.transport.writes.length; ) {
      before = this.transport.writes.length;
      for (let i = 0; i < 4; i++) await new Promise((done) => setImmediate(done));
    }
    const bytes = Buffer.concat(this.transport.writes.slice(this.#seen));
    this.#seen = this.transport.writes.length;
    return framesOf(bytes);
  }

  /** The fields of a HEADERS frame. Each once, in order: the table follows them. */
  fields(from: Frame): string[] {
    const fields: string[] = [];
    const sink = { field: (name: string, value: string) => void fields.push(name, value) };
    this.#decoder.decode(from.payload, 0, from.payload.length, sink);
    return fields;
  }

  /** The value of a field, empty without one. */
  field(from: Frame, name: string): string {
    const fields = this.fields(from);
    const at = fields.indexOf(name);
    return at < 0 ? '' : fields[at + 1];
  }
}

export const ofType = (frames: readonly Frame[], type: number): Frame[] =>
  frames.filter((received) => received.type === type);

/** Code of the one RST_STREAM among them; -1: none. */
export function resetCode(frames: readonly Frame[]): number {
  return ofType(frames, FRAME.RST_STREAM)[0]?.payload.readUInt32BE() ?? -1;
}

/** Code of the last GOAWAY among them; -1: none. */
export function goawayCode(frames: readonly Frame[]): number {
  return ofType(frames, FRAME.GOAWAY).at(-1)?.payload.readUInt32BE(4) ?? -1;
}
