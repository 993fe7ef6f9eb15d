/** One attempt to deliver a batch of lines: a signed POST, or an object of a bucket. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Agent } from 'undici';
import type { Secrets } from '../../base/secrets.ts';
import type { Config } from '../../config/index.ts';
import { type ConnectRule, parseExemptions } from '../../net/address/index.ts';
import { openS3Client, s3Fault, s3Status } from '../../net/delivery/s3-client.ts';
import { type Attempt, Sender } from '../../net/delivery/sender.ts';
import { formatSignatures } from '../../net/delivery/signature.ts';
import {
  createConnector,
  ForbiddenAddress,
  type Resolve,
  resolveBy,
  untilAborted,
} from '../../net/dial/checked-connector.ts';
import { type BucketDestination, type EndpointDestination, LOGS, type LogsDocument } from './document.ts';
import type { Batch } from './outbox.ts';

interface LogSenderOptions {
  readonly sender: Pick<Sender, 'send' | 'release' | 'close'>;
  readonly rule: ConnectRule;
  readonly resolve: Resolve;
  readonly secrets: Pick<Secrets, 'unseal'>;
  readonly nodeName: string;
  readonly userAgent: string;
  /** Without the last dot; undefined: the domain was deleted. */
  domainName(domainId: number): string | undefined;
}

type OpenLogSenderOptions = Omit<LogSenderOptions, 'sender' | 'rule' | 'resolve'> & {
  readonly webhooks: Config['webhooks'];
  /** Aborts lookups of receivers. */
  readonly signal: AbortSignal;
};

/** Connections to receivers follow the settings of webhooks. */
export function openLogSender({ webhooks, signal, ...options }: OpenLogSenderOptions): LogSender {
  const rule = { exemptions: parseExemptions(webhooks.allowPrivateReceivers), own: [] };
  const resolve = resolveBy(() => webhooks.resolvers, signal);
  return new LogSender({ ...options, rule, resolve, sender: new Sender({ rule, resolve }) });
}

const compress = promisify(gzip);
/** Timeout for an object in milliseconds. */
const BUCKET_MS = 30_000;
/**
 * Version of the signatures. The libraries of Standard Webhooks verify the lines, which web
 * frameworks give them after the content coding is removed. Receivers of version 1 verify the
 * compressed body, so that has a signature, too.
 */
const SIGNATURE_VERSION = '2';
/** Maximum bytes of a response. The body is only needed for errors. */
const MAX_RESPONSE = 64 << 10;
const MAX_ERROR = 200;

export class LogSender {
  readonly #stop = new AbortController();

  constructor(private readonly options: LogSenderOptions) {}

  /** Never rejects. `dropped`: lines that were dropped since the last delivered batch. */
  async send(domainId: number, document: LogsDocument, batch: Batch, dropped: number): Promise<Attempt> {
    const start = performance.now();
    try {
      const { endpoint, bucket } = document;
      const domain = this.options.domainName(domainId);
      if (domain === undefined) throw new Error('the domain was deleted');
      const body = await compress(batch.text);
      if (endpoint !== null) return await this.#post(domainId, domain, endpoint, batch, body, dropped);
      if (bucket !== null) return await this.#store(domainId, domain, bucket, batch, body, start);
      throw new Error('no destination is set');
    } catch (error) {
      return attemptOf(null, describe(error), start);
    }
  }

  release(domainId: number): void {
    this.options.sender.release(domainId);
  }

  /** Aborts all attempts. */
  close(): void {
    this.#stop.abort(new Error('the service is stopping'));
    this.options.sender.close();
  }

  #post(
    domainId: number,
    domain: string,
    { url, sealedAuthorization, sealedSecret }: EndpointDestination,
    { id, lines, text }: Batch,
    body: Buffer,
    dropped: number,
  ): Promise<Attempt> {
    const { sender, userAgent, nodeName } = this.options;
    const timestamp = Math.floor(Date.now() / 1000);
    const headers: Record<string, string> = {
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
      'user-agent': userAgent,
      'webhook-id': `log_${id}`,
      'webhook-timestamp': String(timestamp),
      'waypost-domain': domain,
      'waypost-node': encodeURIComponent(nodeName),
      'waypost-lines': String(lines),
      'waypost-dropped': String(dropped),
    };
    if (sealedAuthorization !== '')
      headers.authorization = this.#unseal(sealedAuthorization, domainId).toString('utf8');
    if (sealedSecret !== '') {
      const key = this.#unseal(sealedSecret, domainId);
      headers['webhook-signature'] = [text, body]
        .map((signed) => formatSignatures([key], { id: `log_${id}`, timestamp, body: signed }))
        .join(' ');
      headers['waypost-signature-version'] = SIGNATURE_VERSION;
      key.fill(0);
    }
    return sender.send({ receiverId: domainId, url, headers, body });
  }

  async #store(
    domainId: number,
    domain: string,
    bucket: BucketDestination,
    batch: Batch,
    body: Buffer,
    start: number,
  ): Promise<Attempt> {
    const { rule, resolve, nodeName } = this.options;
    const signal = AbortSignal.any([AbortSignal.timeout(BUCKET_MS), this.#stop.signal]);
    const dispatcher = new Agent({
      connect: createConnector({ resolve, rule, signal }),
      connections: 1,
      maxResponseSize: MAX_RESPONSE,
      headersTimeout: BUCKET_MS,
      bodyTimeout: BUCKET_MS,
    });
    try {
      const { endpoint, region, name, isPathStyle, accessKeyId, sealedSecretAccessKey } = bucket;
      const client = await openS3Client({
        endpoint,
        region,
        bucket: name,
        isPathStyle,
        accessKeyId,
        timeout: BUCKET_MS,
        dispatcher,
        secretAccessKey: this.#unseal(sealedSecretAccessKey, domainId).toString('utf8'),
      });
      const md5 = createHash('md5').update(body).digest('base64');
      // s3mini signs this header too; its type allows only headers of Amazon.
      const headers = { 'content-md5': md5 } as Record<`x-amz-${string}`, string>;
      const key = bucket.prefix + objectKey(domain, nodeName, batch);
      await untilAborted(client.putObject(key, body, 'application/gzip', undefined, headers), signal);
      return attemptOf(200, null, start);
    } catch (error) {
      return attemptOf(s3Status(error) ?? null, describe(signal.aborted ? signal.reason : error), start);
    } finally {
      await dispatcher.destroy();
    }
  }

  #unseal(sealed: string, domainId: number): Buffer {
    return LOGS.unseal(this.options.secrets, domainId, sealed);
  }
}

/** Keys sort by date. All attempts of a batch use the same key. */
function objectKey(domain: string, node: string, { id, at }: Batch): string {
  const [date, time] = new Date(at * 1000).toISOString().split('T');
  const safeNode = node.replace(/[^A-Za-z0-9_-]/g, '_');
  return `${domain}/${date}/${time.slice(0, 8).replaceAll(':', '')}-${safeNode}-${id.slice(0, 8)}.jsonl.gz`;
}

const attemptOf = (status: number | null, error: string | null, start: number): Attempt => ({
  status,
  error,
  milliseconds: Math.round(performance.now() - start),
});

/** Finds the cause: undici and s3mini wrap the error. */
function forbiddenAddress(error: unknown): ForbiddenAddress | undefined {
  if (error instanceof ForbiddenAddress) return error;
  return error instanceof Error ? forbiddenAddress(error.cause) : undefined;
}

function describe(error: unknown): string {
  const forbidden = forbiddenAddress(error);
  const text =
    forbidden !== undefined
      ? `no public address: ${forbidden.message}`
      : error instanceof Error
        ? s3Fault(error)
        : String(error);
  // A service may echo control characters.
  return (
    text
      .replace(/[^\x20-\x7e]+/g, ' ')
      .trim()
      .slice(0, MAX_ERROR) || 'the request failed'
  );
}
