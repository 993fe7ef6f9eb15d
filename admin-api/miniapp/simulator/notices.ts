/**
 * Notices of the simulator's sandbox about an app. The app server creates notices from reports and
 * refused requests. The guard in the app's pages sends notices to the page around the frame. This
 * module runs in Node and in browsers. An app can forge any notice, so notices are only displayed.
 */

/** The browser refused something by the Content-Security-Policy, and sent a report. */
export interface ViolationNotice {
  readonly kind: 'violation';
  /** Such as `img-src`. */
  readonly directive: string;
  /** The URL without its path if it is of another host, or a word such as `inline` or `eval`. */
  readonly blocked: string;
  /** File of the app, with its line; empty if the browser does not report it. */
  readonly source: string;
}

/** Something else in the sandbox refused the attempt. */
interface BlockedNotice {
  readonly kind: 'blocked';
  readonly attempt: Attempt;
  /** For people: the URL, the path, the name of the feature. */
  readonly detail: string;
}

/** Something was written to the console, or thrown and not caught. */
interface ConsoleNotice {
  readonly kind: 'console';
  readonly level: Level;
  readonly text: string;
}

/** Notices above the rate limit were dropped. */
interface DroppedNotice {
  readonly kind: 'dropped';
  readonly count: number;
}

export type Notice = ViolationNotice | BlockedNotice | ConsoleNotice | DroppedNotice;

const ATTEMPTS = [
  /** A request to the app server that no page of an app sends. */
  'request',
  /** A path that is not allowed in packages, or leads out of the folder. */
  'path',
  'navigation',
  'popup',
  'form',
  'download',
  'dialog',
  'frame',
  'worker',
  'webrtc',
  /** A connection or a lookup of a name ahead of requests. */
  'connection',
  'storage',
  'device',
  'message',
] as const;
export type Attempt = (typeof ATTEMPTS)[number];

export const LEVELS = ['debug', 'log', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** Characters of each text in a notice. */
export const LONGEST_TEXT = 4096;
/** Of details that are no text of the app. */
export const LONGEST_DETAIL = 512;

/** From the guard to the page around the frame. */
type FromGuard =
  | { readonly type: 'notice'; readonly notice: Notice }
  /** Response to a ping, or 0 at the start of a page. An endless loop delays it forever. */
  | { readonly type: 'pong'; readonly id: number };

/** Field of the guard's messages with the value `guard`. Messages of the bridge are texts. */
const MARK = 'waypost';

/** From the page around the frame to the guard, for `postMessage`. */
export const ping = (id: number): object => ({ [MARK]: 'ping', id });

/** A message of the guard; undefined: it is none, or not well-formed. Never throws. */
export function readFromGuard(data: unknown): FromGuard | undefined {
  if (typeof data !== 'object' || data === null) return;
  const { [MARK]: mark, type, id, notice } = data as Record<string, unknown>;
  if (mark !== 'guard') return;
  if (type === 'pong') return Number.isSafeInteger(id) ? { type, id: id as number } : undefined;
  const read = type === 'notice' ? readNotice(notice) : undefined;
  return read && { type: 'notice', notice: read };
}

function readNotice(value: unknown): Notice | undefined {
  if (typeof value !== 'object' || value === null) return;
  const { kind, attempt, detail, level, text, count } = value as Record<string, unknown>;
  if (kind === 'blocked' && isOneOf(ATTEMPTS, attempt) && typeof detail === 'string')
    return { kind, attempt, detail: detail.slice(0, LONGEST_DETAIL) };
  if (kind === 'console' && isOneOf(LEVELS, level) && typeof text === 'string')
    return { kind, level, text: text.slice(0, LONGEST_TEXT) };
  if (kind === 'dropped' && Number.isSafeInteger(count) && (count as number) > 0)
    return { kind, count: count as number };
  return;
}

const isOneOf = <T extends string>(names: readonly T[], value: unknown): value is T => names.includes(value as T);
