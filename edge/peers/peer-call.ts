/**
 * The header field of a request from one node to another. It carries decisions of the requesting
 * node, and proves that a node of the cluster sent the request:
 *
 *     waypost-peer: <time in seconds>.<content, base64url>.<MAC, base64url>
 *
 * The MAC (HMAC-SHA-256) covers the time, the content, the name of the owner, the authority and the
 * path. So a captured field is useless for another node or URL, and expires after a few minutes.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const PEER_FIELD = 'waypost-peer';

/** Maximum clock difference between nodes in seconds. */
const MAX_SKEW = 300;

/** The decisions of the requesting node. */
export interface PeerCall {
  /** The key of the cache. */
  readonly key: string;
  /** Journal sequence up to which purges are announced on the requesting node. */
  readonly purgedAt: number;
  /**
   * Milliseconds since 1970. The owner must not use responses that were requested from the origin
   * before. 0: it may use all.
   */
  readonly newerThan: number;
  /** The pool that a rule selected; null: none. */
  readonly origin: string | null;
  /** The lifetime that a rule gives to the response; null: none. */
  readonly lifetime: PeerLifetime | null;
}

/** Seconds; -1: the rule does not say. */
interface PeerLifetime {
  readonly ttl: number;
  readonly overrides: boolean;
  /** Undefined: from a node of an earlier version. */
  readonly maxTtl?: number;
}

/** The destination of a request. */
interface PeerTarget {
  /** The name of the owner. */
  readonly node: string;
  readonly authority: string;
  readonly path: string;
}

/** `now`: milliseconds since 1970. */
export function signCall(call: PeerCall, target: PeerTarget, key: Uint8Array, now: number): string {
  const content = Buffer.from(JSON.stringify(call)).toString('base64url');
  const head = `${Math.floor(now / 1000)}.${content}`;
  return `${head}.${macOf(head, target, key).toString('base64url')}`;
}

/** Undefined: the field is malformed, expired, or its MAC does not match the request. */
export function readCall(
  value: string,
  target: PeerTarget,
  keys: readonly Uint8Array[],
  now: number,
): PeerCall | undefined {
  const parts = /^(\d{1,12})\.([\w-]+)\.([\w-]{43})$/.exec(value);
  if (parts === null) return undefined;
  const [, time, content, mac] = parts;
  if (Math.abs(Number(time) - now / 1000) > MAX_SKEW) return undefined;
  const received = Buffer.from(mac, 'base64url');
  const head = `${time}.${content}`;
  if (!keys.some((key) => timingSafeEqual(macOf(head, target, key), received))) return undefined;
  return callOf(Buffer.from(content, 'base64url').toString());
}

/** The encoding is unambiguous, because no part contains a line feed. */
const macOf = (head: string, { node, authority, path }: PeerTarget, key: Uint8Array): Buffer =>
  createHmac('sha256', key).update(`${head}\n${node}\n${authority}\n${path}`).digest();

/** Undefined: the content is not a PeerCall, as from a node of another version. */
function callOf(text: string): PeerCall | undefined {
  try {
    const { key, purgedAt, newerThan, origin, lifetime } = Object(JSON.parse(text)) as Partial<PeerCall>;
    if (typeof key !== 'string' || !Number.isSafeInteger(purgedAt) || !Number.isSafeInteger(newerThan))
      return undefined;
    if (origin !== null && typeof origin !== 'string') return undefined;
    if (lifetime === undefined || (lifetime !== null && !isLifetime(lifetime))) return undefined;
    return { key, purgedAt: purgedAt as number, newerThan: newerThan as number, origin, lifetime };
  } catch {
    return undefined;
  }
}

const isLifetime = ({ ttl, overrides, maxTtl = -1 }: PeerLifetime): boolean =>
  Number.isSafeInteger(ttl) && typeof overrides === 'boolean' && Number.isSafeInteger(maxTtl);
