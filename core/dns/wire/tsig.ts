/**
 * Transaction signatures (RFC 8945): verifies requests and signs their responses. MACs are never
 * truncated: a request with a truncated MAC gets BADTRUNC.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { bareResponse } from './bare-response.ts';
import type { RequestOpt } from './edns.ts';
import { HEADER_LENGTH } from './header.ts';
import { type Name, nameId, parseName, ROOT } from './name.ts';
import { appendTsig, encodeTsig, type Found, findTsig, readName, type TsigRecord, withoutTsig } from './tsig-record.ts';
import { RCODE } from './types.ts';

/**
 * Keys and message authentication codes of TSIG (RFC 8945 sections 4.3 and 6).
 *
 * `bytes`: length of the MAC, and the recommended length of a secret.
 */
export const TSIG_ALGORITHMS = {
  /** For requests to primaries alone: RFC 8945 section 6 advises against it. */
  'hmac-md5': { hash: 'md5', bytes: 16, name: parseName('hmac-md5.sig-alg.reg.int.') },
  'hmac-sha1': { hash: 'sha1', bytes: 20, name: parseName('hmac-sha1.') },
  'hmac-sha224': { hash: 'sha224', bytes: 28, name: parseName('hmac-sha224.') },
  'hmac-sha256': { hash: 'sha256', bytes: 32, name: parseName('hmac-sha256.') },
  'hmac-sha384': { hash: 'sha384', bytes: 48, name: parseName('hmac-sha384.') },
  'hmac-sha512': { hash: 'sha512', bytes: 64, name: parseName('hmac-sha512.') },
} as const;

const BY_NAME: ReadonlyMap<string, TsigAlgorithm> = new Map(
  Object.entries(TSIG_ALGORITHMS).map(([algorithm, { name }]) => [nameId(name), algorithm as TsigAlgorithm]),
);

/** The error field of a TSIG record (RFC 8945 section 3). */
export const TSIG_ERROR = { NONE: 0, BADSIG: 16, BADKEY: 17, BADTIME: 18, BADTRUNC: 22 } as const;

/** The fudge of messages that we sign, in seconds (RFC 8945 section 10). */
const FUDGE = 300;
/**
 * Maximum accepted fudge of a request, in seconds. The field allows 18 hours, and a captured
 * request can be replayed for twice the fudge. Replay detection needs a bound, and maintained
 * clocks are less than an hour off.
 */
const MAX_FUDGE = 3600;
/** RFC 8945 5.2.2.1: a MAC of fewer bytes is malformed. */
const LEAST_MAC = 10;
const NOTHING = new Uint8Array(0);

export type TsigVerdict<K extends TsigKey> =
  /** The request is not signed. `opt`: its OPT record; null: none. */
  | { readonly kind: 'none'; readonly opt: RequestOpt | null }
  | {
      readonly kind: 'ok';
      readonly key: K;
      /** A copy of the request without its TSIG record. */
      readonly message: Uint8Array;
      /** The request's MAC, which is the first input to the response's MAC. */
      readonly mac: Uint8Array;
      /** The request's OPT record; null: none. */
      readonly opt: RequestOpt | null;
      /**
       * The last second, since 1970, at which the request is valid. Replay detection must remember
       * the request until then.
       */
      readonly goodUntil: number;
      /** Signs the response, or the messages of a stream one after another. */
      readonly signer: TsigSigner;
    }
  | {
      readonly kind: 'error';
      /** FORMERR or NOTAUTH. */
      readonly rcode: number;
      /** See TSIG_ERROR; 0 with FORMERR, which is sent without a TSIG record. */
      readonly error: number;
      /**
       * The complete response: header, question, OPT if the request has one, and TSIG (RFC 8945
       * 5.3.2: signed with BADTIME and BADTRUNC only).
       */
      readonly response: () => Uint8Array;
    };

/**
 * Finds the keys of a name (wire form, lower case) for an algorithm. Several accounts may have a
 * key of this name; the MAC decides. `question`: the name in the question of the message, which is
 * the zone of a transfer, an update or a NOTIFY.
 */
export type FindKey<K extends TsigKey> = (name: Name, algorithm: TsigAlgorithm, question: Name) => readonly K[];

/**
 * Verifies a request from the network in the order of RFC 8945 5.2: form, key, MAC, time,
 * truncation. Throws as `findKey`.
 */
export function verifyTsig<K extends TsigKey>(
  message: Uint8Array,
  findKey: FindKey<K>,
  nowSeconds: number,
): TsigVerdict<K> {
  const found = findTsig(message);
  if (found.kind === 'none') return found;
  if (found.kind === 'malformed') return formerr(message, found);
  const { record, start } = found;
  const algorithm = algorithmOf(record.algorithm);
  const keys = algorithm === undefined ? [] : findKey(record.owner, algorithm, questionOf(message));
  if (algorithm === undefined || keys.length === 0)
    return refused(message, found, TSIG_ERROR.BADKEY, (bare) => appendTsig(bare, echo(record, TSIG_ERROR.BADKEY)));
  const unsigned = withoutTsig(message, start);
  const given = record.mac;
  const { bytes } = TSIG_ALGORITHMS[algorithm];
  if (given.length > bytes || given.length < Math.max(LEAST_MAC, bytes / 2)) return formerr(message, found);
  const key = keys.find((each) =>
    timingSafeEqual(given, macOf(each, unsigned, record, null).subarray(0, given.length)),
  );
  if (key === undefined)
    return refused(message, found, TSIG_ERROR.BADSIG, (bare) => appendTsig(bare, echo(record, TSIG_ERROR.BADSIG)));
  const signed = (error: number, other: Uint8Array) =>
    refused<K>(message, found, error, (bare) => {
      const variables = { ...echo(record, error), other };
      return appendTsig(bare, { ...variables, mac: macOf(key, bare, variables, given) });
    });
  const fudge = Math.min(record.fudge, MAX_FUDGE);
  if (Math.abs(nowSeconds - record.timeSigned) > fudge) return signed(TSIG_ERROR.BADTIME, u48(nowSeconds));
  if (given.length < bytes) return signed(TSIG_ERROR.BADTRUNC, NOTHING);
  const { opt } = found;
  const goodUntil = record.timeSigned + fudge;
  return { kind: 'ok', key, message: unsigned, mac: given, opt, goodUntil, signer: new TsigSigner(key, given) };
}

/** The name in the first question; the root if there is none. */
function questionOf(message: Uint8Array): Name {
  const hasQuestion = (message[4] | message[5]) !== 0;
  return (hasQuestion && readName(message, HEADER_LENGTH)) || ROOT;
}

/**
 * Signs the response messages of a request: the first with all variables, later messages with the
 * timers (RFC 8945 5.3).
 */
export class TsigSigner {
  readonly #key: TsigKey;
  #prior: Uint8Array;
  #first = true;
  /** Bytes that a signature adds to a message. */
  readonly size: number;

  /** `requestMac`: see TsigVerdict. */
  constructor(key: TsigKey, requestMac: Uint8Array) {
    this.#key = key;
    this.#prior = requestMac;
    const variables = ours(key, 0, 0);
    this.size = encodeTsig({ ...variables, mac: macOf(key, NOTHING, variables, null) }).length;
  }

  /** The message with its TSIG record, as a copy. */
  sign(message: Uint8Array, nowSeconds: number): Uint8Array {
    const variables = ours(this.#key, nowSeconds, (message[0] << 8) | message[1]);
    const mac = macOf(this.#key, message, variables, this.#prior, !this.#first);
    this.#first = false;
    this.#prior = mac;
    return appendTsig(message, { ...variables, mac });
  }
}

/** Signs an outgoing request. `mac` is needed to verify the response. */
export function signRequest(
  message: Uint8Array,
  key: TsigKey,
  nowSeconds: number,
): { readonly message: Uint8Array; readonly mac: Uint8Array } {
  const variables = ours(key, nowSeconds, (message[0] << 8) | message[1]);
  const mac = macOf(key, message, variables, null);
  return { message: appendTsig(message, { ...variables, mac }), mac };
}

/**
 * Whether a response, or the next message of a stream, is signed with the key and in time. `prior`:
 * the MAC of the request or of the previous message.
 */
export function isSignedResponse(
  message: Uint8Array,
  key: TsigKey,
  prior: Uint8Array,
  nowSeconds: number,
  timersOnly = false,
): boolean {
  return macOfResponse(message, key, prior, nowSeconds, { timersOnly }) !== null;
}

/**
 * The MAC of a message that isSignedResponse accepts; null: the message is rejected. `unsigned`:
 * the preceding unsigned messages of a stream, which the MAC covers (RFC 8945 section 5.3.1).
 */
export function macOfResponse(
  message: Uint8Array,
  key: TsigKey,
  prior: Uint8Array,
  nowSeconds: number,
  { timersOnly = false, unsigned = [] }: { timersOnly?: boolean; unsigned?: readonly Uint8Array[] },
): Uint8Array | null {
  const found = findTsig(message);
  if (found.kind !== 'found') return null;
  const { record, start } = found;
  if (record.error !== TSIG_ERROR.NONE || Buffer.compare(record.owner, key.name) !== 0) return null;
  if (algorithmOf(record.algorithm) !== key.algorithm) return null;
  if (Math.abs(nowSeconds - record.timeSigned) > record.fudge) return null;
  const whole = withoutTsig(message, start);
  const expected = macOf(key, whole, record, prior, timersOnly, unsigned);
  return record.mac.length === expected.length && timingSafeEqual(record.mac, expected) ? record.mac : null;
}

function ours(key: TsigKey, timeSigned: number, originalId: number): Omit<TsigRecord, 'mac'> {
  const algorithm = TSIG_ALGORITHMS[key.algorithm].name;
  return { owner: key.name, algorithm, timeSigned, fudge: FUDGE, originalId, error: 0, other: NOTHING };
}

/** The TSIG record of an error response: the request's names and time, without a MAC. */
function echo(record: TsigRecord, error: number): TsigRecord {
  return { ...record, mac: NOTHING, error, other: NOTHING };
}

function formerr<K extends TsigKey>(message: Uint8Array, found: Found): TsigVerdict<K> {
  return {
    kind: 'error',
    rcode: RCODE.FORMERR,
    error: TSIG_ERROR.NONE,
    response: () => bareResponse(message, RCODE.FORMERR, found.opt),
  };
}

function refused<K extends TsigKey>(
  message: Uint8Array,
  found: Found,
  error: number,
  finish: (bare: Uint8Array) => Uint8Array,
): TsigVerdict<K> {
  return {
    kind: 'error',
    rcode: RCODE.NOTAUTH,
    error,
    response: () => finish(bareResponse(message, RCODE.NOTAUTH, found.opt)),
  };
}

function u48(value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(value, 0, 6);
  return bytes;
}

export type TsigAlgorithm = keyof typeof TSIG_ALGORITHMS;

export interface TsigKey {
  /** Wire form, in lower case. */
  readonly name: Name;
  readonly algorithm: TsigAlgorithm;
  readonly secret: Uint8Array;
}

/** The algorithm of a name in lower case; undefined: not supported. */
function algorithmOf(name: Name): TsigAlgorithm | undefined {
  return BY_NAME.get(nameId(name));
}

/**
 * The MAC of a message. `prior`: the MAC of the request or of the previous message of a stream.
 * `timersOnly`: the message continues a stream, so the MAC covers only the timers of the record
 * (RFC 8945 5.3.1). The MAC covers the record's original id.
 */
function macOf(
  key: TsigKey,
  message: Uint8Array,
  record: Omit<TsigRecord, 'mac'>,
  prior: Uint8Array | null,
  timersOnly = false,
  unsigned: readonly Uint8Array[] = [],
): Buffer {
  const hmac = createHmac(TSIG_ALGORITHMS[key.algorithm].hash, key.secret);
  if (prior !== null) hmac.update(u16(prior.length)).update(prior);
  for (const earlier of unsigned) hmac.update(earlier);
  hmac.update(u16(record.originalId)).update(message.subarray(2));
  const timers = Buffer.alloc(8);
  timers.writeUIntBE(record.timeSigned, 0, 6);
  timers.writeUInt16BE(record.fudge, 6);
  if (timersOnly) return hmac.update(timers).digest();
  // Class ANY, TTL 0.
  hmac
    .update(record.owner)
    .update(Buffer.of(0, 255, 0, 0, 0, 0))
    .update(record.algorithm)
    .update(timers);
  return hmac.update(u16(record.error)).update(u16(record.other.length)).update(record.other).digest();
}

const u16 = (value: number): Buffer => Buffer.of(value >>> 8, value & 0xff);
