/**
 * The parent of a span that continues the trace of a client or starts a new one.
 *
 * A client that can set `traceparent` can make a service record every request, and can write into
 * the traces of others (W3C Trace Context, "Denial of service"). So only a trusted client's trace
 * is continued. The trace of any other client is restarted, as at every trust boundary, and the new
 * span links to the client's.
 */
import { newSpanId, newTraceId } from './ids.ts';
import type { StartedSpan } from './span.ts';
import { normalizeTraceState, parseTraceParent, type TraceParent } from './trace-context.ts';

/** The context fields of a request; a repeated field is joined by commas. */
export interface RemoteContext {
  readonly traceParent: string;
  readonly traceState: string;
}

/** Null: the request has no valid parent. */
export const parentOf = ({ traceParent }: RemoteContext): TraceParent | null =>
  traceParent === '' ? null : parseTraceParent(traceParent);

/** `parent`: as `parentOf` returned it. */
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
