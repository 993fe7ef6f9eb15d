/**
 * The server of the simulator's page. It changes state and relays the messages of the app, so it
 * accepts only requests of its own page. They have its own name in Host and Origin, and the secret
 * token of this run.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { isSameSecret } from '../../../core/base/same-secret.ts';
import { type AppMessages, type CommandResult, PATHS, type ServerEvent, TOKEN_HEADER } from './protocol.ts';

const LOOPBACK = '127.0.0.1';

/** Number of ports to try after the chosen one. */
const TRIES = 20;

const LAST_PORT = 65_535;

const ASSETS = 'assets';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface StoredFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * The files of the simulator's page, as the build writes them, in memory.
 *
 * By path. `folder`: dist/simulator. `token`: of this run, which only the page knows.
 */
function readPageFiles(folder: string, token: string): ReadonlyMap<string, StoredFile> {
  const page = readFileSync(join(folder, 'index.html'), 'utf8').replace('{{token}}', token);
  const files = new Map([['/', { type: TYPES['.html'], bytes: Buffer.from(page) }]]);
  for (const name of readdirSync(join(folder, ASSETS))) {
    const type = TYPES[extname(name)];
    if (type !== undefined) files.set(`/${ASSETS}/${name}`, { type, bytes: readFileSync(join(folder, ASSETS, name)) });
  }
  return files;
}

/** Bytes. A message has at most 12 M characters, of which most have one byte. */
const LARGEST_BODY = 40 * 1024 * 1024;
/** Maximum number of open pages. */
const MOST_CLIENTS = 16;
/** Maximum unread bytes of a page. Beyond that its stream is closed, and it reconnects. */
const MOST_UNREAD = 128 * 1024 * 1024;
/** Maximum messages in a request. */
const MOST_MESSAGES = 1000;
const HEARTBEAT_MS = 15_000;
const JSON_TYPE = 'application/json';

export interface ControlHandlers {
  /** Sends all topics to a page that has just connected. */
  connected(client: string): void;
  disconnected(client: string): void;
  messages(messages: AppMessages): void;
  /** Throws CommandError with a message for the user. */
  command(name: string, params: Readonly<Record<string, unknown>>): Promise<string | undefined>;
}

/** A command that cannot be done; the page shows the message. */
export class CommandError extends Error {}

interface ControlOptions {
  readonly port: number;
  /** The port was chosen by the user: no other one is tried. */
  readonly isExactPort: boolean;
  /** dist/simulator. */
  readonly pageFolder: string;
}

interface Client {
  readonly response: ServerResponse;
  readonly close: () => void;
}

export class ControlServer {
  readonly #token = randomBytes(24).toString('base64url');
  readonly #files: ReadonlyMap<string, StoredFile>;
  readonly #server: Server;
  readonly #clients = new Map<string, Client>();
  #handlers: ControlHandlers | undefined;
  /** The value of Host in requests of the page. */
  #host = '';
  /** The machine's other name. The app's frame would be refused in a page of this host. */
  #otherHost = '';
  #policy = '';
  #clientCount = 0;

  constructor(private readonly options: ControlOptions) {
    this.#files = readPageFiles(options.pageFolder, this.#token);
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      this.#respond(request, response).catch(() => {
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
    });
  }

  /** Resolves with the origin. Requests are refused until `serve`. */
  async listen(): Promise<string> {
    const port = await listenNear(this.#server, this.options.port, this.options.isExactPort);
    this.#host = `${LOOPBACK}:${port}`;
    this.#otherHost = `localhost:${port}`;
    return `http://${LOOPBACK}:${port}`;
  }

  /** `appOrigin`: the only origin that the page may frame. */
  serve(appOrigin: string, handlers: ControlHandlers): void {
    this.#policy = contentSecurityPolicy(appOrigin);
    this.#handlers = handlers;
  }

  /** To all pages. */
  broadcast(event: ServerEvent): void {
    for (const client of this.#clients.values()) write(client, event);
  }

  send(name: string, event: ServerEvent): void {
    const client = this.#clients.get(name);
    if (client !== undefined) write(client, event);
  }

  async close(): Promise<void> {
    for (const { close } of this.#clients.values()) close();
    await closeServer(this.#server);
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const handlers = this.#handlers;
    const host = request.headers.host ?? '';
    if (host === this.#otherHost) {
      response.writeHead(302, { ...COMMON, Location: `http://${this.#host}/` }).end();
      return;
    }
    // Refuses other names that resolve to this address (DNS rebinding).
    if (handlers === undefined || host !== this.#host) return refuse(response, 421, 'This is another host.');
    if (isForeign(request)) return refuse(response, 403, 'Open the simulator in a tab of its own.');
    const path = (request.url ?? '').split('?')[0];
    const file = this.#files.get(path);
    if (file !== undefined) return this.#sendFile(request, response, file);
    if (!Object.values(PATHS).some((served) => path.startsWith(served)))
      return refuse(response, 404, 'Nothing is here.');
    if (!this.#hasToken(request)) return refuse(response, 403, 'Reload the page: the token is of another run.');
    if (path === PATHS.events && request.method === 'GET') return this.#stream(request, response, handlers);
    if (request.method !== 'POST') return refuse(response, 405, 'Use POST.');
    if (request.headers.origin !== `http://${host}`) return refuse(response, 403, 'This origin is not the simulator.');
    if (request.headers['content-type']?.split(';')[0] !== JSON_TYPE) return refuse(response, 415, 'Send JSON.');
    const body = await readJson(request);
    if (body === undefined) return refuse(response, 400, 'The body is not a JSON object, or too large.');
    if (path === PATHS.messages) {
      const messages = readMessages(body);
      if (messages === undefined) return refuse(response, 400, 'These are not messages.');
      // A session without a stream would never be closed.
      if (!this.#clients.has(messages.client)) return refuse(response, 409, 'This stream of events has ended.');
      handlers.messages(messages);
      response.writeHead(204, COMMON).end();
      return;
    }
    sendJson(response, 200, await runCommand(handlers, path.slice(PATHS.command.length), body));
  }

  #sendFile({ method }: IncomingMessage, response: ServerResponse, { type, bytes }: StoredFile): void {
    if (method !== 'GET' && method !== 'HEAD') {
      refuse(response, 405, 'Use GET.');
      return;
    }
    response.writeHead(200, {
      ...COMMON,
      ...PAGE_HEADERS,
      'Content-Security-Policy': this.#policy,
      'Content-Type': type,
    });
    response.end(method === 'HEAD' ? undefined : bytes);
  }

  #hasToken({ headers }: IncomingMessage): boolean {
    return isSameSecret(String(headers[TOKEN_HEADER] ?? ''), this.#token);
  }

  /** Server-sent events. The page reads them by fetch: an EventSource cannot send the token. */
  #stream(request: IncomingMessage, response: ServerResponse, handlers: ControlHandlers): void {
    if (this.#clients.size >= MOST_CLIENTS) {
      refuse(response, 503, 'Too many tabs show this simulator.');
      return;
    }
    response.writeHead(200, { ...COMMON, 'Content-Type': 'text/event-stream' });
    const name = String(++this.#clientCount);
    const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS);
    const close = (): void => {
      if (!this.#clients.delete(name)) return;
      clearInterval(heartbeat);
      response.end();
      handlers.disconnected(name);
    };
    const client = { response, close };
    this.#clients.set(name, client);
    request.on('close', close);
    response.on('error', close);
    write(client, { type: 'connected', client: name });
    handlers.connected(name);
  }
}

const COMMON = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

const PAGE_HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(self), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
} as const;

/** `frame-src` also stops the app from leading its frame to another site. */
const contentSecurityPolicy = (appOrigin: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    `frame-src ${appOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/** Whether another site or the app caused the request. Links to the page are allowed. */
function isForeign({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}

function write({ response, close }: Client, event: ServerEvent): void {
  if (response.writableLength > MOST_UNREAD) close();
  else response.write(`data: ${JSON.stringify(event)}\n\n`);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { ok: false, message });
}

function sendJson(response: ServerResponse, status: number, result: CommandResult): void {
  // The rest of a refused body is not read, so the connection must close.
  const connection = status >= 400 ? { Connection: 'close' } : {};
  response.writeHead(status, { ...COMMON, ...connection, 'Content-Type': JSON_TYPE });
  response.end(JSON.stringify(result));
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function readMessages({ client, frame, texts }: Record<string, unknown>): AppMessages | undefined {
  if (typeof client !== 'string' || !Number.isSafeInteger(frame)) return undefined;
  if (!Array.isArray(texts) || texts.length > MOST_MESSAGES || !texts.every((text) => typeof text === 'string'))
    return undefined;
  return { client, frame: frame as number, texts };
}

async function runCommand(
  { command }: ControlHandlers,
  name: string,
  params: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  try {
    return { ok: true, value: await command(name, params) };
  } catch (error) {
    if (error instanceof CommandError) return { ok: false, message: error.message };
    throw error;
  }
}

/**
 * Servers of the simulator, which only this machine can reach.
 *
 * Listens at the port, or at the next free one. Port 0: any. Resolves with the port.
 */
async function listenNear(server: Server, port: number, isExact: boolean): Promise<number> {
  const last = port === 0 || isExact ? port : Math.min(port + TRIES, LAST_PORT);
  for (let candidate = port; ; candidate++)
    try {
      return await listen(server, candidate);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || candidate >= last) throw error;
    }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Also closes open connections, because event streams never end on their own. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
