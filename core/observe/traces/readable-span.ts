/** Finished spans in the form that the exporter of OpenTelemetry reads. */
import { type HrTime, type SpanContext, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { FinishedSpan } from './span.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
const NANOSECONDS = 1e9;

export interface SpanSource {
  readonly resource: Resource;
  readonly instrumentationScope: ReadableSpan['instrumentationScope'];
}

export function toReadableSpan(span: FinishedSpan, { resource, instrumentationScope }: SpanSource): ReadableSpan {
  const { traceId, spanId, parentId, isParentRemote, link } = span;
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    ...(span.traceState === '' ? {} : { traceState: stateOf(span.traceState) }),
  };
  return {
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => context,
    parentSpanContext:
      parentId === ''
        ? undefined
        : { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote: isParentRemote },
    startTime: highResolution(span.start),
    endTime: highResolution(span.end),
    duration: highResolution(Math.max(0, span.end - span.start)),
    status: { code: span.isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: span.attributes,
    links: link === null ? [] : [{ context: { ...link, traceFlags: TraceFlags.NONE, isRemote: true } }],
    events: [],
    ended: true,
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds. */
export function highResolution(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  const rest = Math.round((milliseconds - seconds * 1000) * 1e6);
  return rest >= NANOSECONDS ? [seconds + 1, rest - NANOSECONDS] : [seconds, rest];
}

/** The exporter only serializes it. */
function stateOf(text: string): NonNullable<SpanContext['traceState']> {
  const state = { get: () => undefined, set: () => state, unset: () => state, serialize: () => text };
  return state;
}
