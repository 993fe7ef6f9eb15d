/** Settings of traces. */
import { flag, fraction, shortText, text, textual } from './kinds.ts';
import { optional, setting } from './setting.ts';

/** Maximum bytes of a service name. */
const MAX_NAME = 255;

/** The URL of the OTLP receiver. Rejects a password or a query, because the URL is logged. */
const collector = textual(
  'the URL of a collector without user, query and fragment, such as "http://127.0.0.1:4318/v1/traces"',
  (value) => {
    if (!/^https?:\/\/[^/?#@\s]+(?:\/[^?#@\s]*)?$/.test(value) || !URL.canParse(value)) return undefined;
    const url = new URL(value);
    // The default path for traces in OTLP.
    if (url.pathname === '/') url.pathname = '/v1/traces';
    return url.href;
  },
  String,
);

export const TRACES_SETTINGS = {
  endpoint: optional(
    collector,
    'off',
    '"http://127.0.0.1:4318/v1/traces"',
    'URL to which spans are sent by OTLP over HTTP (JSON). Without a path, /v1/traces is added. Without this setting, nothing is traced.',
  ),
  ratio: setting(
    fraction,
    0.01,
    'Ratio of requests to the edge that are traced, from 0 to 1. The decision of a client in edge.trusted_proxies holds instead.',
  ),
  write_ratio: setting(fraction, 1, 'Ratio of writes to the API that are traced, from 0 to 1.'),
  query: setting(
    flag,
    false,
    'Whether the spans of requests to sites have the query of the URL. Queries may contain secrets.',
  ),
  headers_file: optional(
    text('the path of a file'),
    'none',
    '"/etc/waypost/traces-headers"',
    'File with header fields for the collector, such as "authorization: Bearer …", one on each line. It is readable only by its owner, and read for each request to the collector.',
  ),
  service_name: setting(shortText(MAX_NAME), 'waypost', 'Name of this service in spans (service.name).'),
} as const;
