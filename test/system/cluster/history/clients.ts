/**
 * Clients of three accounts that get in each other's way, through several nodes: few names for
 * domains, and more of them than the plans have room for; few names for records, which a CNAME
 * takes for itself; changes under If-Match; requests that come twice at once under one
 * Idempotency-Key, or bring another one's key.
 */
import { randomUUID } from 'node:crypto';
import { ApiClient, type ApiResponse, type Json } from '../../../support/api-client.ts';
import type { Random } from '../../../support/random.ts';
import type { Event, ListedRecord, Operation, Outcome, RecordBody } from './operations.ts';

export interface HistoryNode {
  readonly name: string;
  /** Of its API. */
  readonly url: string;
}

export interface User {
  readonly username: string;
  readonly token: string;
}

export interface Clients {
  readonly nodes: readonly HistoryNode[];
  /** Their plan has room for few domains. */
  readonly users: readonly User[];
  /** Has the domains that records are written into. */
  readonly owner: User;
  readonly domainIds: readonly string[];
  readonly random: Random;
}

/** Pending requests at a time. */
const LANES = 16;
const NAMES = Array.from({ length: 24 }, (_, i) => (i < 16 ? `d${i}.example` : `sub.d${i - 16}.example`));
const TYPES = ['A', 'A', 'CNAME', 'TXT'] as const;
const CONTENTS = {
  A: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
  CNAME: ['one.example.net.', 'two.example.net.'],
  TXT: ['"one"', '"two"'],
} as const;
/** Ids that are remembered of each kind. */
const REMEMBERED = 12;

interface Wanted {
  readonly user: User;
  readonly operation: Operation;
  readonly match?: number;
}

/**
 * Carries out `count` requests and reports their outcomes; what stayed in doubt and can be sent
 * again is, once. Rejects when a node gives no answer.
 */
export async function runClients(clients: Clients, count: number): Promise<Event[]> {
  const session = new Session(clients);
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left--;
      // What appears twice is one request more.
      const taken = await session.step();
      left -= taken - 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await session.ask();
  return session.events;
}

class Session {
  readonly events: Event[] = [];
  readonly #clients: Clients;
  readonly #apis = new Map<string, ApiClient>();
  /** Of domains that the users have, or had. */
  #domains: { readonly user: User; readonly id: string }[] = [];
  /**
   * By domain: ids of records that are there, or were; and its revision, as it was reported last.
   */
  readonly #records = new Map<string, string[]>();
  readonly #revisions = new Map<string, number>();
  #keys: { readonly user: User; readonly key: string }[] = [];
  #time = 0;

  constructor(clients: Clients) {
    this.#clients = clients;
  }

  /** Resolves with how many requests it took. */
  async step(): Promise<number> {
    const { random } = this.#clients;
    const { operation, user, match } = this.#wanted();
    if (!isPost(operation)) {
      await this.#send(user, operation, undefined, match);
      return 1;
    }
    const old = this.#keys.filter((item) => item.user === user);
    if (random.below(12) === 0 && old.length > 0) {
      await this.#send(user, operation, random.pick(old).key, match);
      return 1;
    }
    const key = randomUUID();
    this.#keys = [...this.#keys, { user, key }].slice(-REMEMBERED);
    const times = random.below(5) === 0 ? 2 : 1;
    await Promise.all(Array.from({ length: times }, () => this.#send(user, operation, key, match)));
    return times;
  }

  /** What was in doubt under a key is sent again. */
  async ask(): Promise<void> {
    const { users, owner } = this.#clients;
    for (const { outcome, key, account, operation, match } of [...this.events]) {
      const user = [...users, owner].find(({ username }) => username === account) as User;
      if (outcome.kind === 'doubtful' && key !== undefined) await this.#send(user, operation, key, match);
    }
  }

  #wanted(): Wanted {
    const { random, users, owner, domainIds } = this.#clients;
    const kind = random.below(100);
    if (kind < 14)
      return { user: random.pick(users), operation: { kind: 'create domain', domain: random.pick(NAMES) } };
    if (kind < 22 && this.#domains.length > 0) {
      const { user, id } = random.pick(this.#domains);
      return { user, operation: { kind: 'delete domain', domainId: id } };
    }
    const isOwners = this.#domains.length === 0 || random.below(4) > 0;
    const position = isOwners ? { user: owner, id: random.pick(domainIds) } : random.pick(this.#domains);
    // Now and then somebody else's.
    const user = random.below(40) === 0 ? random.pick(users) : position.user;
    const domainId = position.id;
    // What is above and below other domains is not only its own writers'.
    const match = isOwners && random.below(4) === 0 ? this.#revisions.get(domainId) : undefined;
    return { user, operation: this.#change(domainId, kind), match };
  }

  #change(domainId: string, kind: number): Operation {
    const { random } = this.#clients;
    const names = this.#records.get(domainId) ?? [];
    const recordId = (): string => random.pick(names);
    if (kind > 87) return { kind: 'list records', domainId };
    if (kind < 50 || names.length === 0) return { kind: 'create record', domainId, body: this.#body() };
    if (kind < 65) return { kind: 'update record', domainId, recordId: recordId(), body: this.#body() };
    if (kind < 80) return { kind: 'delete record', domainId, recordId: recordId() };
    const gone = [...new Set([recordId(), recordId()])];
    return { kind: 'batch', domainId, delete: gone, post: [this.#body(), this.#body()] };
  }

  #body(): RecordBody {
    const { random } = this.#clients;
    const type = random.pick(TYPES);
    return {
      name: `n${random.below(8)}`,
      type,
      content: random.pick<string>(CONTENTS[type]),
      ttl: random.pick([60, 120]),
    };
  }

  async #send(user: User, operation: Operation, key?: string, match?: number): Promise<void> {
    const node = this.#clients.random.pick(this.#clients.nodes);
    const more = {
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...(match !== undefined && { 'If-Match': `"${match}"` }),
    };
    const { method, path, body } = requestOf(operation);
    const began = ++this.#time;
    const response = await this.#api(user, node).request(method, path, body, undefined, more);
    const outcome = outcomeOf(operation, response);
    const requestId = String(response.headers.get('x-request-id'));
    const account = user.username;
    this.events.push({
      node: node.name,
      account,
      operation,
      match,
      key,
      requestId,
      outcome,
      began,
      ended: ++this.#time,
    });
    this.#learn(user, operation, outcome);
  }

  #learn(user: User, operation: Operation, outcome: Outcome): void {
    if (operation.kind === 'create domain') {
      if (outcome.kind === 'done') this.#domains = [...this.#domains, { user, id: outcome.ids[0] }].slice(-REMEMBERED);
      return;
    }
    const { domainId } = operation;
    if (outcome.kind === 'listed') this.#revisions.set(domainId, outcome.revision);
    if (outcome.kind !== 'done') return;
    this.#revisions.set(domainId, outcome.sequence);
    this.#records.set(domainId, [...(this.#records.get(domainId) ?? []), ...outcome.ids].slice(-REMEMBERED));
  }

  #api({ username, token }: User, { name, url }: HistoryNode): ApiClient {
    const key = `${username} ${name}`;
    const found = this.#apis.get(key) ?? new ApiClient(url);
    found.token = token;
    this.#apis.set(key, found);
    return found;
  }
}

const isPost = ({ kind }: Operation): boolean =>
  kind === 'create domain' || kind === 'create record' || kind === 'batch';

function requestOf(operation: Operation): { method: string; path: string; body?: Json } {
  const domains = '/api/v1/domains';
  if (operation.kind === 'create domain') return { method: 'POST', path: domains, body: { domain: operation.domain } };
  const domain = `${domains}/${operation.domainId}`;
  const records = `${domain}/records`;
  switch (operation.kind) {
    case 'delete domain':
      return { method: 'DELETE', path: domain };
    case 'create record':
      return { method: 'POST', path: records, body: { ...operation.body } };
    case 'update record':
      return { method: 'PUT', path: `${records}/${operation.recordId}`, body: { ...operation.body } };
    case 'delete record':
      return { method: 'DELETE', path: `${records}/${operation.recordId}` };
    case 'batch':
      return {
        method: 'POST',
        path: `${records}/batch`,
        body: { delete: [...operation.delete], post: operation.post.map((recordBody) => ({ ...recordBody })) },
      };
    case 'list records':
      return { method: 'GET', path: `${records}?limit=1000` };
  }
}

function outcomeOf({ kind }: Operation, { status, body, headers, text }: ApiResponse): Outcome {
  if (status === 200 && kind === 'list records')
    return {
      kind: 'listed',
      revision: Number(/^"(\d+)/.exec(headers.get('etag') ?? '')?.[1]),
      records: body.records as unknown as ListedRecord[],
    };
  if (status === 200)
    return {
      kind: 'done',
      sequence: Number(headers.get('x-waypost-revision')),
      ids: idsOf(body),
      applied: (body.sync as { applied: string[] }).applied,
      isReplayed: headers.get('idempotent-replayed') === 'true',
    };
  if (status === 503 || status === 507)
    return { kind: /unknown whether|change was written/.test(text) ? 'doubtful' : 'unavailable' };
  return { kind: 'refused', status, code: String((body.error as { code?: string })?.code) };
}

function idsOf({ domain, record, created }: ApiResponse['body']): string[] {
  const all = created ?? [domain ?? record ?? null];
  return (all as ({ id: string } | null)[]).flatMap((item) => (item === null ? [] : [item.id]));
}
