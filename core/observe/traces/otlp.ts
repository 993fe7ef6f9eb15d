/** Sends spans to a collector by OTLP over HTTP, in JSON. */
import {
  DiagLogLevel,
  diag,
  type HrTime,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { PartialSuccess, SendSpans } from './exporter.ts';
import { readHeadersFile } from './headers-file.ts';
import type { FinishedSpan } from './span.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

const NANOSECONDS = 1e9;

/** Timeout of a batch in milliseconds, including retries. */
const TIMEOUT = 10_000;
/** Characters of a collector's reason in the log. */
const MAX_REASON = 200;

export interface OtlpOptions {
  readonly endpoint: string;
  /** Read for each batch, so that a new credential needs no restart. */
  readonly headersFile: string | undefined;
  readonly serviceName: string;
  readonly version: string;
  readonly nodeName: string;
}

export function createOtlpSender({ endpoint, headersFile, serviceName, version, nodeName }: OtlpOptions): SendSpans {
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    headers: async () => (headersFile === undefined ? {} : readHeadersFile(headersFile)),
    timeoutMillis: TIMEOUT,
    // Two, since a batch still counts while its callback runs; one batch is in flight at a time.
    concurrencyLimit: 2,
    // Set explicitly, so that environment variables do not change it.
    httpAgentOptions: { keepAlive: true },
  });
  const source: SpanSource = {
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': nodeName,
    }),
    instrumentationScope: { name: 'waypost', version },
  };
  // The exporter reports what a collector rejected of a batch to this log only, before its result.
  let partial: PartialSuccess | null = null;
  const ignore = (): void => {};
  const warn = (...parts: unknown[]): void => {
    partial = readPartialSuccess(parts.at(-1)) ?? partial;
  };
  const handler = { error: ignore, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(handler, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return (spans) =>
    new Promise((resolve, reject) => {
      partial = null;
      exporter.export(
        spans.map((span) => toReadableSpan(span, source)),
        ({ code, error }) => {
          if (code === SUCCESS) resolve(partial ?? ALL_ACCEPTED);
          else reject(new Error(reasonOf(error)));
        },
      );
    });
}

const ALL_ACCEPTED: PartialSuccess = { rejected: 0, reason: '' };

/** Of the member partialSuccess of a response, as JSON. Undefined: it is none. */
function readPartialSuccess(text: unknown): PartialSuccess | undefined {
  try {
    const { rejectedSpans, errorMessage = '' } = JSON.parse(String(text)) as Record<string, unknown>;
    const rejected = Number(rejectedSpans ?? 0);
    if (!Number.isSafeInteger(rejected) || rejected < 0) return undefined;
    return { rejected, reason: `the collector rejected ${rejected} spans: ${errorMessage}`.slice(0, MAX_REASON) };
  } catch {
    return undefined;
  }
}

/** ExportResultCode.SUCCESS of a package that is no dependency of its own. */
const SUCCESS = 0;

/** The message of a collector's response may be long; its body is not shown. */
const reasonOf = (error: Error | undefined): string =>
  (error?.message || 'the collector did not accept the spans').slice(0, MAX_REASON);

interface SpanSource {
  readonly resource: Resource;
  readonly instrumentationScope: ReadableSpan['instrumentationScope'];
}

/** Finished spans in the form that the exporter of OpenTelemetry reads. */
function toReadableSpan(span: FinishedSpan, { resource, instrumentationScope }: SpanSource): ReadableSpan {
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
