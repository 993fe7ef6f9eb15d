/** The settings of a domain for request logs. Secrets are encrypted. */
import { DocumentKind } from '../document-kind.ts';

/** The fields of a line, in this order. */
export const LOG_FIELDS = [
  'time',
  'node',
  'client',
  'scheme',
  'host',
  'method',
  'path',
  'query',
  'version',
  'status',
  'bytes',
  'ms',
  'cache',
  'origin_ms',
  'fault',
  'referer',
  'user_agent',
  'request_id',
  'sample',
] as const;

export type LogField = (typeof LOG_FIELDS)[number];

/** All fields except `sample`, and except `query` and `referer`, which may contain secrets. */
export const DEFAULT_FIELDS: readonly LogField[] = LOG_FIELDS.filter(
  (field) => field !== 'query' && field !== 'referer' && field !== 'sample',
);

/** The part of the client's address in a line: all, the network (/24 or /48), or nothing. */
export const CLIENT_ADDRESSES = ['full', 'truncated', 'omitted'] as const;
type ClientAddress = (typeof CLIENT_ADDRESSES)[number];

export interface EndpointDestination {
  readonly url: string;
  /** The value of the field Authorization; empty: the field is not sent. */
  readonly sealedAuthorization: string;
  /** The key of signatures; empty: batches are not signed. */
  readonly sealedSecret: string;
}

export interface BucketDestination {
  readonly endpoint: string;
  readonly region: string;
  readonly name: string;
  /** The prefix of the keys of objects. */
  readonly prefix: string;
  readonly isPathStyle: boolean;
  readonly accessKeyId: string;
  readonly sealedSecretAccessKey: string;
}

export interface LogsDocument {
  readonly isEnabled: boolean;
  /** At most one of the two is set. */
  readonly endpoint: EndpointDestination | null;
  readonly bucket: BucketDestination | null;
  /** The share of logged requests, above 0 and at most 1. */
  readonly sample: number;
  readonly fields: readonly LogField[];
  readonly clientAddress: ClientAddress;
}

export const LOGS = new DocumentKind<LogsDocument, 'logs'>('logs', {
  isEnabled: false,
  endpoint: null,
  bucket: null,
  sample: 1,
  fields: DEFAULT_FIELDS,
  clientAddress: 'full',
});

/** The settings that the edge needs to write lines. Plain data, comparable by value. */
export interface LogPlan {
  readonly sample: number;
  readonly fields: readonly LogField[];
  readonly clientAddress: ClientAddress;
}

/** Null: logs are off. */
export function logPlan({ isEnabled, endpoint, bucket, sample, fields, clientAddress }: LogsDocument): LogPlan | null {
  if (!isEnabled || (endpoint === null && bucket === null)) return null;
  return { sample, fields: LOG_FIELDS.filter((field) => fields.includes(field)), clientAddress };
}
