/**
 * Runs the query path on the main thread, for messages that arrive through another room (DNS over
 * HTTPS).
 */

import { MessageChannel } from 'node:worker_threads';
import { MAX_MESSAGE } from '../dns/wire/header.ts';
import { Client, TRANSPORT } from '../net/address/client.ts';
import { setClientAddress } from '../net/address/ipv6.ts';
import { openSampler } from '../observe/statistics/sample-ring.ts';
import { READERS } from '../store/index/layout.ts';
import type { IndexWriter } from '../store/index/writer.ts';
import { IndexReader } from '../zone/answer/index-reader.ts';
import { COOKIE } from '../zone/answer/query.ts';
import { DEFERRED, Responder } from '../zone/answer/responder.ts';
import type { AnswerSettings } from '../zone/answer/settings.ts';
import { AnswerGate } from './answer-gate.ts';
import { COLUMN, type Slice, ThreadCounters } from './counters.ts';
import { openTap } from './dnstap/ring.ts';
import type { GateData } from './gates.ts';
import { LmdbNodeStore } from './node-store.ts';
import { openQueryLog } from './query-log.ts';
import { unhandledRcode } from './refusal.ts';

export interface LocalResponse {
  readonly message: Uint8Array;
  /** The response contains this client's cookie (RFC 7873), so it must not be shared. */
  readonly personal: boolean;
}

/** Every DNS thread has these objects, too. */
interface Parts {
  readonly index: IndexReader;
  readonly responder: Responder;
  readonly counters: ThreadCounters;
  readonly gate: AnswerGate;
}

/** The part of WorkerData that the main thread needs. */
export interface LocalData {
  readonly counters: Slice;
  readonly gate: GateData;
}

class LocalResponder {
  readonly #parts: Parts;
  readonly #client = new Client();
  readonly #buffer = new Uint8Array(MAX_MESSAGE + 1);

  /** `transport`: the value of TRANSPORT for all messages. */
  constructor(parts: Parts, transport: number = TRANSPORT.HTTPS) {
    this.#parts = parts;
    this.#client.transport = transport;
  }

  /**
   * Answers a message of at most 65,535 bytes from the client at `address` (IPv4 or IPv6 text). The
   * message is not changed. Returns null if the message gets no response. Zone transfers and signed
   * messages are REFUSED, signed updates NOTIMP (RFC 2136 3.1): they have transports of their own.
   */
  answer(message: Uint8Array, address: string): LocalResponse | null {
    const client = this.#client;
    const buffer = this.#buffer;
    const { index, responder, counters, gate } = this.#parts;
    setClientAddress(client, address, 0);
    buffer.set(message);
    index.enter();
    try {
      gate.receive(buffer, 0, message.length, client);
      let length = responder.respond(buffer, 0, message.length, client);
      if (length === DEFERRED) length = responder.refuse(unhandledRcode(message, 0));
      if (length === 0) {
        counters.count(COLUMN.notQuery);
        return null;
      }
      const sentLength = gate.pass(buffer, 0, length, responder.query, client, client.length === 4 ? 0 : 1);
      return { message: buffer.slice(0, sentLength), personal: responder.query.cookie !== COOKIE.NONE };
    } catch (error) {
      counters.count(COLUMN.fault);
      throw error;
    } finally {
      index.leave();
      counters.addIndexCounts(index);
    }
  }
}

interface LocalResponderOptions {
  readonly index: IndexWriter;
  readonly storeDirectory: string;
  /** Largest UDP response, in bytes. */
  readonly udpPayload: number;
  readonly answers: AnswerSettings;
}

/**
 * Reads the index on the thread that writes it, between its writes. It uses the last reader number;
 * the DNS threads use the numbers from 1.
 */
export function openLocalResponder(options: LocalResponderOptions, data: LocalData): LocalResponder {
  const { index, storeDirectory, udpPayload, answers } = options;
  const { port1, port2 } = new MessageChannel();
  // New index slots wait in the channel, which must not keep the process alive.
  port1.unref();
  port2.unref();
  const reader = new IndexReader(index.share(port1), READERS - 1, port2, new LmdbNodeStore(storeDirectory));
  const counters = new ThreadCounters(data.counters);
  const log = openQueryLog(data.gate, counters);
  return new LocalResponder({
    index: reader,
    responder: new Responder(reader, udpPayload, answers),
    counters,
    gate: new AnswerGate(counters, null, log, openSampler(data.gate), openTap(data.gate)),
  });
}
