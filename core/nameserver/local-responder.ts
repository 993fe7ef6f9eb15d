/**
 * The query path on the main thread: for DNS over HTTPS, which arrives through another module, and
 * for queries whose signature was verified and removed.
 */

import { MessageChannel } from 'node:worker_threads';
import { MAX_MESSAGE } from '../dns/wire/header.ts';
import { Client, TRANSPORT_NAMES, type TransportName } from '../net/address/client.ts';
import { setClientAddress } from '../net/address/ipv6.ts';
import type { Environment } from '../store/environment.ts';
import { READERS } from '../store/index/layout.ts';
import type { IndexWriter } from '../store/index/writer.ts';
import { COOKIE } from '../zone/answer/query.ts';
import { NameserverCounters } from './counters.ts';
import { type HandlerData, openQueryHandler, type QueryHandler } from './query-handler.ts';
import { NO_MODULES } from './query-modules.ts';

export interface LocalResponse {
  readonly message: Uint8Array;
  /**
   * The response contains this client's cookie (RFC 7873) or depends on its address, so it must not
   * be shared.
   */
  readonly personal: boolean;
}

class LocalResponder {
  readonly #handler: QueryHandler;
  readonly #client = new Client();
  readonly #buffer = new Uint8Array(MAX_MESSAGE + 1);

  constructor(handler: QueryHandler) {
    this.#handler = handler;
  }

  /**
   * Answers a message of at most 65,535 bytes from the client at `address` (IPv4 or IPv6 text). The
   * message is not changed. Returns null if the message gets no response. Zone transfers and signed
   * messages are REFUSED, signed updates NOTIMP (RFC 2136 3.1): they have transports of their own.
   */
  answer(message: Uint8Array, address: string, transport: TransportName = 'https'): LocalResponse | null {
    const client = this.#client;
    const buffer = this.#buffer;
    const handler = this.#handler;
    client.transport = TRANSPORT_NAMES.indexOf(transport);
    setClientAddress(client, address, 0);
    buffer.set(message);
    const length = handler.answerSingle(buffer, 0, message.length, client, null);
    if (length === 0) return null;
    return {
      message: buffer.slice(0, length),
      personal: handler.query.cookie !== COOKIE.NONE || handler.query.isSteered,
    };
  }
}

interface LocalResponderOptions extends Pick<HandlerData, 'storeDirectory' | 'udpPayload' | 'answers' | 'steering'> {
  readonly index: IndexWriter;
  /** The store, as the main thread has it open. Omitted: it is opened for the responder. */
  readonly environment?: Environment;
}

/** The part of HandlerData that is for DNS over HTTPS. */
export type LocalData = Pick<HandlerData, 'counters' | 'modules'>;

/**
 * Reads the index on the thread that writes it, between its writes. DNS over HTTPS uses the last
 * reader number, verified queries the one before; the DNS threads use the numbers from 1.
 */
export function openLocalResponder(
  options: LocalResponderOptions,
  data: LocalData,
  readerNumber = READERS - 1,
): LocalResponder {
  const { index, environment, storeDirectory, udpPayload, answers, steering } = options;
  const { port1, port2: port } = new MessageChannel();
  // New index slots wait in the channel, which must not keep the process alive.
  port1.unref();
  port.unref();
  const shared = index.share(port1);
  const own = { deferred: null, transferAllow: null, ...data };
  const handler = openQueryHandler(
    { shared, readerNumber, port, storeDirectory, udpPayload, answers, steering, ...own },
    rethrow,
    environment,
  );
  return new LocalResponder(handler);
}

/** For verified queries: the thread that received them has counted and logged them. */
export function openVerifiedResponder(options: LocalResponderOptions): LocalResponder {
  const { https: counters } = new NameserverCounters([]);
  return openLocalResponder(options, { counters, modules: NO_MODULES }, READERS - 2);
}

function rethrow(error: unknown): never {
  throw error;
}
