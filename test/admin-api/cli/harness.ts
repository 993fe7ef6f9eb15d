/** A daemon in memory that follows the contract, and a run of the command line against it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { type CliIo, runCli } from '../../../admin-api/cli/index.ts';
import { until } from '../../support/until.ts';

export const TOKEN = 'wp_test';
type Answer = { status?: number; headers?: Record<string, string>; body: object | string };
type Row = { readonly [field: string]: unknown };
type Zone = { id: number; domain: string; record_count: number; text: string; revision: number; records: Row[] };

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

function fault(status: number, code: string, more: object = {}): Answer {
  const error = { code, message: `It is ${code}.`, ...more };
  return { status, body: { ok: false, error, request_id: 'req-1' } };
}

const TAKEN = fault(409, 'zone_exists', { pointer: '/domain' });

function filterOf(query: URLSearchParams): (row: Row) => boolean {
  return (row) => ['name', 'type', 'content'].every((field) => !query.has(field) || query.get(field) === row[field]);
}

/** A line of a zone file that starts with "bad" is an error; all other lines are records. */
export class FakeDaemon {
  readonly zones = new Map<string, Zone>();
  readonly seen: Seen[] = [];
  /** Zones of other accounts. */
  readonly foreign = new Set<string>();
  /** Responses before the real one, first to last. */
  readonly before: Answer[] = [];
  /** Responses to requests for the imports in progress, which imports wait for. */
  readonly imports: Row[] = [];
  /** Called before a batch is applied. */
  onBatch: (() => void) | undefined;
  ready = true;
  /** The code that the account of every login needs. */
  neededCode: string | undefined;
  /** Number of requests whose connection is closed without a response. */
  drops = 0;
  concurrent = 0;
  mostConcurrent = 0;
  pageSize = 1000;
  #server: Server | undefined;
  #id = 0;

  async start(): Promise<string> {
    this.#server = createServer(async (request, response) => {
      this.mostConcurrent = Math.max(this.mostConcurrent, ++this.concurrent);
      let body = '';
      for await (const chunk of request) body += chunk;
      this.concurrent--;
      const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      this.seen.push(seen);
      if (this.drops > 0) {
        this.drops--;
        request.socket.destroy();
        return;
      }
      if (request.url?.includes('/zonefile')) await until(() => this.imports.length === 0, 'progress is asked for');
      const answer = this.before.shift() ?? this.#answer(seen);
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers }).end(text);
    }).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  addZone(domain: string, text = ''): Zone {
    const zone = {
      id: ++this.#id,
      domain,
      record_count: text.split('\n').filter(Boolean).length,
      text,
      revision: 1,
      records: [],
    };
    this.zones.set(domain, zone);
    return zone;
  }

  #answer(seen: Seen): Answer {
    const url = new URL(seen.url, 'http://daemon');
    const route = `${seen.method} ${url.pathname.replace(/\/\d+(?=\/|$)/, '/:id')}`;
    if (route === 'GET /readyz') {
      return { status: this.ready ? 200 : 503, body: { ok: this.ready, applied: 7, listening: ['127.0.0.1:5300'] } };
    }
    if (route === 'POST /api/v1/auth/token') {
      const { login, password, code } = JSON.parse(seen.body);
      if (password !== 'good') return fault(401, 'bad_credentials');
      if (code !== this.neededCode) return fault(401, code === undefined ? 'code_required' : 'bad_code');
      return {
        body: { ok: true, token: TOKEN, prefix: 'wp_', user: { id: 1, username: login, role: 'admin', plan: 'pro' } },
      };
    }
    if (seen.headers.authorization !== `Bearer ${TOKEN}`) return fault(401, 'invalid_token');
    const id = Number(/\/domains\/(\d+)/.exec(url.pathname)?.[1]);
    const zone = [...this.zones.values()].find((entry) => entry.id === id);
    switch (route) {
      case 'GET /api/v1/domains':
        return this.#list(url.searchParams);
      case 'POST /api/v1/domains': {
        const { domain } = JSON.parse(seen.body);
        if (this.#isTaken(domain)) return TAKEN;
        return { body: { ok: true, domain: this.#row(this.addZone(domain)) } };
      }
      case 'GET /api/v1/domains/check': {
        const domain = url.searchParams.get('domain') ?? '';
        return this.#isTaken(domain) ? TAKEN : { body: { ok: true, domain } };
      }
      case 'POST /api/v1/domains/zonefile': {
        const domain = (url.searchParams.get('domain') ?? '').toLowerCase().replace(/\.$/, '');
        if (this.#isTaken(domain)) return TAKEN;
        const answer = this.#put(this.addZone(domain), seen.body);
        if (answer.status !== undefined) this.zones.delete(domain);
        return answer;
      }
      case 'GET /api/v1/imports': {
        const imports = this.imports.splice(0, 1);
        return { body: { ok: true, node: 'a', imports } };
      }
      case 'POST /api/v1/accounts':
        return { body: { ok: true, account: { id: 9, ...JSON.parse(seen.body) } } };
      case 'POST /api/v1/tokens':
        return { body: { ok: true, token: 'wp_made', ...JSON.parse(seen.body) } };
    }
    if (zone === undefined) return fault(404, 'no_such_domain');
    switch (route) {
      case 'DELETE /api/v1/domains/:id':
        this.zones.delete(zone.domain);
        return { body: { ok: true } };
      case 'GET /api/v1/domains/:id/zonefile':
        return { headers: { 'content-type': 'text/dns' }, body: zone.text };
      case 'PUT /api/v1/domains/:id/zonefile':
        return this.#put(zone, seen.body);
      case 'GET /api/v1/domains/:id/records':
        return { body: { ok: true, records: zone.records.filter(filterOf(url.searchParams)), next_cursor: null } };
      case 'POST /api/v1/domains/:id/records/batch':
        return this.#batch(zone, seen);
    }
    return fault(404, 'no_such_endpoint');
  }

  #isTaken(domain: string): boolean {
    return this.zones.has(domain) || this.foreign.has(domain);
  }

  #put(zone: Zone, text: string): Answer {
    const lines = text.split('\n');
    const details = lines.flatMap((line, i) =>
      line.startsWith('bad') ? [{ line: i + 1, message: `no type "${line}"` }] : [],
    );
    if (details.length > 0) return fault(422, 'invalid_zonefile', { details });
    zone.text = text;
    zone.record_count = lines.filter(Boolean).length;
    const warnings = lines.flatMap((line, i) =>
      line.startsWith('doubtful') ? [{ line: i + 1, code: 'occluded', message: `hidden \x1b "${line}"` }] : [],
    );
    const doubts = warnings.length === 0 ? {} : { warnings, warnings_omitted: 7 };
    return { body: { ok: true, domain: this.#row(zone), records: zone.record_count, ...doubts } };
  }

  #batch(zone: Zone, { headers, body }: Seen): Answer {
    this.onBatch?.();
    const condition = headers['if-match'];
    if (condition !== undefined && condition !== `"${zone.revision}"`) return fault(412, 'changed');
    const { delete: deleted, put, post } = JSON.parse(body);
    const updated: Row[] = put.map((row: Row) => ({ ...zone.records.find(({ id }) => id === row.id), ...row }));
    const created: Row[] = post.map((row: Row) => ({ id: `r${++this.#id}`, ttl: 300, proxied: null, ...row }));
    const kept = zone.records.filter(({ id }) => !deleted.includes(id) && !updated.some((row) => row.id === id));
    zone.records = [...kept, ...updated, ...created];
    zone.revision++;
    return { headers: { 'x-waypost-revision': `${zone.revision}` }, body: { ok: true, deleted, updated, created } };
  }

  #list(query: URLSearchParams): Answer {
    const all = [...this.zones.values()].filter((zone) => zone.domain.includes(query.get('q') ?? ''));
    const from = Number(query.get('cursor') ?? 0);
    const to = from + this.pageSize;
    const domains = all.slice(from, to).map((zone) => this.#row(zone));
    return { body: { ok: true, domains, next_cursor: to < all.length ? String(to) : null } };
  }

  #row({ id, domain, record_count, revision }: Zone): object {
    return { id, domain, record_count, revision };
  }
}

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds of all waits, in order. */
  readonly slept: readonly number[];
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
  /** Keys typed on a terminal. */
  readonly typed?: string | readonly string[];
  /** Standard output is a terminal of this width. */
  readonly columns?: number;
  /** Replaces the recorded sleep; `closeOutput` does the same as `| head`. */
  readonly sleep?: (milliseconds: number, closeOutput: () => void) => void;
  readonly serve?: CliIo['serve'];
  readonly checkStart?: CliIo['checkStart'];
  readonly rebuildAnswers?: CliIo['rebuildAnswers'];
}

export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Run> {
  const slept: number[] = [];
  const collect = () => {
    const stream = new PassThrough();
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
    });
    return { stream, text: () => text };
  };
  const [out, err] = [collect(), collect()];
  const input = Readable.from([options.typed ?? options.stdin ?? ''].flat().map((text) => Buffer.from(text)));
  const terminal = { isTTY: true, setRawMode: () => {} };
  const code = await runCli(argv, {
    stdin: options.typed === undefined ? input : Object.assign(input, terminal),
    stdout:
      options.columns === undefined ? out.stream : Object.assign(out.stream, { isTTY: true, columns: options.columns }),
    stderr: err.stream,
    env: options.env ?? {},
    build: { version: '1.2.3', commit: '0123456789ab', date: '2026-11-27' },
    serve: options.serve ?? (async () => {}),
    checkStart: options.checkStart ?? (async () => {}),
    rebuildAnswers: options.rebuildAnswers ?? (async () => ({ zones: 0, answers: 0 })),
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
      options.sleep?.(milliseconds, () => out.stream.end());
    },
  });
  await new Promise((resolve) => setImmediate(resolve));
  return { code, stdout: out.text(), stderr: err.text(), slept };
}
