/**
 * The attacking side: raw connections that keep to nothing but TLS, and little account of what
 * comes back, so that many of them cost little.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { errorName } from '../../../edge/conformance/client.ts';
import { headers, PREFACE, settings, settingsAck, TYPE } from '../../../edge/conformance/frames.ts';
import { block, type Line } from '../../../edge/conformance/hpack.ts';
import { type Host, NAME } from '../host/host.ts';
import { within } from './within.ts';

export type Speaks = 'h2' | 'http/1.1' | 'clear';

export interface DialOptions {
  /** Without one: TCP with nothing on it, to the port of TLS. */
  readonly speaks?: Speaks;
  /** Loopback has many addresses; limits of one don't concern another. */
  readonly localAddress?: string;
}

/**
 * A connection, secured if it is to speak TLS. It reads what comes, unless it is paused. Rejects
 * when it is refused.
 */
export async function dial(host: Host, { speaks, localAddress = '127.0.0.2' }: DialOptions = {}): Promise<Socket> {
  const port = speaks === 'clear' ? host.clearPort : host.tlsPort;
  const raw = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  raw.on('error', () => {});
  raw.setNoDelay(true);
  await once(raw, 'connect');
  if (speaks === undefined || speaks === 'clear') return raw;
  const secure = connectTls({ socket: raw, servername: NAME, rejectUnauthorized: false, ALPNProtocols: [speaks] });
  secure.on('error', () => {});
  await once(secure, 'secureConnect');
  return secure;
}

/**
 * Resolves when the server has ended the connection, or broken it; rejects when it does not. What
 * comes is dropped.
 */
export async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.readableEnded && !socket.destroyed)
    await within(
      new Promise<void>((done) => {
        socket.once('end', done);
        socket.once('close', () => done());
      }),
      'the end of the connection',
    );
  socket.destroy();
}

/**
 * Resolves when the server has read some of what was written, or ended the connection; rejects when
 * it does neither.
 */
export function writable(socket: Socket): Promise<void> {
  const change = new Promise<void>((done) => {
    const changed = (): void => {
      socket.off('drain', changed);
      socket.off('close', changed);
      done();
    };
    socket.on('drain', changed);
    socket.on('close', changed);
  });
  return within(change, 'that the server reads, or ends the connection');
}

/** So many at the same time. */
export async function several(count: number, attack: (i: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, i) => attack(i)));
}

export interface AttackerOptions {
  /** Of its SETTINGS. */
  readonly settings?: readonly (readonly [id: number, value: number])[];
  /** The server's are left unacknowledged. */
  readonly isSilent?: boolean;
}

/** A connection of HTTP/2 over TLS. */
export class Attacker {
  /** Error of the GOAWAY, by name, and what it says besides. */
  goaway: { readonly error: string; readonly detail: string } | undefined;
  /** How often RST_STREAM came with each error. */
  readonly resets = new Map<string, number>();
  /** HEADERS frames that came. */
  responses = 0;
  isClosed = false;
  #held: Buffer = Buffer.alloc(0);

  private constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    const close = (): void => {
      this.isClosed = true;
    };
    socket.on('end', close);
    socket.on('close', close);
  }

  static async connect(host: Host, options: AttackerOptions = {}): Promise<Attacker> {
    const socket = await dial(host, { speaks: 'h2' });
    const attacker = new Attacker(socket);
    attacker.send(PREFACE, settings(...(options.settings ?? [])), ...(options.isSilent ? [] : [settingsAck()]));
    return attacker;
  }

  /** False: the socket is full. */
  send(...parts: readonly Buffer[]): boolean {
    if (this.isClosed || this.socket.destroyed) return true;
    return this.socket.write(Buffer.concat(parts));
  }

  /** Sends what `unit` makes for 0, 1, …, until the server has had enough, or `most` are sent. */
  async flood(most: number, unit: (i: number) => Buffer): Promise<void> {
    for (let i = 0; i < most && !this.isClosed && !this.socket.destroyed; ) {
      const units: Buffer[] = [];
      for (const end = Math.min(most, i + UNITS_A_WRITE); i < end; i++) units.push(unit(i));
      if (!this.send(...units)) await writable(this.socket);
      await new Promise(setImmediate);
    }
  }

  closed(): Promise<void> {
    return closed(this.socket);
  }

  #receive(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    let at = 0;
    for (; this.#held.length - at >= 9; ) {
      const length = this.#held.readUIntBE(at, 3);
      if (this.#held.length - at < 9 + length) break;
      this.#take(this.#held[at + 3], this.#held.subarray(at + 9, at + 9 + length));
      at += 9 + length;
    }
    this.#held = this.#held.subarray(at);
  }

  #take(type: number, payload: Buffer): void {
    if (type === TYPE.HEADERS) this.responses++;
    if (type === TYPE.RST_STREAM) {
      const error = errorName(payload.readUInt32BE(0));
      this.resets.set(error, (this.resets.get(error) ?? 0) + 1);
    }
    if (type === TYPE.GOAWAY)
      this.goaway = { error: errorName(payload.readUInt32BE(4)), detail: payload.toString('latin1', 8) };
  }
}

const UNITS_A_WRITE = 50;

/** Identifier of the i-th stream, from 0. */
export const streamId = (i: number): number => 2 * i + 1;

export const requestLines = (path: string, ...more: readonly Line[]): Line[] => [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', NAME],
  [':path', path],
  ...more,
];

/** HEADERS of the i-th stream. */
export const request = (i: number, path: string, flags?: number, ...more: readonly Line[]): Buffer =>
  headers(streamId(i), block(requestLines(path, ...more)), flags);
