/**
 * Waypost as it is built next to this file, with an empty data folder, and what the rows ask of it.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerProcess } from '../dns/process.ts';
import { Daemon } from '../dns/waypost.ts';
import { type Call, type Contender, hostAddress, LISTED } from './contender.ts';
import { FRESH, requestText } from './plan.ts';

const PORT = 8946;
export const WAYPOST_DNS_PORT = 5946;

/** `name`: also that of its data folder, which is emptied. */
export async function startWaypost(work: string, name = 'waypost-api'): Promise<WaypostApi> {
  const data = join(work, name);
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  const daemon = new Daemon(data, WAYPOST_DNS_PORT, PORT, { WAYPOST_DNS_WORKERS: '1' });
  const server = await daemon.start(join(work, `${name}.log`));
  try {
    return new WaypostApi(server, daemon, await daemon.token());
  } catch (error) {
    await server.stop();
    throw error;
  }
}

export class WaypostApi implements Contender {
  readonly name: string = 'Waypost';
  readonly port = PORT;
  readonly process: ServerProcess;
  readonly daemon: Daemon;
  readonly token: string;
  readonly key: string;
  readonly #headers: Readonly<Record<string, string>>;
  /** Zone to domain id. */
  readonly #ids: Map<string, string>;

  constructor(server: ServerProcess, daemon: Daemon, token: string, ids = new Map<string, string>()) {
    this.process = server;
    this.daemon = daemon;
    this.token = token;
    this.key = token;
    this.#headers = { Authorization: `Bearer ${token}` };
    this.#ids = ids;
  }

  /** The same daemon, seen by another account. */
  as(token: string): WaypostApi {
    return new WaypostApi(this.process, this.daemon, token);
  }

  /**
   * Any call of the API. Resolves with the JSON body; throws an Error when the status is not 200.
   */
  async ask(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> {
    const isText = typeof body === 'string';
    const answer = await fetch(`http://127.0.0.1:${PORT}${path}`, {
      method,
      headers: {
        ...this.#headers,
        ...(body === undefined ? {} : { 'Content-Type': isText ? 'text/dns' : 'application/json' }),
      },
      body: body === undefined ? undefined : isText ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`Waypost: ${method} ${path}: ${answer.status} ${text.slice(0, 2000)}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  async addZone(zone: string, hosts: number): Promise<void> {
    const { domain } = (await this.ask('POST', '/api/v1/domains', { domain: zone })) as { domain: { id: string } };
    this.#ids.set(zone, domain.id);
    if (hosts === 0) return;
    let text = `$ORIGIN ${zone}.\n$TTL 300\n`;
    for (let i = 0; i < hosts; i++) text += `h${i} IN A ${hostAddress(i)}\n`;
    await this.ask('PUT', `/api/v1/domains/${domain.id}/zonefile`, text);
  }

  id(zone: string): string {
    const id = this.#ids.get(zone);
    if (id === undefined) throw new Error(`There is no zone ${zone}.`);
    return id;
  }

  /** A request of this account's. */
  call(method: string, path: string, body?: unknown, contains: readonly string[] = ['"ok":true']): Call {
    return { text: requestText(method, path, this.#headers, body), status: 200, contains };
  }

  list(zone: string): Call {
    const last = LISTED - 1;
    return this.call('GET', `/api/v1/domains/${this.id(zone)}/records?limit=1000`, undefined, [
      '"name":"h0"',
      `"name":"h${last}"`,
      hostAddress(last),
      '"next_cursor":null',
    ]);
  }

  read(zone: string): Call {
    // Of any of the zones that are asked for in turn.
    return this.call('GET', `/api/v1/domains/${this.id(zone)}`, undefined, ['"domain":{"id":', '"record_count":100']);
  }

  create(zone: string): Call {
    const body = { name: FRESH, type: 'A', content: '198.51.100.7', ttl: 300 };
    return this.call('POST', `/api/v1/domains/${this.id(zone)}/records`, body, ['"record":{"id":', '198.51.100.7']);
  }
}
