/** Cache-Status (RFC 9211): tells operators what this cache did with a request. */

/** Why the request was forwarded to the origin (section 2.2). */
export type Forwarded =
  | 'bypass'
  | 'method'
  | 'uri-miss'
  | 'vary-miss'
  | 'miss'
  | 'request' // the stored response is fresh; the request asked for a newer one
  | 'stale'
  | 'partial';

interface CacheStatus {
  /** The name of this cache: a token. */
  readonly name: string;
  /** Undefined: a hit. */
  readonly fwd?: Forwarded;
  /** The origin's status, where the visitor received another one (section 2.3). */
  readonly fwdStatus?: number;
  /** Remaining freshness in seconds; negative: stale (section 2.4). */
  readonly ttl?: number;
  readonly stored?: boolean;
  readonly collapsed?: boolean;
  readonly key?: string;
  /** Further details, as a token (section 2.8). */
  readonly detail?: string;
}

let lastName = '';
let lastFwd: Forwarded | undefined;
let lastFwdStatus: number | undefined;
let isLastStored: boolean | undefined;
let isLastCollapsed = false;
let lastText = '';

/**
 * `cacheStatus` of a forwarded request. It mostly returns the last text again, as the same object.
 * Without an object for the parameters: one that is put together by spreads costs a microsecond.
 */
export function repeatedStatus(
  name: string,
  fwd: Forwarded,
  collapsed: boolean,
  fwdStatus: number | undefined,
  stored: boolean | undefined,
): string {
  const isSame =
    name === lastName &&
    fwd === lastFwd &&
    fwdStatus === lastFwdStatus &&
    stored === isLastStored &&
    collapsed === isLastCollapsed;
  if (isSame) return lastText;
  lastText = cacheStatus({ name, fwd, fwdStatus, stored, collapsed });
  lastName = name;
  lastFwd = fwd;
  lastFwdStatus = fwdStatus;
  isLastStored = stored;
  isLastCollapsed = collapsed;
  return lastText;
}

/** One member of the field. It follows the members of caches nearer to the origin (section 2). */
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

/** A string of structured fields, which is ASCII only (RFC 9651 section 4.1.6). */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}
