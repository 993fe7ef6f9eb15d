/** Cache-Status (RFC 9211): what this cache did with a request, for whoever looks into why. */

/** Why it went to the origin (section 2.2). */
export type Forwarded =
  | 'bypass'
  | 'method'
  | 'uri-miss'
  | 'vary-miss'
  | 'miss'
  | 'request' // a fresh one was there; the visitor wanted newer
  | 'stale'
  | 'partial';

export interface CacheStatus {
  /** Of this cache: a token. */
  readonly name: string;
  /** Undefined: a hit. */
  readonly fwd?: Forwarded;
  /** Of the origin, where the visitor got another one (section 2.3). */
  readonly fwdStatus?: number;
  /** Seconds that the response is still fresh; below 0 it is stale (section 2.4). */
  readonly ttl?: number;
  readonly stored?: boolean;
  readonly collapsed?: boolean;
  readonly key?: string;
  /** A token that says more (section 2.8). */
  readonly detail?: string;
}

/** One member of the field, to be added behind those of caches nearer to the origin (section 2). */
export function cacheStatus(status: CacheStatus): string {
  let text = status.fwd === undefined ? `${status.name}; hit` : `${status.name}; fwd=${status.fwd}`;
  if (status.fwdStatus !== undefined) text += `; fwd-status=${status.fwdStatus}`;
  if (status.ttl !== undefined) text += `; ttl=${status.ttl}`;
  if (status.stored) text += '; stored';
  if (status.collapsed) text += '; collapsed';
  if (status.key !== undefined) text += `; key=${quoted(status.key)}`;
  if (status.detail !== undefined) text += `; detail=${status.detail}`;
  return text;
}

/** A string of structured fields (RFC 9651 section 4.1.6), which has only ASCII. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}
