/**
 * A client of HTTP/2 that sends whatever bytes a test gives it, and keeps account of all that
 * comes. It acknowledges the server's SETTINGS and decodes header blocks in their order; windows,
 * states and everything else are up to the test. What a server must never send is in `violations`.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { unverified } from '../../support/tls-client.ts';
import {
  ACK,
  END_HEADERS,
  END_STREAM,
  ERROR_NAMES,
  PADDED,
  PREFACE,
  PRIORITY,
  ping,
  settings,
  settingsAck,
  TYPE,
} from './frames.ts';
import { Decoder, type Line } from './hpack.ts';

/** How long anything is waited for. Nothing takes that long but what does not come. */
const WAIT_MS = 10_000;
const DEFAULT_FRAME_SIZE = 16_384;

export interface Address {
  readonly port: number;
  readonly isTls: boolean;
  readonly serverName?: string;
}

/** What a stream has received. */
export interface Stream {
  /** Field lines, a list for each block: of informational responses, the response, trailers. */
  readonly blocks: Line[][];
  readonly data: Buffer[];
  /** Bytes of payload in DATA. */
  bytes: number;
  isEnded: boolean;
  /** The error code of RST_STREAM, by name. */
  resetBy: string | undefined;
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

export interface ClientOptions {
  /** Of the SETTINGS that follow the preface. */
  readonly settings?: readonly (readonly [id: number, value: number])[];
  /** The header table of this side, bytes, if `settings` say another. */
  readonly tableSize?: number;
  /** The largest payload that this side takes, if `settings` say another. */
  readonly maxFrameSize?: number;
}

export const errorName = (code: number): string => ERROR_NAMES[code] ?? `unknown ${code}`;

export class RawClient {
  readonly socket: Socket;
  readonly frames: Frame[] = [];
  readonly streams = new Map<number, Stream>();
  /** The server's, as they came. */
  readonly settings = new Map<number, number>();
  settingsAcks = 0;
  readonly goaways: { lastStreamId: number; error: string }[] = [];
  readonly violations: string[] = [];
  /** Bytes that the server has given back or added to a window, by stream; 0 is the connection. */
  readonly credit = new Map<number, number>();
  /** The server's PINGs are left unanswered for now. */
  pausesPings = false;
  /** The server has sent its last byte. */
  isClosed = false;
  readonly #options: ClientOptions;
  readonly #decoder: Decoder;
  #received: Buffer = Buffer.alloc(0);
  #block: { streamId: number; fragments: Buffer[]; flags: number } | undefined;
  #waiting: (() => void)[] = [];
  #unanswered: Buffer[] = [];
  #pings = 0;
  #hasPreface = false;
  #unacknowledged = 0;

  private constructor(socket: Socket, options: ClientOptions) {
    this.socket = socket;
    this.#options = options;
    this.#decoder = new Decoder(options.tableSize ?? 4096);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    const close = (): void => {
      this.isClosed = true;
      this.#wake();
    };
    socket.on('end', close);
    socket.on('close', close);
  }

  /** Rejects when there is no connection. */
  static async connect(address: Address, options: ClientOptions = {}): Promise<RawClient> {
    const { port, serverName: servername = 'conformance.test' } = address;
    const host = '127.0.0.1';
    const socket = address.isTls
      ? connectTls(unverified({ port, host, servername, ALPNProtocols: ['h2'] }))
      : connect({ port, host });
    await new Promise<void>((done, fail) => {
      socket.once(address.isTls ? 'secureConnect' : 'connect', () => done());
      socket.once('error', fail);
    });
    return new RawClient(socket, options);
  }

  /** In one write. */
  send(...parts: readonly Buffer[]): void {
    if (!this.socket.destroyed) this.socket.write(Buffer.concat(parts));
  }

  /** The preface, and its end: both have each other's SETTINGS. */
  async handshake(): Promise<void> {
    this.send(PREFACE, settings(...(this.#options.settings ?? [])));
    this.acknowledge();
    await this.until(
      'SETTINGS and their acknowledgement',
      () => (this.settings.size > 0 && this.settingsAcks > 0) || undefined,
    );
  }

  /**
   * What `look` finds, as soon as it does. Rejects when it is clear that it never will: the
   * connection has ended, or time has.
   */
  async until<Found>(what: string, look: () => Found | undefined): Promise<Found> {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      const left = deadline - Date.now();
      if (this.isClosed || left <= 0)
        throw new Error(`${this.isClosed ? 'The connection closed' : 'Nothing'} before ${what}. ${this.transcript()}`);
      await this.#change(left);
    }
  }

  /**
   * Whatever was sent before has been looked at by the server when this resolves: frames of a
   * connection are processed in their order.
   */
  async roundTrip(): Promise<void> {
    const payload = `ping${String(this.#pings++).padStart(4, '0')}`;
    this.send(ping(payload));
    await this.until('the answer to PING', () =>
      this.frames.find((seen) => isAck(seen) && seen.payload.toString() === payload),
    );
  }

  stream(streamId: number): Stream {
    let stream = this.streams.get(streamId);
    if (stream === undefined) {
      stream = { blocks: [], data: [], bytes: 0, isEnded: false, resetBy: undefined };
      this.streams.set(streamId, stream);
    }
    return stream;
  }

  /** The whole response, or at least so many bytes of it. */
  answered(streamId: number, bytes = Number.POSITIVE_INFINITY): Promise<Stream> {
    return this.until(`the answer on stream ${streamId}`, () => {
      const stream = this.stream(streamId);
      return stream.isEnded || stream.bytes >= bytes ? stream : undefined;
    });
  }

  reset(streamId: number): Promise<string> {
    return this.until(`RST_STREAM of ${streamId}`, () => this.stream(streamId).resetBy);
  }

  closed(): Promise<true> {
    return this.until('the end of the connection', () => this.isClosed || undefined);
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Acknowledges the server's SETTINGS, those that come later as well: the preface is sent. */
  acknowledge(): void {
    this.#hasPreface = true;
    for (; this.#unacknowledged > 0; this.#unacknowledged--) this.send(settingsAck());
  }

  /** Answers the server's PINGs that were left, and all that follow. */
  answerPings(): void {
    this.pausesPings = false;
    for (const payload of this.#unanswered.splice(0)) this.send(ping(payload, ACK));
  }

  /**
   * The SETTINGS just sent ask for a smaller table than the one in use: the next block has to begin
   * with its size (RFC 7541 section 4.2).
   */
  shrinkTable(): void {
    this.#decoder.expectSizeUpdate();
  }

  /** The received frames, for messages. */
  transcript(): string {
    const names = Object.entries(TYPE);
    const lines = this.frames.map(({ type, flags, streamId, payload }) => {
      const name = names.find(([, number]) => number === type)?.[0] ?? `type ${type}`;
      return `${name}(${streamId}, flags ${flags}, ${payload.length} bytes${detail(type, payload)})`;
    });
    return `Received: ${lines.slice(-12).join(' ') || 'nothing'}${this.isClosed ? ' end' : ''}`;
  }

  #change(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#waiting.push(() => {
        clearTimeout(timer);
        done();
      });
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    while (this.#received.length >= 9) {
      const length = this.#received.readUIntBE(0, 3);
      if (this.#received.length < 9 + length) break;
      const [type, flags] = [this.#received[3], this.#received[4]];
      const streamId = this.#received.readUInt32BE(5);
      this.#take({ type, flags, streamId, payload: this.#received.subarray(9, 9 + length) });
      this.#received = this.#received.subarray(9 + length);
    }
    this.#wake();
  }

  #take(received: Frame): void {
    const { type, flags, streamId, payload } = received;
    this.frames.push(received);
    if (this.frames.length === 1 && (type !== TYPE.SETTINGS || flags !== 0)) this.#violation('SETTINGS are not first');
    if (payload.length > (this.#options.maxFrameSize ?? DEFAULT_FRAME_SIZE)) this.#violation('a frame too large');
    if (this.#block !== undefined && (type !== TYPE.CONTINUATION || streamId !== this.#block.streamId))
      this.#violation('a frame within a header block');
    switch (type) {
      case TYPE.DATA:
        this.#data(received);
        return;
      case TYPE.HEADERS:
      case TYPE.CONTINUATION:
        this.#headers(received);
        return;
      case TYPE.RST_STREAM:
        if (this.stream(streamId).resetBy !== undefined) this.#violation('a second RST_STREAM');
        this.stream(streamId).resetBy = errorName(payload.readUInt32BE(0));
        return;
      case TYPE.SETTINGS:
        this.#settings(flags, payload);
        return;
      case TYPE.PING:
        if ((flags & ACK) !== 0) return;
        this.#unanswered.push(payload);
        if (!this.pausesPings) this.answerPings();
        return;
      case TYPE.GOAWAY:
        this.goaways.push({ lastStreamId: payload.readUInt32BE(0), error: errorName(payload.readUInt32BE(4)) });
        return;
      case TYPE.WINDOW_UPDATE:
        if (payload.readUInt32BE(0) === 0) this.#violation('an increment of 0');
        this.credit.set(streamId, (this.credit.get(streamId) ?? 0) + payload.readUInt32BE(0));
        return;
      default:
        this.#violation(`a frame of type ${type}`);
    }
  }

  #settings(flags: number, payload: Buffer): void {
    if ((flags & ACK) !== 0) {
      this.settingsAcks++;
      return;
    }
    for (let at = 0; at < payload.length; at += 6)
      this.settings.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.#unacknowledged++;
    if (this.#hasPreface) this.acknowledge();
  }

  #data({ flags, streamId, payload }: Frame): void {
    const stream = this.stream(streamId);
    if (stream.isEnded || stream.resetBy !== undefined) this.#violation('DATA after the end');
    if (stream.blocks.length === 0) this.#violation('DATA before the head');
    stream.data.push((flags & PADDED) === 0 ? payload : payload.subarray(1, payload.length - payload[0]));
    stream.bytes += payload.length;
    if ((flags & END_STREAM) !== 0) stream.isEnded = true;
  }

  #headers({ type, flags, streamId, payload }: Frame): void {
    if (type === TYPE.HEADERS) {
      const stream = this.stream(streamId);
      if (stream.isEnded || stream.resetBy !== undefined) this.#violation('HEADERS after the end');
      let [start, end] = [0, payload.length];
      if ((flags & PADDED) !== 0) end -= payload[start++];
      if ((flags & PRIORITY) !== 0) start += 5;
      this.#block = { streamId, fragments: [payload.subarray(start, end)], flags };
    } else if (this.#block === undefined) {
      this.#violation('CONTINUATION of nothing');
      return;
    } else this.#block.fragments.push(payload);
    if ((flags & END_HEADERS) === 0) return;
    const { fragments, flags: first } = this.#block;
    this.#block = undefined;
    try {
      this.stream(streamId).blocks.push(this.#decoder.decode(Buffer.concat(fragments)));
    } catch (error) {
      this.#violation(`a header block: ${error}`);
    }
    if ((first & END_STREAM) !== 0) this.stream(streamId).isEnded = true;
  }

  #violation(what: string): void {
    this.violations.push(what);
  }
}

const isAck = ({ type, flags }: Frame): boolean => type === TYPE.PING && (flags & ACK) !== 0;

function detail(type: number, payload: Buffer): string {
  if (type === TYPE.RST_STREAM && payload.length === 4) return `, ${errorName(payload.readUInt32BE(0))}`;
  if (type !== TYPE.GOAWAY || payload.length < 8) return '';
  return `, last ${payload.readUInt32BE(0)}, ${errorName(payload.readUInt32BE(4))} ${payload.subarray(8).toString('latin1')}`;
}
