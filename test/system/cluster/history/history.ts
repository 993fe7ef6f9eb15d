/**
 * Conflicting writes through several nodes, and all that the API contract says of them: of each
 * answer, and of what is there in the end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient, type Json } from '../../../support/api-client.ts';
import { ADMIN_PASSWORD } from '../../../support/daemon.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { checkHistory, type Given, isSame } from './check.ts';
import { type HistoryNode, runClients, type User } from './clients.ts';
import type { ListedRecord } from './operations.ts';
import type { World } from './world.ts';

/** Domains of the plan "free". */
const LIMIT = 3;
/** That the nodes are started with. */
export const SETTINGS = { WAYPOST_PLANS_FREE: String(LIMIT) };
/** Faults that are shown. */
const SHOWN = 10;

/**
 * Rejects with what is against the contract. Resolves with figures, in words. The nodes are new:
 * none of the names is taken.
 */
export async function checkConflicts(nodes: readonly HistoryNode[], count: number): Promise<string> {
  const admin = new ApiClient(nodes[0].url);
  await admin.logIn('admin', ADMIN_PASSWORD);
  const users = [await newUser(admin, 'first', 'free'), await newUser(admin, 'second', 'free')];
  const owner = await newUser(admin, 'owner', 'unlimited');
  const own = new ApiClient(nodes[0].url);
  own.token = owner.token;
  const given: Given[] = [];
  for (const domain of ['one.test', 'two.test', 'three.test']) {
    const { body } = await own.call('POST', '/api/v1/domains', { domain });
    const { id, revision } = body.domain as { id: string; revision: number };
    given.push({ id, account: owner.username, name: domain, sequence: revision });
  }
  await untilLevel(nodes, admin);
  const domainIds = given.map(({ id }) => id);
  const events = await runClients({ nodes, users, owner, domainIds, random: new Random(SEED) }, count);
  await untilLevel(nodes, admin);
  const limits = new Map(users.map(({ username }) => [username, LIMIT]));
  const { world, faults, last } = checkHistory(events, await auditOf(admin), limits, given);
  const all = [...faults];
  for (const node of nodes)
    for (const user of [...users, owner]) all.push(...(await differences(node, user, world, last)));
  if (all.length > 0)
    throw new Error(
      `${all.length} of ${events.length} answers are against the contract:\n${all.slice(0, SHOWN).join('\n')}`,
    );
  const counts = new Map<string, number>();
  for (const { outcome } of events) {
    const kind = outcome.kind === 'refused' ? outcome.code : outcome.kind;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return `${events.length} requests: ${[...counts].map(([kind, n]) => `${n} ${kind}`).join(', ')}`;
}

async function newUser(admin: ApiClient, username: string, plan: string): Promise<User> {
  const password = `the password of ${username}`;
  await admin.call('POST', '/api/v1/accounts', { username, email: `${username}@example.net`, password, plan });
  const { body } = await admin.call('POST', '/api/v1/auth/token', { login: username, password, name: 'history' });
  return { username, token: String(body.token) };
}

async function headOf({ url }: HistoryNode, token: string): Promise<number> {
  const api = new ApiClient(url);
  api.token = token;
  const { body } = await api.request('GET', '/api/v1/changes/999999999');
  return Number(/the last change is (\d+)/.exec((body.error as { message: string }).message)?.[1]);
}

/** Resolves when all nodes have all that is written. */
async function untilLevel(nodes: readonly HistoryNode[], { token }: ApiClient): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const heads = await Promise.all(nodes.map((node) => headOf(node, token)));
    if (new Set(heads).size === 1) return;
    if (Date.now() > deadline) throw new Error(`the nodes stand at changes ${heads.join(', ')}`);
  }
}

/** Every page of a list. */
async function listOf<T>(api: ApiClient, path: string, key: string): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: Json = ''; cursor !== null; ) {
    const { body } = await api.call(
      'GET',
      `${path}?limit=1000${cursor && `&cursor=${encodeURIComponent(String(cursor))}`}`,
    );
    all.push(...(body[key] as T[]));
    cursor = body.next_cursor;
  }
  return all;
}

/** Request id to sequence. Throws Error when a request has made two changes. */
async function auditOf(admin: ApiClient): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const entries = await listOf<{ request_id: string; revision: number }>(admin, '/api/v1/audit', 'entries');
  for (const { request_id: id, revision } of entries) {
    if (found.has(id)) throw new Error(`the request ${id} has made changes ${found.get(id)} and ${revision}`);
    found.set(id, revision);
  }
  return found;
}

/** What a node shows the account in the end, and what is due. */
async function differences(
  node: HistoryNode,
  { username, token }: User,
  world: World,
  last: number,
): Promise<string[]> {
  const api = new ApiClient(node.url);
  api.token = token;
  const due = world.domainsOf(username, last);
  const held = await listOf<{ id: string; domain: string; record_count: number }>(api, '/api/v1/domains', 'domains');
  const what = `${username} at ${node.name}`;
  const found: string[] = [];
  for (const { id, domain } of held)
    if (due.get(id)?.name !== domain) found.push(`${what} has ${domain}, ${id}, which is not due`);
  for (const [id, { name, records }] of due) {
    const item = held.find((other) => other.id === id);
    if (item === undefined) found.push(`${what} lacks ${name}, ${id}`);
    else {
      const listed = await listOf<ListedRecord>(api, `/api/v1/domains/${id}/records`, 'records');
      if (!isSame(records, listed) || item.record_count !== listed.length)
        found.push(`${what} has other records of ${name} than are due: ${JSON.stringify(listed)}`);
    }
  }
  const { account } = (await api.call('GET', '/api/v1/account')).body as {
    account: { domain_count: number; dns_record_count: number };
  };
  const records = [...due.values()].reduce((sum, item) => sum + item.records.size, 0);
  if (account.domain_count !== due.size || account.dns_record_count !== records)
    found.push(`${what} is said to have ${account.domain_count} domains and ${account.dns_record_count} records`);
  return found;
}
