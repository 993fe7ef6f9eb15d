/**
 * A query path with its own settings, over the zone that most tests serve, and a decoder of its
 * responses.
 */
import { MessageChannel } from 'node:worker_threads';
import { EDNS_OPTION } from '../../../../core/dns/wire/edns.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { Client } from '../../../../core/net/address/client.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { IndexReader } from '../../../../core/zone/answer/index-reader.ts';
import type { Query } from '../../../../core/zone/answer/query.ts';
import { Responder } from '../../../../core/zone/answer/responder.ts';
import { type AnswerSettings, PLAIN } from '../../../../core/zone/answer/settings.ts';
import { putZone, UDP_PAYLOAD, ZONE } from '../../nameserver/fixture.ts';

export const SECRET = new Uint8Array(16).fill(7);

/** Sends single queries over any transport. */
export class Asker {
  readonly client = new Client();
  readonly index = new IndexWriter(1 << 20);
  readonly #reader: IndexReader;
  #responder: Responder;
  readonly #settings: AnswerSettings;
  readonly #buffer = new Uint8Array(65_535 + 64);

  constructor(settings: Partial<AnswerSettings> = {}) {
    putZone(this.index, ZONE);
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    port2.unref();
    this.#reader = new IndexReader(this.index.share(port1), 1, port2, {
      refresh: () => {},
      fetch: () => 0,
      fetchEntry: () => 0,
    });
    this.#settings = { ...PLAIN, cookieSecrets: [SECRET], ...settings };
    this.#responder = this.#fresh();
    this.client.setAddress(Uint8Array.of(192, 0, 2, 77), 0, 4);
  }

  /** Replaces the responder by a new one with the same index. */
  reset(): void {
    this.#responder = this.#fresh();
  }

  #fresh(): Responder {
    return new Responder(this.#reader, UDP_PAYLOAD, this.#settings);
  }

  /** The last parsed query. */
  get query(): Query {
    return this.#responder.query;
  }

  /** The result of `Responder.respond`, with the response if there is one. */
  ask(packet: Uint8Array, transport: number): { length: number; response: Uint8Array } {
    this.client.transport = transport;
    this.#buffer.fill(0xee);
    // The packet does not start at offset 0: offsets in the message and in the buffer must differ.
    const start = 32;
    this.#buffer.set(packet, start);
    this.#reader.enter();
    const length = this.#responder.respond(this.#buffer, start, packet.length, this.client);
    this.#reader.leave();
    return { length, response: this.#buffer.slice(start, start + Math.max(length, 0)) };
  }
}

const u16 = (n: number): number[] => [n >> 8, n & 255];

export interface QueryFields {
  readonly name?: string;
  readonly type?: number;
  readonly class?: number;
  readonly size?: number;
  readonly version?: number;
  /** Without a question. */
  readonly bare?: boolean;
}

/** A query with OPT, whose rdata is `options`. */
export function queryWith(options: readonly number[], fields: QueryFields = {}): Uint8Array {
  const { name = 'host1.example.test', type = TYPE.A, size = UDP_PAYLOAD, version = 0, bare = false } = fields;
  const question = bare ? [] : [...parseName(`${name}.`), ...u16(type), ...u16(fields.class ?? 1)];
  const header = [0xab, 0xcd, 0, 0, 0, bare ? 0 : 1, 0, 0, 0, 0, 0, 1];
  const opt = [0, ...u16(TYPE.OPT), ...u16(size), 0, version, 0, 0, ...u16(options.length)];
  return Uint8Array.from([...header, ...question, ...opt, ...options]);
}

export const option = (code: number, data: readonly number[] | Uint8Array = []): number[] => [
  ...u16(code),
  ...u16(data.length),
  ...data,
];

/**
 * Code and data of each option in the rdata of an OPT, in order. Throws if they do not fill it
 * exactly.
 */
export function readOptions(options: Uint8Array): [code: number, data: Uint8Array][] {
  const found: [number, Uint8Array][] = [];
  for (let p = 0; p < options.length; ) {
    const end = p + 4 + ((options[p + 2] << 8) | options[p + 3]);
    if (!(end <= options.length)) throw new Error('an option runs past the end');
    found.push([(options[p] << 8) | options[p + 1], options.slice(p + 4, end)]);
    p = end;
  }
  return found;
}

/** INFO-CODE of the extended error among options, if there is one (RFC 8914 section 2). */
export function extendedError(options: Uint8Array): number | undefined {
  const found = readOptions(options).find(([code]) => code === EDNS_OPTION.EXTENDED_ERROR)?.[1];
  return found === undefined ? undefined : (found[0] << 8) | found[1];
}
