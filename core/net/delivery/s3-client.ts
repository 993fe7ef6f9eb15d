/** Clients of S3-compatible services. */
import type { S3mini } from 's3mini';
import type { Dispatcher } from 'undici';

export interface S3Options {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Whether the bucket is in the path of URLs, not in their host. */
  readonly isPathStyle: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Request timeout, in milliseconds. */
  readonly timeout: number;
  /** Makes the connections. */
  readonly dispatcher: Dispatcher;
}

export async function openS3Client(options: S3Options): Promise<S3mini> {
  const [s3mini, { default: undici }] = await Promise.all([import('s3mini'), import('undici')]);
  const { endpoint, bucket, region, accessKeyId, secretAccessKey, timeout, isPathStyle, dispatcher } = options;
  const url = new URL(endpoint);
  if (isPathStyle) url.pathname = `/${bucket}`;
  else url.host = `${bucket}.${url.host}`;
  return new s3mini.S3mini({
    endpoint: String(url).replace(/\/$/, ''),
    region,
    accessKeyId,
    secretAccessKey,
    requestAbortTimeout: timeout,
    // The global fetch depends on the versions of undici that are loaded. fetch derives the length
    // from the body, and rejects a content-length header.
    fetch: ((target: string, init: { headers: Record<string, string> }) => {
      const { 'content-length': _, ...headers } = init.headers;
      return undici.fetch(target, { ...(init as object), headers, dispatcher });
    }) as unknown as typeof globalThis.fetch,
  });
}

/** The status of a failed request; undefined: there was no response. */
export function s3Status(error: unknown): number | undefined {
  const { status, cause } = error as { status?: unknown; cause?: unknown };
  if (typeof status === 'number') return status;
  return cause instanceof Error ? s3Status(cause) : undefined;
}

/** The message of a failed request, and of its cause. */
export function s3Fault(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== message ? `${message}: ${cause.message}` : message;
}
