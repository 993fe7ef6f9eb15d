/**
 * The fields of W3C Trace Context (https://www.w3.org/TR/trace-context/), which carry a trace from
 * one service to the next: traceparent names the trace and the caller's span, tracestate has the
 * data of tracing vendors.
 *
 * A field that breaks a rule is ignored as a whole: the trace is restarted.
 *
 * Also the spans that continue or restart a trace, their random ids, and the sampling of traces.
 */
import { randomFillSync } from 'node:crypto';
import type { StartedSpan } from './span.ts';

export interface TraceParent {
  /** 32 digits of lower-case hexadecimal, not all of them zero. */
  readonly traceId: string;
  /** The span of the caller: 16 such digits. */
  readonly spanId: string;
  /** Whether the caller records this trace. */
  readonly isSampled: boolean;
}

/** Section 3.2.2: version, trace-id, parent-id and trace-flags, with a dash between them. */
const FIELDS = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
/** Characters of version 00. */
const LENGTH = 55;
/** Longer fields of a future version are not read. */
const MAX_LENGTH = 512;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/**
 * Reads traceparent (section 3.2). Of a future version, the fields of version 00 are read, and what
 * follows them is ignored (section 3.2.4). Null: the trace is restarted.
 */
export function parseTraceParent(text: string): TraceParent | null {
  if (text.length < LENGTH || text.length > MAX_LENGTH) return null;
  const fields = FIELDS.exec(text);
  if (fields === null) return null;
  const [, version, traceId, spanId, flags] = fields;
  // Version ff is forbidden, and version 00 has nothing after the flags.
  if (version === 'ff' || (version === '00' && text.length > LENGTH)) return null;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return null;
  // Only the lowest bit has a meaning (section 3.2.2.5).
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Always of version 00, and without flags other than `sampled` (section 3.2.2.5.2). */
export function formatTraceParent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Section 3.3.1.3.1: a vendor, or the tenant of a vendor. */
const KEY = '(?:[a-z0-9][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})';
/** Section 3.3.1.3.2: printable characters except the comma and `=`; the last one is no space. */
const VALUE = '[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]';
const MEMBER = new RegExp(`^(${KEY})=${VALUE}$`);
const MAX_MEMBERS = 32;
/** Section 3.3.1.5: characters that are passed on; longer lists lose members. */
const MAX_STATE = 512;
/** Members that are longer are removed first. */
const LONG_MEMBER = 128;
/** Longer fields are not read at all. */
const MAX_STATE_READ = 16_384;

/**
 * The members of tracestate as they are passed on (section 3.3). `text`: the fields of a request,
 * joined by commas. Empty: there are none, or the list breaks a rule. Lists above 512 characters
 * lose their long members, then the last ones.
 */
export function normalizeTraceState(text: string): string {
  if (text === '' || text.length > MAX_STATE_READ) return '';
  const members: string[] = [];
  const keys = new Set<string>();
  for (const part of text.split(',')) {
    const member = trimSpace(part);
    if (member === '') continue;
    const key = MEMBER.exec(member)?.[1];
    // Each key occurs once (section 3.3.1.3).
    if (key === undefined || keys.has(key) || members.length === MAX_MEMBERS) return '';
    keys.add(key);
    members.push(member);
  }
  return truncate(members);
}

function truncate(members: readonly string[]): string {
  let length = members.reduce((sum, member) => sum + member.length + 1, -1);
  const kept = [...members];
  const remove = (index: number): void => {
    length -= kept[index].length + 1;
    kept.splice(index, 1);
  };
  for (let i = kept.length - 1; i >= 0 && length > MAX_STATE; i--) if (kept[i].length > LONG_MEMBER) remove(i);
  while (length > MAX_STATE) remove(kept.length - 1);
  return kept.join(',');
}

/** Spaces and tabs around a member do not belong to it; a value may begin with spaces. */
const trimSpace = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '');

/** Random bytes for many ids: one system call for each id would cost more than the rest. */
const POOL = Buffer.alloc(8 * 512);
let next = POOL.length;

/** 8 random bytes, not all of them zero: all zeros are no id (section 3.2.2). */
export function newSpanId(): string {
  for (;;) {
    if (next === POOL.length) {
      randomFillSync(POOL);
      next = 0;
    }
    next += 8;
    const id = POOL.toString('hex', next - 8, next);
    if (id !== NO_SPAN) return id;
  }
}

/** 16 random bytes. */
export function newTraceId(): string {
  return newSpanId() + newSpanId();
}

/** The context fields of a request; a repeated field is joined by commas. */
export interface RemoteContext {
  readonly traceParent: string;
  readonly traceState: string;
}

/** Null: the request has no valid parent. */
export const parentOf = ({ traceParent }: RemoteContext): TraceParent | null =>
  traceParent === '' ? null : parseTraceParent(traceParent);

/**
 * The parent of a span that continues the trace of a client or starts a new one.
 *
 * A client that can set `traceparent` can make a service record every request, and can write into
 * the traces of others (W3C Trace Context, "Denial of service"). So only a trusted client's trace
 * is continued. The trace of any other client is restarted, as at every trust boundary, and the new
 * span links to the client's.
 *
 * `parent`: as `parentOf` returned it.
 */
export function startSpan(parent: TraceParent | null, state: string, isTrusted: boolean, start: number): StartedSpan {
  const continues = parent !== null && isTrusted;
  return {
    traceId: continues ? parent.traceId : newTraceId(),
    spanId: newSpanId(),
    parentId: continues ? parent.spanId : '',
    isParentRemote: continues,
    // A restarted trace has no state of the old one.
    traceState: continues ? normalizeTraceState(state) : '',
    link: parent === null || isTrusted ? null : { traceId: parent.traceId, spanId: parent.spanId },
    start,
  };
}

/**
 * Samples a ratio of traces at random. The number of traces until the next sampled one is drawn in
 * advance, so a trace that is not sampled costs one subtraction and one comparison.
 */
export class RatioSampler {
  /** Traces up to the next sampled one, including it. */
  #untilNext: number;

  /** `ratio`: from 0 to 1. `random`: 0 ≤ r < 1. */
  constructor(
    private readonly ratio: number,
    private readonly random: () => number = Math.random,
  ) {
    this.#untilNext = this.#draw();
  }

  /** Call it once for each trace. */
  isNextSampled(): boolean {
    if (--this.#untilNext > 0) return false;
    this.#untilNext = this.#draw();
    return true;
  }

  /**
   * The distances between the successes of a Bernoulli process have a geometric distribution: the
   * inverse of its distribution function turns a uniform number into a distance.
   */
  #draw(): number {
    if (this.ratio >= 1) return 1;
    if (this.ratio <= 0) return Number.POSITIVE_INFINITY;
    return 1 + Math.floor(Math.log1p(-this.random()) / Math.log1p(-this.ratio));
  }
}
