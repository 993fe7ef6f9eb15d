/**
 * Serves the files of a package to the frame of the simulator, under the sandbox policy. It has an
 * origin of its own, on another site than the simulator's page, so that browsers run the app in a
 * separate process: an endless loop of the app does not block the page.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_LIMITS, type PackageLimits } from '../audit/archive/limits.ts';
import { type NoFile, readFolderFile } from '../audit/archive/open-folder.ts';
import { SANDBOX_POLICY } from '../audit/policy/policy.ts';
import { GUARD } from './guard.ts';
import { insertGuard } from './insert-guard.ts';
import { NoticeLog } from './notice-log.ts';
import { type Attempt, LONGEST_DETAIL, type Notice, type ViolationNotice } from './notices.ts';

const TEXT = '; charset=utf-8';

const TYPES: ReadonlyMap<string, string> = new Map([
  ...['html', 'htm'].map((name) => [name, `text/html${TEXT}`] as const),
  ...['js', 'mjs', 'cjs'].map((name) => [name, `text/javascript${TEXT}`] as const),
  ...['xhtml', 'xht'].map((name) => [name, `application/xhtml+xml${TEXT}`] as const),
  ...['json', 'map', 'geojson'].map((name) => [name, `application/json${TEXT}`] as const),
  ...['txt', 'md'].map((name) => [name, `text/plain${TEXT}`] as const),
  ...['jpg', 'jpeg'].map((name) => [name, 'image/jpeg'] as const),
  ...['ogg', 'oga'].map((name) => [name, 'audio/ogg'] as const),
  ['css', `text/css${TEXT}`],
  ['csv', `text/csv${TEXT}`],
  ['vtt', `text/vtt${TEXT}`],
  ['xml', `application/xml${TEXT}`],
  ['svg', `image/svg+xml${TEXT}`],
  ['webmanifest', `application/manifest+json${TEXT}`],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
  ['ico', 'image/x-icon'],
  ['woff', 'font/woff'],
  ['woff2', 'font/woff2'],
  ['ttf', 'font/ttf'],
  ['otf', 'font/otf'],
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['opus', 'audio/ogg'],
  ['mp4', 'video/mp4'],
  ['m4v', 'video/mp4'],
  ['webm', 'video/webm'],
  ['ogv', 'video/ogg'],
  ['wasm', 'application/wasm'],
]);

/** For files without a known extension. Browsers neither show nor run this type. */
const UNKNOWN = 'application/octet-stream';

/** Content types of the files of a package, by their names, as hosts serve them. */
function contentTypeOf(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1].toLowerCase();
  return (extension === undefined ? undefined : TYPES.get(extension)) ?? UNKNOWN;
}

/** A document in which scripts run. */
const isPage = (type: string): boolean => type.startsWith('text/html');

/** A document of XML, in which scripts run as well. */
const isXml = (type: string): boolean => /^[a-z]+\/(?:[a-z]+\+)?xml\b/.test(type);

const REPORT_TYPE = 'application/csp-report';

/** Maximum size of a report. Browsers send a few hundred bytes, and the URL of the page. */
const REPORT_BYTES = 16_384;

/**
 * Reads reports about violations of the Content-Security-Policy (CSP 3, 5.3: report-uri).
 *
 * Undefined: it is no report.
 */
function readReport(text: string, origin: string): ViolationNotice | undefined {
  let report: unknown;
  try {
    report = JSON.parse(text)?.['csp-report'];
  } catch {
    return;
  }
  if (typeof report !== 'object' || report === null) return;
  const fields = report as Record<string, unknown>;
  const directive = textOf(fields['effective-directive']) || textOf(fields['violated-directive']);
  if (directive === '') return;
  const file = withoutOrigin(textOf(fields['source-file']), origin);
  const line = fields['line-number'];
  const source = file !== '' && Number.isSafeInteger(line) ? `${file}:${line}` : file;
  return { kind: 'violation', directive, blocked: withoutOrigin(textOf(fields['blocked-uri']), origin), source };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, LONGEST_DETAIL) : '');

const withoutOrigin = (url: string, origin: string): string =>
  url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;

interface AppServerOptions {
  /** Of the package. */
  readonly folder: string;
  /** Of the page that has the frame, such as `http://localhost:8400`. */
  readonly simulatorOrigin: string;
  /** Called at most 50 times a second, with a burst of 200. */
  readonly onNotice: (notice: Notice) => void;
  /** Called before the frame gets a new document, which ends the previous page's session. */
  readonly onDocument?: () => void;
  readonly limits?: PackageLimits;
}

export interface AppServer {
  /** Without a slash at its end. The app begins at `/index.html`. */
  readonly origin: string;
  close(): Promise<void>;
}

/** Packages contain no names that begin with a dot. */
const GUARD_PATH = '/.waypost/guard.js';
const REPORT_PATH = '/.waypost/report';
const FIRST_PAGE = 'index.html';
const READ_METHODS = 'GET, HEAD';
const REQUEST_MS = 10_000;
const HEADER_BYTES = 16_384;
const CONNECTIONS = 256;
const PORT_ATTEMPTS = 10;
/** Destinations of requests (Fetch, 3.2.7) that no app under the policy sends. */
const REFUSED_DESTINATIONS: Readonly<Record<string, string>> = {
  document: 'an app is shown in the frame of the simulator only',
  empty: "connect-src is 'none'",
  frame: "frame-src is 'none'",
  object: "object-src is 'none'",
  embed: "object-src is 'none'",
  serviceworker: 'the origin is opaque',
};

export async function startAppServer(options: AppServerOptions): Promise<AppServer> {
  // A different host name makes it a different site.
  const host = new URL(options.simulatorOrigin).hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  let respond: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.destroy();
  const servers = await listen(host === 'localhost' ? ['127.0.0.1', '::1'] : [host], (request, response) =>
    respond(request, response),
  );
  const { port } = servers[0].address() as AddressInfo;
  const app = new AppResponder(options, `${host}:${port}`);
  respond = (request, response) => app.respond(request, response);
  return {
    origin: app.origin,
    async close() {
      app.close();
      await Promise.all(servers.map(closeServer));
    },
  };
}

interface Refusal {
  readonly status: number;
  readonly attempt: Attempt;
  readonly detail: string;
}

const NO_NAME: NoFile = { why: 'path', message: 'The path has no name of a file.' };

class AppResponder {
  readonly origin: string;
  readonly #notices: NoticeLog;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    private readonly options: AppServerOptions,
    private readonly host: string,
  ) {
    this.origin = `http://${host}`;
    this.#notices = new NoticeLog(options.onNotice);
    this.#headers = policyHeaders(this.origin, options.simulatorOrigin);
  }

  close(): void {
    this.#notices.close();
  }

  respond(request: IncomingMessage, response: ServerResponse): void {
    for (const [name, value] of Object.entries(this.#headers)) response.setHeader(name, value);
    if (request.headers.origin === 'null') response.setHeader('access-control-allow-origin', 'null');
    const path = (request.url ?? '').replace(/[?#].*$/s, '');
    const refusal = this.#check(request, path);
    if (refusal !== undefined) this.#refuse(response, refusal);
    else if (path === REPORT_PATH) this.#report(request, response);
    else if (path === GUARD_PATH) send(request, response, 'text/javascript; charset=utf-8', Buffer.from(GUARD));
    else void this.#sendFile(path, request, response).catch(() => response.destroy());
  }

  /** The refusal of a request that no app under the policy sends; undefined: it is allowed. */
  #check({ method = '', headers }: IncomingMessage, path: string): Refusal | undefined {
    const refusal = (status: number, detail: string): Refusal => ({ status, attempt: 'request', detail });
    // Another site can resolve its own name to this address (DNS rebinding).
    if (headers.host !== this.host) return refusal(421, `Host ${headers.host}`);
    if (headers.origin !== undefined && headers.origin !== 'null' && headers.origin !== this.origin)
      return refusal(403, `${path} from ${headers.origin}`);
    if (path === REPORT_PATH) {
      if (method !== 'POST') return refusal(405, `${method} ${path}`);
      const type = headers['content-type']?.split(';')[0];
      return type === REPORT_TYPE ? undefined : refusal(415, `${path}: ${type}`);
    }
    if (method !== 'GET' && method !== 'HEAD') return refusal(405, `${method} ${path}`);
    const destination = headers['sec-fetch-dest'];
    const reason = typeof destination === 'string' ? REFUSED_DESTINATIONS[destination] : undefined;
    return reason === undefined ? undefined : refusal(403, `${path}: ${reason}`);
  }

  async #sendFile(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = nameOf(path);
    const content = name === undefined ? NO_NAME : await this.#read(name);
    if (response.destroyed) return;
    if (!Buffer.isBuffer(content)) {
      const detail = `${path}: ${content.message}`;
      if (content.why !== 'missing') return this.#refuse(response, { status: 403, attempt: 'path', detail });
      this.#notices.add({ kind: 'console', level: 'error', text: shorten(detail) });
      return end(response, 404, content.message);
    }
    if (request.headers['sec-fetch-dest'] === 'iframe') this.options.onDocument?.();
    const type = contentTypeOf(name!);
    // XML has no position for the guard that is certainly before all scripts.
    if (isXml(type)) response.appendHeader('content-security-policy', `script-src 'none'; report-uri ${REPORT_PATH}`);
    if (!isPage(type)) return send(request, response, type, content);
    // Imported on first use, so that the simulator starts faster.
    const { showErrors } = await import('./show-errors.ts');
    const page = insertGuard(showErrors(content), GUARD_PATH);
    if (page !== undefined) send(request, response, type, page);
    else this.#refuse(response, { status: 415, attempt: 'path', detail: `${path}: The page is not in UTF-8.` });
  }

  #read(name: string): Promise<Buffer | NoFile> {
    return readFolderFile(this.options.folder, name, this.options.limits ?? DEFAULT_LIMITS);
  }

  #report(request: IncomingMessage, response: ServerResponse): void {
    const refuse = (status: number, detail: string): void =>
      this.#refuse(response, { status, attempt: 'request', detail: `${REPORT_PATH}: ${detail}` });
    if (!this.#notices.hasRoom()) {
      this.#notices.drop();
      end(response, 429, 'Too many reports.');
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= REPORT_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('error', () => response.destroy());
    request.on('end', () => {
      if (size > REPORT_BYTES) return refuse(413, `It has ${size} bytes.`);
      const notice = readReport(Buffer.concat(chunks).toString(), this.origin);
      if (notice === undefined) return refuse(400, 'It is not a report.');
      this.#notices.add(notice);
      return response.writeHead(204).end();
    });
  }

  #refuse(response: ServerResponse, { status, attempt, detail }: Refusal): void {
    this.#notices.add({ kind: 'blocked', attempt, detail: shorten(detail) });
    if (status === 405) response.setHeader('allow', READ_METHODS);
    end(response, status, 'The sandbox refuses this request.');
  }
}

/** Headers of every response. */
function policyHeaders(origin: string, simulatorOrigin: string): Record<string, string> {
  const policy = [
    SANDBOX_POLICY.content_security_policy,
    `sandbox ${SANDBOX_POLICY.sandbox}`,
    `frame-ancestors ${simulatorOrigin}`,
    `report-uri ${origin}${REPORT_PATH}`,
  ];
  return {
    'content-security-policy': policy.join('; '),
    'permissions-policy': SANDBOX_POLICY.permissions_policy,
    'connection-allowlist': SANDBOX_POLICY.connection_allowlist,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'cross-origin-opener-policy': 'same-origin',
    // The app's own requests are cross-origin, since its origin is opaque.
    'cross-origin-resource-policy': 'cross-origin',
    vary: 'Origin, Sec-Fetch-Dest',
  };
}

/** The path in the package; undefined: a segment is not UTF-8, or has a separator in it. */
function nameOf(path: string): string | undefined {
  if (!path.startsWith('/')) return;
  if (path === '/') return FIRST_PAGE;
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent);
    return segments.some((segment) => /[/\\\0]/.test(segment)) ? undefined : segments.join('/');
  } catch {
    return;
  }
}

function send(request: IncomingMessage, response: ServerResponse, type: string, content: Buffer): void {
  response.setHeader('content-type', type);
  response.setHeader('accept-ranges', 'bytes');
  const range = rangeOf(request.headers.range, content.length);
  const body = range === undefined ? content : content.subarray(range[0], range[1] + 1);
  if (range !== undefined) response.setHeader('content-range', `bytes ${range[0]}-${range[1]}/${content.length}`);
  response.setHeader('content-length', body.length);
  response.writeHead(range === undefined ? 200 : 206);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Media are read by parts. First and last byte; undefined: the whole file (RFC 9110, 14.2). */
function rangeOf(header: string | undefined, size: number): readonly [number, number] | undefined {
  const [, first, last] = /^bytes=(\d{1,12})-(\d{0,12})$/.exec(header ?? '') ?? [];
  if (first === undefined || Number(first) >= size) return;
  const lastByte = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return lastByte < Number(first) ? undefined : [Number(first), lastByte];
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

const shorten = (text: string): string => text.slice(0, LONGEST_DETAIL);

/** Listens at all addresses on one port. Skips addresses that the machine does not have. */
async function listen(
  addresses: readonly string[],
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server[]> {
  for (let attempt = 1; ; attempt++) {
    const servers = await listenOnce(addresses, respond);
    if (servers !== undefined) return servers;
    if (attempt === PORT_ATTEMPTS) throw new Error(`No port is free at ${addresses.join(' and ')}.`);
  }
}

/** Undefined: the port of the first address is in use at another. */
async function listenOnce(
  addresses: readonly string[],
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server[] | undefined> {
  const servers: Server[] = [];
  for (const address of addresses) {
    const server = createServer({ maxHeaderSize: HEADER_BYTES, requestTimeout: REQUEST_MS }, respond);
    server.maxConnections = CONNECTIONS;
    server.on('clientError', (_, socket) => socket.destroy());
    const port = servers.length === 0 ? 0 : (servers[0].address() as AddressInfo).port;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(port, address, resolve);
      });
      servers.push(server);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (servers.length > 0 && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) continue;
      await Promise.all(servers.map(closeServer));
      if (servers.length > 0 && code === 'EADDRINUSE') return;
      throw error;
    }
  }
  return servers;
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
