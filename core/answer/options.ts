/**
 * The OPT record of a response with its options (RFC 6891 6.1). `prepare` comes first, while the query's own options are still in the packet; the response
 * is then written over them. One object for each thread; nothing is allocated per packet.
 */

import type { Client } from '../address/client.ts';
import { EDNS_OPTION, OPT_LENGTH, OPTION_HEADER } from '../wire/edns.ts';
import { TYPE } from '../wire/types.ts';
import { ServerCookies, WHOLE_COOKIE } from './cookies.ts';
import type { IndexReader } from './index-reader.ts';
import { ASKED, type Query } from './query.ts';
import { type AnswerSettings, MAX_NSID } from './settings.ts';

export const NO_ERROR = -1;
const EXTENDED_ERROR_LENGTH = OPTION_HEADER + 2;
const KEEPALIVE_LENGTH = OPTION_HEADER + 2;
/** What responses are padded to a multiple of (RFC 8467 4.1). */
const PADDING_BLOCK = 468;

export class ResponseOptions {
  /** Bytes of OPT that the response must have room for: 0 when there is none. An extended error and padding go where there is room left. */
  length = 0;
  /** Extended error (RFC 8914), of EXTENDED_ERROR; set by whoever answers, after `prepare`. */
  error = NO_ERROR;
  readonly #index: IndexReader;
  readonly #udpPayload: number;
  readonly #cookies: ServerCookies | null;
  #batch = -1;
  #now = 0;
  readonly #nsid: Uint8Array;
  /** Units of 100 ms (RFC 7828 section 3.1). */
  readonly #keepalive: number;

  constructor(
    index: IndexReader,
    udpPayload: number,
    { cookies, cookieSecrets, nsid, tcpIdleTimeout }: AnswerSettings,
  ) {
    this.#index = index;
    this.#udpPayload = udpPayload;
    this.#cookies = cookies === 'off' ? null : new ServerCookies(cookieSecrets);
    this.#nsid = Buffer.from(nsid, 'utf8').subarray(0, MAX_NSID);
    this.#keepalive = Math.min(Math.floor(tcpIdleTimeout / 100), 0xffff);
  }

  /** Notes what the query in `bytes` asks for, and judges its cookie. Hot, and short for the many that ask for nothing. */
  prepare(bytes: Uint8Array, query: Query, client: Client): void {
    this.error = NO_ERROR;
    this.length = query.hasOpt ? OPT_LENGTH : 0;
    if (query.requestedOptions !== 0) this.#prepareOptions(bytes, query, client);
  }

  #prepareOptions(bytes: Uint8Array, query: Query, client: Client): void {
    const { requestedOptions } = query;
    if ((requestedOptions & ASKED.COOKIE) !== 0 && this.#cookies !== null) {
      query.cookie = this.#cookies.judge(bytes, query.cookieAt, query.cookieLength, client, this.#seconds());
      this.length += OPTION_HEADER + WHOLE_COOKIE;
    }
    if ((requestedOptions & ASKED.NSID) !== 0 && this.#nsid.length > 0)
      this.length += OPTION_HEADER + this.#nsid.length;
    if ((requestedOptions & ASKED.KEEPALIVE) !== 0) this.length += KEEPALIVE_LENGTH;
  }

  /** Since 1970, as it was when the batch began: each look at the clock allocates a number. */
  #seconds(): number {
    const { batch } = this.#index;
    if (batch !== this.#batch) {
      this.#batch = batch;
      this.#now = Math.floor(Date.now() / 1000) | 0;
    }
    return this.#now;
  }

  /** Puts OPT behind bytes[p]; the response begins at `query.start` and may have `limit` bytes. Returns the offset behind it. Hot. */
  write(bytes: Uint8Array, p: number, query: Query, extendedRcode: number, limit: number): number {
    const udpPayload = this.#udpPayload;
    bytes[p] = 0;
    bytes[p + 1] = 0;
    bytes[p + 2] = TYPE.OPT;
    bytes[p + 3] = udpPayload >>> 8;
    bytes[p + 4] = udpPayload;
    bytes[p + 5] = extendedRcode;
    bytes[p + 6] = 0;
    bytes[p + 7] = query.dnssecOk ? 0x80 : 0;
    bytes[p + 8] = 0;
    let end = p + OPT_LENGTH;
    if ((query.requestedOptions | (this.error + 1)) !== 0)
      end = this.#writeOptions(bytes, end, query, query.start + limit);
    const rdlength = end - p - OPT_LENGTH;
    bytes[p + 9] = rdlength >>> 8;
    bytes[p + 10] = rdlength;
    return end;
  }

  #writeOptions(bytes: Uint8Array, from: number, query: Query, limit: number): number {
    const { error } = this;
    const cookies = this.#cookies;
    const nsid = this.#nsid;
    const { requestedOptions } = query;
    let p = from;
    if ((requestedOptions & ASKED.COOKIE) !== 0 && cookies !== null) {
      p = optionHeader(bytes, p, EDNS_OPTION.COOKIE, WHOLE_COOKIE);
      cookies.write(bytes, p);
      p += WHOLE_COOKIE;
    }
    if ((requestedOptions & ASKED.NSID) !== 0 && nsid.length > 0) {
      p = optionHeader(bytes, p, EDNS_OPTION.NSID, nsid.length);
      for (let i = 0; i < nsid.length; i++) bytes[p + i] = nsid[i];
      p += nsid.length;
    }
    if ((requestedOptions & ASKED.KEEPALIVE) !== 0) {
      p = optionHeader(bytes, p, EDNS_OPTION.TCP_KEEPALIVE, 2);
      bytes[p] = this.#keepalive >>> 8;
      bytes[p + 1] = this.#keepalive;
      p += 2;
    }
    if (error !== NO_ERROR && p + EXTENDED_ERROR_LENGTH <= limit) {
      p = optionHeader(bytes, p, EDNS_OPTION.EXTENDED_ERROR, 2);
      bytes[p] = error >>> 8;
      bytes[p + 1] = error;
      p += 2;
    }
    return (requestedOptions & ASKED.PADDING) === 0 ? p : pad(bytes, p, query.start, limit);
  }
}

/** Fills the message up to a whole block, or to what it may have. The last option, since its length depends on all others (RFC 7830 section 3). */
function pad(bytes: Uint8Array, p: number, start: number, limit: number): number {
  const data = p + OPTION_HEADER;
  if (data > limit) return p;
  const length = Math.min((PADDING_BLOCK - ((data - start) % PADDING_BLOCK)) % PADDING_BLOCK, limit - data);
  optionHeader(bytes, p, EDNS_OPTION.PADDING, length);
  bytes.fill(0, data, data + length);
  return data + length;
}

function optionHeader(bytes: Uint8Array, p: number, code: number, length: number): number {
  bytes[p] = code >>> 8;
  bytes[p + 1] = code;
  bytes[p + 2] = length >>> 8;
  bytes[p + 3] = length;
  return p + OPTION_HEADER;
}
