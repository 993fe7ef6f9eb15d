/**
 * Daemons that tests borrow one after another, since a start takes a second of the processor. A
 * test that kills, stops, fills or configures a daemon starts its own (daemon.ts).
 *
 * A borrower has the daemon alone until it gives it back. It finds the account `admin` and an empty
 * store, as after a first start. It must not assume that ids, revisions, metrics or the audit log
 * start at zero, and must leave `admin` as it was. What it has created is deleted when it gives the
 * daemon back. If that fails, or a test fails before, the next borrower gets a new daemon.
 */
import { ApiClient, type Json } from './api-client.ts';
import { atEnd } from './at-end.ts';
import { ADMIN_PASSWORD, type Daemon, type ServingDaemon, startDaemon } from './daemon.ts';
import { freePort } from './ports.ts';

type Settings = Record<string, string>;

/** Besides the usual ones. */
const KINDS: Record<Kind, () => Settings | Promise<Settings>> = {
  plain: () => ({}),
  // They let tests do more, and do not matter to those that do not.
  nameserver: () => ({
    WAYPOST_DNS_DOH: 'true',
    WAYPOST_DNS_NSID: 'node-7',
    WAYPOST_DNS_RRL_RATE: '0',
    WAYPOST_TRANSFER_ALLOW: '127.0.0.1/32',
    WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: 'true',
    WAYPOST_SECONDARY_MIN_REFRESH: '1',
    WAYPOST_WEBHOOKS_ALLOW_PRIVATE_RECEIVERS: '127.0.0.0/8',
  }),
  edge: edgeSettings,
};

/** Without private origins. */
export async function edgeSettings(): Promise<Settings> {
  return {
    WAYPOST_DNS_DOH: 'true',
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${await freePort()}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${await freePort()}`,
    WAYPOST_EDGE_WORKERS: '1',
  };
}

export type Kind = 'plain' | 'nameserver' | 'edge';

export interface Borrowed extends ServingDaemon {
  readonly pid: number;
  /** Of the process, with lines of earlier borrowers. */
  output(): string;
  /** Throws if the daemon has ended. */
  giveBack(): Promise<void>;
}

interface Shared {
  readonly daemon: Daemon;
  isLent: boolean;
}

const running = new Map<Kind, Shared>();

export async function borrowDaemon(kind: Kind = 'nameserver'): Promise<Borrowed> {
  // The test that has it failed, and may have left anything.
  if (running.get(kind)?.isLent === true) await end(kind);
  const shared = running.get(kind) ?? (await start(kind));
  shared.isLent = true;
  const { dataDir, dnsPort, adminPort, env, child } = shared.daemon;
  const api = new ApiClient(`http://127.0.0.1:${adminPort}`);
  return {
    ...{ dataDir, dnsPort, adminPort, env, api, pid: child.pid },
    output: () => child.output(),
    async giveBack() {
      if (child.exited()) {
        await end(kind);
        throw new Error(`the shared daemon has ended:\n${child.output()}`);
      }
      try {
        await empty(shared.daemon.api);
        shared.isLent = false;
      } catch (error) {
        console.log(`the shared daemon is not lent again: ${(error as Error).message}`);
        await end(kind);
      }
    },
  };
}

async function start(kind: Kind): Promise<Shared> {
  const shared = { daemon: await startDaemon(await KINDS[kind]()), isLent: false };
  running.set(kind, shared);
  atEnd(() => end(kind));
  return shared;
}

async function end(kind: Kind): Promise<void> {
  const shared = running.get(kind);
  running.delete(kind);
  await shared?.daemon.close();
}

interface Row {
  readonly id: number;
  readonly username: string;
}

/** Deletes what a test has created. Throws if something remains, or if `admin` cannot log in. */
async function empty(api: ApiClient): Promise<void> {
  await api.logIn('admin', ADMIN_PASSWORD);
  await deleteAll(api, '/api/v1/sessions', 'sessions');
  const tokens = await rowsOf(api, '/api/v1/tokens', 'tokens', '?limit=1000');
  const latest = Math.max(...tokens.map(({ id }) => id));
  for (const { id } of tokens) if (id !== latest) await api.call('DELETE', `/api/v1/tokens/${id}`);
  for (const { id, username } of await rowsOf(api, '/api/v1/accounts', 'accounts', '?limit=1000')) {
    const account = `?account=${id}`;
    if ((await rowsOf(api, '/api/dev/apps', 'apps', account)).length > 0) throw new Error('apps cannot be deleted');
    await deleteAll(api, '/api/v1/domains', 'domains', account, '?force=true');
    if (username !== 'admin') await api.call('DELETE', `/api/v1/accounts/${id}`);
  }
  await deleteAll(api, '/api/v1/webhooks', 'webhooks');
  await deleteAll(api, '/api/v1/tsig-keys', 'tsig_keys');
}

async function deleteAll(api: ApiClient, path: string, list: string, query = '', how = ''): Promise<void> {
  for (;;) {
    const rows = await rowsOf(api, path, list, query);
    if (rows.length === 0) return;
    let deleted = 0;
    for (const { id } of rows) deleted += Number((await api.request('DELETE', `${path}/${id}${how}`)).status === 200);
    // A zone that a catalog lists is deleted after the catalog, by the next pass.
    if (deleted === 0) throw new Error(`${list} cannot be deleted`);
  }
}

async function rowsOf(api: ApiClient, path: string, list: string, query = ''): Promise<Row[]> {
  const { body } = await api.call('GET', `${path}${query}`);
  return body[list] as Json[] as unknown as Row[];
}
