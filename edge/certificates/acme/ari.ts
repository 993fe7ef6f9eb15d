/** ACME Renewal Information (RFC 9773): when the directory suggests to renew a certificate. */
import { X509Certificate } from 'node:crypto';
import type { Directory } from './directory.ts';
import { DirectoryProblem, DirectoryUnreachable, readRetryAfter } from './problem.ts';

interface RenewalInfo {
  /** Seconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** Seconds until the next request. */
  readonly retryAfter: number;
  /** A page that explains the window; null: none. */
  readonly explanation: string | null;
}

/** Limits of Retry-After (RFC 9773 4.3.2), and the default without it. In seconds. */
const MIN_RETRY = 60;
const MAX_RETRY = 86_400;
export const STANDARD_RETRY = 21_600;

/** The next request for the renewal information of a certificate. */
export interface Poll {
  /** Seconds since 1970. */
  readonly nextAt: number;
  /** Temporary errors in a row. */
  readonly failures: number;
}

/** Null: the directory has no usable information. Rejects as Directory.get does. */
export async function renewalInfo(directory: Directory, id: string): Promise<RenewalInfo | null> {
  const { renewalInfo: url } = await directory.meta();
  if (url === null) return null;
  const { data, headers } = await directory.get(`${url.replace(/\/$/, '')}/${id}`);
  return readRenewalInfo(data, headers['retry-after'], Date.now() / 1000);
}

/** Never throws; `data` is the parsed JSON. */
export function readRenewalInfo(data: unknown, retryAfter: string | undefined, now: number): RenewalInfo | null {
  const { suggestedWindow, explanationURL } = (data ?? {}) as {
    suggestedWindow?: { start?: unknown; end?: unknown };
    explanationURL?: unknown;
  };
  const start = secondsOf(suggestedWindow?.start);
  const end = secondsOf(suggestedWindow?.end);
  // A window that ends before its start is invalid (4.2).
  if (start === null || end === null || end <= start) return null;
  const wait = readRetryAfter(retryAfter, now) ?? STANDARD_RETRY;
  return { start, end, retryAfter: bounded(wait), explanation: readExplanation(explanationURL) };
}

const MAX_URL = 1000;

/** As a URL has no control characters, it can be logged. */
function readExplanation(url: unknown): string | null {
  if (typeof url !== 'string' || url.length > MAX_URL) return null;
  const parsed = URL.parse(url);
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed.href : null;
}

const bounded = (seconds: number): number => Math.min(Math.max(seconds, MIN_RETRY), MAX_RETRY);

/** Seconds until the requests after temporary errors in a row. */
const TEMPORARY_RETRIES: readonly number[] = [60, 240, 960];

/**
 * The next request after an error (RFC 9773 4.3.3): soon after the first temporary ones, else after
 * six hours; never before Retry-After.
 */
export function pollAfterError(error: unknown, { failures }: Pick<Poll, 'failures'>, now: number): Poll {
  const asked = error instanceof DirectoryProblem ? (error.retryAfter ?? 0) : 0;
  const wait = isTemporary(error) ? (TEMPORARY_RETRIES[failures] ?? STANDARD_RETRY) : STANDARD_RETRY;
  return { nextAt: now + Math.max(wait, bounded(asked)), failures: isTemporary(error) ? failures + 1 : 0 };
}

const isTemporary = (error: unknown): boolean =>
  error instanceof DirectoryUnreachable || (error instanceof DirectoryProblem && error.status >= 500);

function secondsOf(text: unknown): number | null {
  const at = typeof text === 'string' ? Date.parse(text) / 1000 : Number.NaN;
  return Number.isFinite(at) ? at : null;
}

/**
 * A random time within the window (4.2), but not after `latest`. The previous time is kept while it
 * is within the window. `random`: 0 ≤ r < 1.
 */
export function chooseRenewal({ start, end }: RenewalInfo, before: number, latest: number, random: number): number {
  if (before >= start && before <= Math.min(end, latest)) return before;
  return Math.min(Math.floor(start + random * (end - start)), latest);
}

/**
 * The certificate ID of the leaf of a PEM chain (4.1). Null: no authority key identifier, or not a
 * certificate.
 */
export function certificateId(chain: string): string | null {
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(chain);
  } catch {
    return null;
  }
  const keyId = authorityKeyId(leaf.raw);
  const serial = Buffer.from(
    leaf.serialNumber.padStart(leaf.serialNumber.length + (leaf.serialNumber.length & 1), '0'),
    'hex',
  );
  if (keyId === null) return null;
  // As in DER: a zero byte precedes a serial number that would be negative.
  const integer = serial[0] >= 0x80 ? Buffer.concat([Buffer.of(0), serial]) : serial;
  return `${keyId.toString('base64url')}.${integer.toString('base64url')}`;
}

const SEQUENCE = 0x30;
const BYTES = 0x04;
const OID = 0x06;
/** [3] of a TBSCertificate, and [0] of an AuthorityKeyIdentifier (RFC 5280 4.1, 4.2.1.1). */
const EXTENSIONS = 0xa3;
const KEY_IDENTIFIER = 0x80;
const AUTHORITY_KEY_IDENTIFIER = Buffer.of(0x55, 0x1d, 0x23);

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

function authorityKeyId(der: Buffer): Buffer | null {
  const [certificate] = elements(der);
  const [body] = certificate ? elements(certificate.content) : [];
  const extensions = body && elements(body.content).find(({ tag }) => tag === EXTENSIONS);
  const [list] = extensions ? elements(extensions.content) : [];
  for (const extension of list ? elements(list.content) : []) {
    const [id, ...rest] = elements(extension.content);
    if (id?.tag !== OID || !id.content.equals(AUTHORITY_KEY_IDENTIFIER)) continue;
    const value = rest.find(({ tag }) => tag === BYTES);
    const [identifier] = value ? elements(value.content) : [];
    const found =
      identifier?.tag === SEQUENCE && elements(identifier.content).find(({ tag }) => tag === KEY_IDENTIFIER);
    return found ? found.content : null;
  }
  return null;
}

/** Maximum bytes of a DER length. Certificates have only some kilobytes. */
const MAX_LENGTH = 4;

/**
 * The consecutive DER elements (X.690 8.1), up to an invalid one. OpenSSL has parsed the
 * certificate, but not the contents of its extensions.
 */
function elements(der: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at + 2 <= der.length; ) {
    const first = der[at + 1];
    const bytes = first < 0x80 ? 0 : first & 0x7f;
    const start = at + 2 + bytes;
    if (bytes > MAX_LENGTH || start > der.length) break;
    const length = bytes === 0 ? first : der.readUIntBE(at + 2, bytes);
    found.push({ tag: der[at], content: der.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
