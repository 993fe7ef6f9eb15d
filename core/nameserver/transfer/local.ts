/**
 * The query path on the main thread, for queries whose signature was verified and removed. They
 * arrive over any transport, and the receiving thread has counted them.
 */

import { MessageChannel } from 'node:worker_threads';
import { MAX_MESSAGE } from '../../dns/wire/header.ts';
import { RCODE } from '../../dns/wire/types.ts';
import { Client, TRANSPORT } from '../../net/address/client.ts';
import { setClientAddress } from '../../net/address/ipv6.ts';
import { READERS } from '../../store/index/layout.ts';
import type { IndexWriter } from '../../store/index/writer.ts';
import { IndexReader } from '../../zone/answer/index-reader.ts';
import { DEFERRED, Responder } from '../../zone/answer/responder.ts';
import type { AnswerSettings } from '../../zone/answer/settings.ts';
import type { DeferredRequest } from '../deferred.ts';
import { LmdbNodeStore } from '../node-store.ts';
import { errorResponse } from '../refusal.ts';

interface LocalOptions {
  readonly index: IndexWriter;
  readonly storeDirectory: string;
  /** Largest response over UDP, in bytes. */
  readonly udpPayload: number;
  readonly answers: AnswerSettings;
}

/** The last reader of the index answers DNS over HTTPS, the others are numbered from 1. */
const READER = READERS - 2;
const TRANSPORTS = { udp: TRANSPORT.UDP, tcp: TRANSPORT.TCP, tls: TRANSPORT.TLS, https: TRANSPORT.HTTPS } as const;

type LocalRequest = Pick<DeferredRequest, 'message' | 'address' | 'transport'>;

/** Returns a function that answers one message; null: no response. */
export function openLocal({
  index,
  storeDirectory,
  udpPayload,
  answers,
}: LocalOptions): (request: LocalRequest) => Uint8Array | null {
  const { port1, port2 } = new MessageChannel();
  // New slots wait there; the channel must not keep the process alive.
  port1.unref();
  port2.unref();
  const reader = new IndexReader(index.share(port1), READER, port2, new LmdbNodeStore(storeDirectory));
  const responder = new Responder(reader, udpPayload, answers);
  const client = new Client();
  const buffer = new Uint8Array(MAX_MESSAGE + 1);
  return ({ message, address, transport }) => {
    client.transport = TRANSPORTS[transport];
    setClientAddress(client, address, 0);
    buffer.set(message);
    reader.enter();
    try {
      const length = responder.respond(buffer, 0, message.length, client);
      // Only an opcode that no part of the server supports is still deferred here.
      if (length === DEFERRED) return errorResponse(message, RCODE.NOTIMP);
      return length === 0 ? null : buffer.slice(0, length);
    } finally {
      reader.leave();
    }
  };
}
