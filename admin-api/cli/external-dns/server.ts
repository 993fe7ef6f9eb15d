/**
 * The HTTP server of the webhook provider protocol of external-dns. It needs no credentials, so it
 * only serves processes of this machine: it listens on the loopback, and rejects requests that
 * browsers send for web pages.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidError } from '../../../core/base/errors.ts';
import type { Logger } from '../../../core/base/log/index.ts';
import { asObject } from '../base/client.ts';
import { readEndpoint } from './endpoints.ts';
import type { ExternalDnsZones } from './zones.ts';

const MEDIA_TYPE = 'application/external.dns.webhook+json;version=1';
const MAX_BODY = 32 << 20;

export interface Address {
  readonly host: string;
  readonly port: number;
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Handler = (request: IncomingMessage) => Promise<Answer>;

/** Resolves with the port when the server listens. */
export async function startWebhook(
  zones: ExternalDnsZones,
  address: Address,
  log: Logger,
): Promise<{ readonly port: number; close(): void }> {
  const json = (body: unknown): Answer => ({ status: 200, type: MEDIA_TYPE, body });
  const endpointsIn = (value: unknown) => (Array.isArray(value) ? value : []).map(readEndpoint);
  const handlers: Readonly<Record<string, Handler>> = {
    'GET /': async () => json(zones.filter.length > 0 ? { include: zones.filter } : {}),
    'GET /records': async () => json(await zones.records()),
    async 'POST /records'(request) {
      const changes = asObject(await readBody(request)) ?? {};
      await zones.apply({
        // Go writes the fields of a struct without JSON names in upper case.
        create: endpointsIn(changes.create ?? changes.Create),
        updateOld: endpointsIn(changes.updateOld ?? changes.UpdateOld),
        updateNew: endpointsIn(changes.updateNew ?? changes.UpdateNew),
        delete: endpointsIn(changes.delete ?? changes.Delete),
      });
      return { status: 204 };
    },
    'POST /adjustendpoints': async (request) => json(await zones.adjust(endpointsIn(await readBody(request)))),
    'GET /healthz': healthy,
  };
  const server = createServer((request, response) => {
    respond(request, handlers).then(
      (answer) => send(response, answer),
      (error: unknown) => send(response, failure(error, log)),
    );
  });
  return listen(server, address);
}

/** Serves only `/healthz`, for probes from other machines. */
export async function startHealth(address: Address): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((request, response) => {
    const isKnown = request.method === 'GET' && request.url === '/healthz';
    send(response, isKnown ? HEALTHY : NOT_FOUND);
  });
  return listen(server, address);
}

const HEALTHY: Answer = { status: 200, type: 'text/plain', body: 'ok' };
const NOT_FOUND: Answer = { status: 404, type: 'text/plain', body: 'There is no such path.' };
const healthy: Handler = async () => HEALTHY;

/** The request does not come from external-dns. */
class BadRequest extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function respond(request: IncomingMessage, handlers: Readonly<Record<string, Handler>>): Promise<Answer> {
  const path = (request.url ?? '').replace(/\?.*$/s, '');
  rejectBrowsers(request);
  const handler = handlers[`${request.method} ${path}`];
  if (handler !== undefined) {
    if (path !== '/healthz') requireVersion(request);
    return handler(request);
  }
  const allowed = Object.keys(handlers).filter((key) => key.endsWith(` ${path}`));
  if (allowed.length === 0) throw new BadRequest(404, 'There is no such path.');
  throw new BadRequest(405, `Use ${allowed.map((key) => key.split(' ')[0]).join(' or ')}.`);
}

/** A web page can send requests to the loopback, even under its own host name (DNS rebinding). */
function rejectBrowsers({ headers }: IncomingMessage): void {
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  if (!/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(host))
    throw new BadRequest(403, 'The host of the request is not a name of the loopback.');
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined)
    throw new BadRequest(403, 'Requests of browsers are not accepted.');
}

/** Accepts a body without a type, which external-dns before version 0.14 sends. */
function requireVersion({ headers, method }: IncomingMessage): void {
  const hasMediaType = (value: string): boolean => value.replaceAll(' ', '').toLowerCase().startsWith(MEDIA_TYPE);
  const { accept, 'content-type': type } = headers;
  if (method === 'POST' && type !== undefined && !hasMediaType(type))
    throw new BadRequest(415, `The type of the body must be ${MEDIA_TYPE}.`);
  const isAccepted =
    accept === undefined || accept.split(',').some((item) => hasMediaType(item) || item.includes('*/*'));
  if (!isAccepted) throw new BadRequest(406, `Responses have the type ${MEDIA_TYPE}.`);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new BadRequest(413, `The body is longer than ${MAX_BODY} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new BadRequest(400, 'The body is not JSON.');
  }
}

/** External-dns retries after status 500 to 510, and exits after any other error. */
function failure(error: unknown, log: Logger): Answer {
  const status = error instanceof BadRequest ? error.status : error instanceof InvalidError ? 400 : 500;
  const message = error instanceof Error ? error.message : String(error);
  log.error('request failed', { status, error: message });
  return { status, type: 'text/plain', body: message };
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  // Old versions of external-dns require this Vary.
  const headers = type === undefined ? {} : { 'Content-Type': type, Vary: 'Content-Type' };
  const text = body === undefined ? '' : typeof body === 'string' ? `${body}\n` : JSON.stringify(body);
  response.writeHead(status, { ...headers, 'X-Content-Type-Options': 'nosniff' }).end(text);
}

/** Maximum connections of external-dns and of probes. */
const MAX_CONNECTIONS = 64;
/** Timeouts of the header and of the whole request, in milliseconds. */
const HEADERS_MS = 5000;
const REQUEST_MS = 30_000;

async function listen(server: Server, { host, port }: Address): Promise<{ readonly port: number; close(): void }> {
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
