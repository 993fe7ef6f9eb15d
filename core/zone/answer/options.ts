/**
 * Writes the OPT record of a response and its options (RFC 6891 section 6.1). `prepare` must be
 * called while the query's options are still in the packet; the response overwrites them. One
 * object per thread; nothing is allocated per packet.
 */

import { EDNS_OPTION, OPT_LENGTH, OPTION_HEADER, SUBNET_FAMILY, SUBNET_HEADER } from '../../dns/wire/edns.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Client } from '../../net/address/client.ts';
import { COOKIE_LENGTH, ServerCookies } from './cookies.ts';
import type { IndexReader } from './index-reader.ts';
import { type Query, REQUESTED } from './query.ts';
import { type AnswerSettings, MAX_NSID } from './settings.ts';

export const NO_ERROR = -1;
const EXTENDED_ERROR_LENGTH = OPTION_HEADER + 2;
const KEEPALIVE_LENGTH = OPTION_HEADER + 2;
/** Responses are padded to a multiple of this size (RFC 8467 section 4.1). */
const PADDING_BLOCK = 468;

export class ResponseOptions {
  /**
   * Bytes that the response must reserve for OPT; 0: no OPT. An extended error and padding are
   * added only if there is room left.
   */
  length = 0;
  /** Extended error (RFC 8914), of EXTENDED_ERROR. The responder sets it after `prepare`. */
  error = NO_ERROR;
  /**
   * The client subnet of the query (RFC 7871), with zeros after its address, and its scope prefix
   * length, which the responder sets after `prepare`.
   */
  readonly subnet = new Uint8Array(SUBNET_HEADER + 16);
  scope = 0;
  #subnetLength = 0;
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

  /** Bytes of the address in `subnet`: 4 or 16; 0: the query has none. */
  addressLength(query: Query): number {
    const { subnet } = this;
    if ((query.requestedOptions & REQUESTED.SUBNET) === 0 || subnet[2] === 0) return 0;
    return subnet[1] === SUBNET_FAMILY.IPV4 ? 4 : 16;
  }

  /**
   * Determines the options of the response, and checks the query's cookie. Hot, and short for the
   * many queries without options.
   */
  prepare(bytes: Uint8Array, query: Query, client: Client): void {
    this.error = NO_ERROR;
    this.length = query.hasOpt ? OPT_LENGTH : 0;
    if (query.requestedOptions !== 0) this.#prepareOptions(bytes, query, client);
  }

  #prepareOptions(bytes: Uint8Array, query: Query, client: Client): void {
    const { requestedOptions } = query;
    if ((requestedOptions & REQUESTED.COOKIE) !== 0 && this.#cookies !== null) {
      query.cookie = this.#cookies.check(bytes, query.cookieAt, query.cookieLength, client, this.#readSeconds());
      this.length += OPTION_HEADER + COOKIE_LENGTH;
    }
    if ((requestedOptions & REQUESTED.NSID) !== 0 && this.#nsid.length > 0)
      this.length += OPTION_HEADER + this.#nsid.length;
    if ((requestedOptions & REQUESTED.KEEPALIVE) !== 0) this.length += KEEPALIVE_LENGTH;
    if ((requestedOptions & REQUESTED.SUBNET) !== 0) this.#keepSubnet(bytes, query);
  }

  /** The response overwrites the query's options. */
  #keepSubnet(bytes: Uint8Array, { subnetAt, subnetLength }: Query): void {
    const { subnet } = this;
    for (let i = 0; i < subnet.length; i++) subnet[i] = i < subnetLength ? bytes[subnetAt + i] : 0;
    this.scope = 0;
    this.#subnetLength = subnetLength;
    this.length += OPTION_HEADER + subnetLength;
  }

  /** Seconds since 1970, at the start of the batch: each read of the clock allocates a number. */
  #readSeconds(): number {
    const { batch } = this.#index;
    if (batch !== this.#batch) {
      this.#batch = batch;
      this.#now = Math.floor(Date.now() / 1000) | 0;
    }
    return this.#now;
  }

  /**
   * Writes OPT at bytes[p]. The response starts at `query.start` and has at most `limit` bytes.
   * Returns the offset after OPT. Hot.
   */
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
    if ((requestedOptions & REQUESTED.COOKIE) !== 0 && cookies !== null) {
      p = writeOptionHeader(bytes, p, EDNS_OPTION.COOKIE, COOKIE_LENGTH);
      cookies.write(bytes, p);
      p += COOKIE_LENGTH;
    }
    if ((requestedOptions & REQUESTED.NSID) !== 0 && nsid.length > 0) {
      p = writeOptionHeader(bytes, p, EDNS_OPTION.NSID, nsid.length);
      for (let i = 0; i < nsid.length; i++) bytes[p + i] = nsid[i];
      p += nsid.length;
    }
    if ((requestedOptions & REQUESTED.KEEPALIVE) !== 0) {
      p = writeOptionHeader(bytes, p, EDNS_OPTION.TCP_KEEPALIVE, 2);
      bytes[p] = this.#keepalive >>> 8;
      bytes[p + 1] = this.#keepalive;
      p += 2;
    }
    if ((requestedOptions & REQUESTED.SUBNET) !== 0) {
      const { subnet } = this;
      subnet[3] = this.scope;
      p = writeOptionHeader(bytes, p, EDNS_OPTION.CLIENT_SUBNET, this.#subnetLength);
      for (let i = 0; i < this.#subnetLength; i++) bytes[p + i] = subnet[i];
      p += this.#subnetLength;
    }
    if (error !== NO_ERROR && p + EXTENDED_ERROR_LENGTH <= limit) {
      p = writeOptionHeader(bytes, p, EDNS_OPTION.EXTENDED_ERROR, 2);
      bytes[p] = error >>> 8;
      bytes[p + 1] = error;
      p += 2;
    }
    return (requestedOptions & REQUESTED.PADDING) === 0 ? p : writePadding(bytes, p, query.start, limit);
  }
}

/**
 * Pads the message to a whole block, or up to `limit`. It must be the last option, since its length
 * depends on the others (RFC 7830 section 3).
 */
function writePadding(bytes: Uint8Array, p: number, start: number, limit: number): number {
  const data = p + OPTION_HEADER;
  if (data > limit) return p;
  const length = Math.min((PADDING_BLOCK - ((data - start) % PADDING_BLOCK)) % PADDING_BLOCK, limit - data);
  writeOptionHeader(bytes, p, EDNS_OPTION.PADDING, length);
  bytes.fill(0, data, data + length);
  return data + length;
}

function writeOptionHeader(bytes: Uint8Array, p: number, code: number, length: number): number {
  bytes[p] = code >>> 8;
  bytes[p + 1] = code;
  bytes[p + 2] = length >>> 8;
  bytes[p + 3] = length;
  return p + OPTION_HEADER;
}
