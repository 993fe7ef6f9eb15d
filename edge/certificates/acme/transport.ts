/**
 * HTTP to a directory. It replaces the transport of acme-client, which has no timeouts and no limit
 * of the response size. That transport also waits as long as Retry-After requests, and keeps only
 * the text of a problem.
 */
import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';
import { readRootsFile } from '../../origin/tls.ts';
import { DirectoryProblem, DirectoryUnreachable, problemNames, readProblem, readRetryAfter } from './problem.ts';

export interface DirectoryResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or text. */
  readonly data: unknown;
}

export interface Transport {
  /**
   * Rejects with DirectoryUnreachable, also for a redirect, since a signature is valid for one URL
   * only. Rejects with DirectoryProblem for a status of 400 or more, except badNonce, which the
   * signer retries (RFC 8555 6.5). `data` is sent as JSON.
   */
  request(
    url: string,
    method: string,
    options?: { data?: unknown; headers?: Record<string, string> },
  ): Promise<DirectoryResponse>;
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;
const RESPONSE_MS = 30_000;
const WHOLE_MS = 60_000;
/** Maximum bytes of a response. A certificate chain has some kilobytes. */
const MAX_BODY = 1 << 20;
const CONNECTIONS = 8;
const AGENT = 'waypost';

/**
 * `caFile`: trusted roots in addition to the public ones. Throws ConfigError `bad_file` when it
 * cannot be read. `stop` aborts pending requests.
 */
export function openTransport(caFile: string | undefined, stop: AbortSignal): Transport {
  const ca = caFile === undefined ? undefined : [...rootCertificates, readRootsFile('acme.ca_file', caFile)];
  const agent = new Agent({
    connect: { ca, timeout: CONNECT_MS },
    headersTimeout: RESPONSE_MS,
    bodyTimeout: RESPONSE_MS,
    connections: CONNECTIONS,
    pipelining: 1,
  });
  return {
    async request(url, method, { data, headers } = {}) {
      const answer = await exchange(agent, stop, url, method, data, headers);
      if (answer.status >= 300 && answer.status < 400)
        throw new DirectoryUnreachable(`${serverOf(url)}: unexpected redirect (status ${answer.status})`);
      if (answer.status < 400) return answer;
      const problem = readProblem(answer.data);
      if (answer.status === 400 && problem.type === 'badNonce') return answer;
      const retryAfter = readRetryAfter(answer.headers['retry-after'], Date.now() / 1000);
      throw new DirectoryProblem(problem, answer.status, retryAfter, problemNames(answer.data));
    },
    close: () => agent.destroy(),
  };
}

async function exchange(
  dispatcher: Agent,
  stop: AbortSignal,
  url: string,
  method: string,
  data: unknown,
  headers: Record<string, string> = {},
): Promise<DirectoryResponse> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(WHOLE_MS)]);
  try {
    const { origin, pathname, search } = new URL(url);
    const {
      statusCode,
      headers: received,
      body,
    } = await dispatcher.request({
      origin,
      path: pathname + search,
      signal,
      method: method.toUpperCase() as Dispatcher.HttpMethod,
      headers: {
        'user-agent': AGENT,
        ...headers,
        ...(data === undefined ? {} : { 'content-type': 'application/jose+json' }),
      },
      body: data === undefined ? null : JSON.stringify(data),
    });
    const flat = flatten(received);
    return { status: statusCode, headers: flat, data: bodyValue(await readAll(body), flat['content-type'] ?? '') };
  } catch (error) {
    if (stop.aborted) throw stop.reason;
    throw new DirectoryUnreachable(`${serverOf(url)}: ${reasonOf(error)}`, { cause: error });
  }
}

async function readAll(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > MAX_BODY) throw new Error(`the response exceeds ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Throws for invalid JSON with a content-type of JSON. */
function bodyValue(text: string, type: string): unknown {
  return /^application\/([a-z.-]+\+)?json\b/i.test(type) && text !== '' ? JSON.parse(text) : text;
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  return flat;
}

/** For messages. An invalid URL was sent by a directory. */
const serverOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'an invalid URL of the directory');

interface ConnectError extends Partial<NodeJS.ErrnoException> {
  readonly address?: string;
  readonly port?: number;
  /** Of each address of a host with several. */
  readonly errors?: readonly unknown[];
}

/** The reason of an error; of a connection with its port and address family. */
function reasonOf(error: unknown): string {
  const { message, code, syscall, address, port, errors } = error as ConnectError;
  if (errors !== undefined && errors.length > 0) return errors.map(reasonOf).join('; ');
  if (syscall !== 'connect' || address === undefined) return message || code || 'failed';
  const what = code === 'ECONNREFUSED' ? 'connection refused' : `connection failed (${code})`;
  return `${what} on port ${port} over ${address.includes(':') ? 'IPv6' : 'IPv4'} (${address})`;
}
