/** Sends spans to a collector by OTLP over HTTP, in JSON. */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { SendSpans } from './exporter.ts';
import { readHeadersFile } from './headers-file.ts';
import { type SpanSource, toReadableSpan } from './readable-span.ts';

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
  return (spans) =>
    new Promise((resolve, reject) => {
      exporter.export(
        spans.map((span) => toReadableSpan(span, source)),
        ({ code, error }) => {
          if (code === SUCCESS) resolve();
          else reject(new Error(reasonOf(error)));
        },
      );
    });
}

/** ExportResultCode.SUCCESS of a package that is no dependency of its own. */
const SUCCESS = 0;

/** The message of a collector's response may be long; its body is not shown. */
const reasonOf = (error: Error | undefined): string =>
  (error?.message || 'the collector did not accept the spans').slice(0, MAX_REASON);
