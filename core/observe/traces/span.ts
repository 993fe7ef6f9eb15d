/**
 * A finished span as a plain object, which threads can send. Names and values of attributes follow
 * the semantic conventions of OpenTelemetry for HTTP; those of Waypost begin with `waypost.`.
 *
 * No attribute has a secret: neither header fields nor bodies, and queries only if the operator
 * allows them.
 */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The first fields of a span, decided when it starts. */
export interface StartedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: the first span of its trace. */
  readonly parentId: string;
  /** The parent belongs to another service. */
  readonly isParentRemote: boolean;
  /** As it was received with a trusted parent. */
  readonly traceState: string;
  /** The span that an untrusted client names as its own; null: none. */
  readonly link: { readonly traceId: string; readonly spanId: string } | null;
  /** Milliseconds since 1970, with fractions. */
  readonly start: number;
}

export interface FinishedSpan extends StartedSpan {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly end: number;
  readonly attributes: SpanAttributes;
  readonly isError: boolean;
}

/** The monotonic clock's zero, in milliseconds since 1970. */
let origin = performance.timeOrigin;
/** Milliseconds by which the monotonic clock may differ from the time of day. */
const MAX_DRIFT = 50;

/**
 * Milliseconds since 1970, with fractions: the monotonic clock, set again when the time of day has
 * drifted away from it, so that spans of several machines agree.
 */
export function spanTime(): number {
  const now = performance.now();
  const timeOfDay = Date.now();
  if (Math.abs(timeOfDay - origin - now) > MAX_DRIFT) origin = timeOfDay - now;
  return origin + now;
}

/** RFC 9110 section 9.3, and PATCH (RFC 5789). */
const METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'],
]);

/** The semantic conventions have one value for all unknown methods, which clients invent. */
export const methodAttribute = (method: string): string => (METHODS.has(method) ? method : '_OTHER');
