/**
 * The environment of the contract suites: a daemon on each transport and journal, accounts,
 * domains, and clients that check every response.
 */

import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallOptions } from '../call-options.ts';
import { type Answer, type Daemon, type Json, listOf, startDaemon } from '../daemon.ts';
import { transportsOf } from '../transports.ts';
import { held, learn } from './held.ts';

type Headers = Record<string, string>;

/** Sends requests with one token. */
export class Client {
  readonly daemon: Daemon;
  readonly token: string | null;

  constructor(daemon: Daemon, token: string | null) {
    this.daemon = daemon;
    this.token = token;
  }

  async send(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return held(this.daemon, method, path, await this.daemon.call(method, path, { token: this.token, ...options }));
  }

  get(path: string, headers?: Headers): Promise<Answer> {
    return this.send('GET', path, { headers });
  }

  post(path: string, json: unknown, headers?: Headers): Promise<Answer> {
    return this.send('POST', path, { json, headers });
  }

  put(path: string, json: unknown, headers?: Headers): Promise<Answer> {
    return this.send('PUT', path, { json, headers });
  }

  patch(path: string, json: unknown, headers?: Headers): Promise<Answer> {
    return this.send('PATCH', path, { json, headers });
  }

  delete(path: string, headers?: Headers): Promise<Answer> {
    return this.send('DELETE', path, { headers });
  }

  /** PUT of a zone file, or POST for a new domain. */
  upload(path: string, body: string, headers: Headers = {}, method = 'PUT'): Promise<Answer> {
    return this.send(method, path, { body, headers: { 'content-type': 'text/dns', ...headers } });
  }
}

export interface Member {
  readonly id: number;
  readonly username: string;
  readonly password: string;
  readonly client: Client;
}

export class Zone {
  readonly client: Client;
  readonly id: number;
  readonly domain: string;
  /** `/api/v1/domains/{id}` */
  readonly path: string;
  readonly records: string;
  readonly zonefile: string;
  /** The sequence number of its creation. */
  readonly created: number;

  constructor(client: Client, id: number, domain: string, created: number) {
    this.client = client;
    this.id = id;
    this.domain = domain;
    this.created = created;
    this.path = `/api/v1/domains/${id}`;
    this.records = `${this.path}/records`;
    this.zonefile = `${this.path}/zonefile`;
  }

  post(name: string, type: string, content: string, more: object = {}): Promise<Answer> {
    return this.client.post(this.records, { name, type, content, ...more });
  }

  /** Creates a record, which must succeed. */
  async add(name: string, type: string, content: string, more: object = {}): Promise<Json> {
    return succeeded(await this.post(name, type, content, more)).body.record;
  }

  async list(query = ''): Promise<Json[]> {
    return listOf(succeeded(await this.client.get(this.records + query)).body.records);
  }

  async etag(): Promise<string> {
    return (await this.client.get(this.path)).headers.get('etag') ?? '';
  }

  async text(): Promise<string> {
    return (await this.client.get(this.zonefile)).text;
  }
}

export class World {
  readonly daemon: Daemon;
  readonly admin: Client;
  readonly nobody: Client;
  /** A user without a limit on domains. */
  readonly user: Member;
  #made = 0;

  constructor(daemon: Daemon, user: Member) {
    this.daemon = daemon;
    this.admin = new Client(daemon, daemon.adminToken);
    this.nobody = new Client(daemon, null);
    this.user = user;
  }

  async member(more: object = {}): Promise<Member> {
    return newMember(this.daemon, `member${++this.#made}`, more);
  }

  async zone(client = this.user.client, domain = `z${++this.#made}.example.net`): Promise<Zone> {
    const { body, headers } = succeeded(await client.post('/api/v1/domains', { domain }));
    return new Zone(client, Number(body.domain.id), domain, Number(headers.get('x-waypost-revision')));
  }

  /** The same account with a token of these scopes. */
  async scoped(client: Client, scopes: readonly string[]): Promise<Client> {
    const { body } = succeeded(await client.post('/api/v1/tokens', { name: scopes.join(), scopes }));
    return new Client(this.daemon, String(body.token));
  }

  async audit(query = '', limit = 1000): Promise<Json[]> {
    return listOf(succeeded(await this.admin.get(`/api/v1/audit?limit=${limit}${query}`)).body.entries);
  }
}

async function newMember(daemon: Daemon, username: string, more: object): Promise<Member> {
  const { id, token } = await daemon.account(username, more);
  return { id, username, password: `${username} secret`, client: new Client(daemon, token) };
}

export type ContractTest = Test<{ world: World }>;

export interface Variant {
  readonly transport: 'node' | 'uws';
  readonly journal: 'embedded' | 'etcd';
  readonly isFirst: boolean;
}

/** WAYPOST_TEST_JOURNAL: set by test/system/admin-api/contract.test.ts. */
async function variantsOf(title: string): Promise<readonly Variant[]> {
  if (process.env.WAYPOST_TEST_JOURNAL === 'etcd') return [{ transport: 'node', journal: 'etcd', isFirst: true }];
  const transports = await transportsOf(title);
  return transports.map((transport, i) => ({ transport, journal: 'embedded', isFirst: i === 0 }));
}

/**
 * Defines a test for one of the variants: what is not about HTTP or the log is the same on each.
 */
export const onOne =
  (test: ContractTest, { journal, isFirst }: Variant) =>
  (...[name, work]: Parameters<ContractTest>): void => {
    if (isFirst && journal === 'embedded') test(name, work);
  };

/** Only the system tier may start etcd. */
async function startVariant({ transport, journal }: Variant, settings: Record<string, string>): Promise<Daemon> {
  if (journal === 'embedded') return startDaemon(transport, settings);
  const { startOnEtcd } = await import('../../system/admin-api/on-etcd.ts');
  return startOnEtcd(transport, settings);
}

/** Defines a suite for each variant that runs here. */
export async function everywhere(
  name: string,
  define: (test: ContractTest, variant: Variant) => void,
  settings: Record<string, string> = {},
): Promise<void> {
  for (const variant of await variantsOf(name)) {
    const { transport, journal } = variant;
    const full = journal === 'etcd' ? `${name}, on etcd` : `${name}, ${transport}`;
    const test = suite<{ world: World }>(full);
    test.before(async (context) => {
      const daemon = await startVariant(variant, settings);
      await learn(daemon);
      context.world = new World(daemon, await newMember(daemon, 'user', { plan: 'unlimited' }));
    });
    test.after(({ world }) => world.daemon.stop());
    define(test, variant);
    test('no unexpected error was logged', ({ world }) => {
      assert.equal(
        world.daemon.logged.filter((line) => /"level":"error"/.test(line)),
        [],
      );
    });
    test.run();
  }
}

export function succeeded(answer: Answer): Answer {
  assert.is(answer.status, 200, answer.text);
  return answer;
}

/** `200`, or the status and code of an error, as `409 zone_exists`. */
export const outcome = ({ status, body }: Answer): string => (status === 200 ? '200' : `${status} ${body.error?.code}`);

/** Checks the status of a response, and for an error also code and pointer. */
export function refused(answer: Answer, expected: string, pointer?: string): void {
  assert.is(outcome(answer), expected, answer.text);
  if (pointer !== undefined) assert.is(answer.body.error.pointer, pointer, answer.text);
}

/** The field of each element, as text. */
export const each = (list: readonly Json[], field: string): string[] => list.map((item) => String(item[field]));

/** Reads a list by its cursors. `between` runs after each page. */
export async function walk(
  client: Client,
  path: string,
  list: string,
  between: () => Promise<unknown> = async () => {},
): Promise<Json[]> {
  const all: Json[] = [];
  for (let next: string | null = path; next !== null; ) {
    const { body, headers }: Answer = succeeded(await client.get(next));
    all.push(...listOf(body[list]));
    const link: string | undefined = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    assert.is(link === undefined, body.next_cursor === null, 'Link and next_cursor');
    if (link !== undefined) assert.is(new URLSearchParams(link.split('?')[1]).get('cursor'), body.next_cursor);
    await between();
    next = link ?? null;
  }
  return all;
}
