/**
 * Daemons that tests reuse, since a start takes a second of CPU time. A test that kills, stops or
 * fills a daemon starts its own (daemon.ts).
 *
 * The borrower has exclusive use until it returns the daemon. It finds the account `admin` and an
 * empty store, as after a first start. It must not assume that ids, revisions, metrics or the audit
 * log start at zero, and must leave `admin` unchanged. Returning a daemon deletes everything that
 * the borrower created. If that fails, or the test failed earlier, the next borrower gets a new
 * daemon.
 */
import { ApiClient, type Json } from './api-client.ts';
import { atEnd } from './at-end.ts';
import type { Child } from './child.ts';
import { ADMIN_PASSWORD, type Daemon, type ServingDaemon, startDaemon } from './daemon.ts';
import { freePort } from './ports.ts';

type Settings = Record<string, string>;

/** Settings of each kind, in addition to USUAL. */
const KINDS: Record<Kind, () => Settings | Promise<Settings>> = {
  plain: () => ({}),
  // These enable more tests and do not affect the others.
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
  readonly child: Child;
  readonly pid: number;
  /** Output of the process, including lines of earlier borrowers. */
  output(): string;
  /** Throws if the daemon has ended. */
  giveBack(): Promise<void>;
}

interface Shared {
  readonly daemon: Daemon;
  readonly isConfigured: boolean;
  isLent: boolean;
}

/** Keyed by kind and additional settings. */
const running = new Map<string, Shared>();

/**
 * `settings`: additional settings, shared by the tests of a file. Only the latest daemon with
 * additional settings is kept after its return.
 */
export async function borrowDaemon(kind: Kind = 'nameserver', settings: Settings = {}): Promise<Borrowed> {
  const key = JSON.stringify([kind, settings]);
  // The test that borrowed it failed, and may have left anything behind.
  if (running.get(key)?.isLent === true) await end(key);
  const shared = running.get(key) ?? (await start(key, kind, settings));
  shared.isLent = true;
  const { dataDir, dnsPort, adminPort, env, child } = shared.daemon;
  const api = new ApiClient(`http://127.0.0.1:${adminPort}`);
  return {
    ...{ dataDir, dnsPort, adminPort, env, api, child, pid: child.pid },
    output: () => child.output(),
    async giveBack() {
      if (child.exited()) {
        await end(key);
        throw new Error(`the shared daemon has ended:\n${child.output()}`);
      }
      try {
        await empty(shared.daemon.api);
        shared.isLent = false;
      } catch (error) {
        console.log(`the shared daemon is not lent again: ${(error as Error).message}`);
        await end(key);
      }
    },
  };
}

async function start(key: string, kind: Kind, settings: Settings): Promise<Shared> {
  const isConfigured = Object.keys(settings).length > 0;
  for (const [other, shared] of running) if (isConfigured && shared.isConfigured && !shared.isLent) await end(other);
  const daemon = await startDaemon({ ...(await KINDS[kind]()), ...settings });
  const shared = { daemon, isConfigured, isLent: false };
  running.set(key, shared);
  atEnd(() => end(key));
  return shared;
}

/** Throws if the daemon runs and does not stop with exit code 0. */
async function end(key: string): Promise<void> {
  const daemon = running.get(key)?.daemon;
  running.delete(key);
  if (daemon === undefined) return;
  const wasRunning = !daemon.child.exited();
  try {
    const code = await daemon.stop();
    if (wasRunning && code !== 0) throw new Error(`a shared daemon ended with ${code}:\n${daemon.child.output()}`);
  } finally {
    await daemon.close();
  }
}

interface Row {
  readonly id: number;
  readonly username: string;
}

/**
 * Deletes everything that a test has created. Throws if something remains, or if `admin` cannot log
 * in.
 */
async function empty(api: ApiClient): Promise<void> {
  await api.logIn('admin', ADMIN_PASSWORD);
  await deleteAll(api, '/api/v1/sessions', 'sessions');
  const tokens = await rowsOf(api, '/api/v1/tokens', 'tokens', '?limit=1000');
  const latest = Math.max(...tokens.map(({ id }) => id));
  for (const { id } of tokens) if (id !== latest) await api.call('DELETE', `/api/v1/tokens/${id}`);
  for (const { id, username } of await rowsOf(api, '/api/v1/accounts', 'accounts', '?limit=1000')) {
    const account = `?account=${id}`;
    if ((await rowsOf(api, '/api/dev/apps', 'apps', account)).length > 0) throw new Error('apps cannot be deleted');
    await deleteAll(api, '/api/v1/domains', 'domains', account, '?force=true&permanent=true');
    // Those that the test has deleted.
    for (const { id: domainId } of await rowsOf(api, '/api/v1/domains/deleted', 'domains', account))
      await api.call('DELETE', `/api/v1/domains/${domainId}?permanent=true`);
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
