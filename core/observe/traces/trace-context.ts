/**
 * The fields of W3C Trace Context (https://www.w3.org/TR/trace-context/), which carry a trace from
 * one service to the next: traceparent names the trace and the caller's span, tracestate has the
 * data of tracing vendors.
 *
 * A field that breaks a rule is ignored as a whole: the trace is restarted.
 */

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
