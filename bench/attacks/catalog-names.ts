/**
 * How many hostile names a free customer gets as domains by a catalog: `node
 * dist/bench/attacks/catalog-names.js [--main FILE]`. A daemon of this revision is the primary of
 * the catalog, the attacked one consumes it. Prints a row of Markdown.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../test/support/api-client.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../test/support/daemon.ts';
import { attackOptions } from './stage.ts';

const CATALOG = 'catalog.evil.example';
const HOSTILE = [
  ...['fr', 'co.uk', 'gitlab.io', 'github.io', 'arpa', 'in-addr.arpa', 'kawasaki.jp', 'com'],
  ...['*.de', '*.bank.example', '\\<img\\ src=x\\ onerror=alert\\(1\\)\\>.org', 'a\\.b.org', '\\000.org', '192.0.2.1'],
  ...['x.local', 'shop.onion', 'waypost.test', 'ns1.waypost.test', '_signal.ns1.waypost.test', 'api.waypost.test'],
];
const SOUND = ['one.evil.example', 'two.evil.example'];
const TRIES = 240;

const { main } = attackOptions('catalog-names', 'Lists hostile names in a catalog, and counts which become domains.');

/** A free account of the daemon. */
async function customerOf({ api, adminPort }: Daemon): Promise<ApiClient> {
  await api.logIn('admin', ADMIN_PASSWORD);
  const account = { username: 'mallory', email: 'mallory@evil.example', password: ADMIN_PASSWORD };
  await api.call('POST', '/api/v1/accounts', account);
  const client = new ApiClient(`http://127.0.0.1:${adminPort}`);
  await client.logIn('mallory', ADMIN_PASSWORD);
  return client;
}

async function serveCatalog({ api }: Daemon): Promise<void> {
  await api.logIn('admin', ADMIN_PASSWORD);
  const id = await api.createDomain(CATALOG);
  const lines = [...HOSTILE, ...SOUND].map((name, i) => `m${i}.zones 300 PTR ${name}.`);
  await api.call('PUT', `/api/v1/domains/${id}/zonefile`, ['version 300 TXT "2"', ...lines].join('\n'), 'text/dns');
}

async function domainsOf(client: ApiClient): Promise<Json[]> {
  const { body } = await client.call('GET', '/api/v1/domains?limit=100');
  return Object.values(body.domains as { readonly [key: string]: Json });
}

const primary = await startDaemon({ WAYPOST_TRANSFER_ALLOW: '127.0.0.1/32' });
const settings = { WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: 'true', WAYPOST_PLANS_FREE: '100' };
const attacked = await startDaemon(settings, { main });
try {
  await serveCatalog(primary);
  const client = await customerOf(attacked);
  const primaries = [{ address: `127.0.0.1:${primary.dnsPort}` }];
  await client.call('POST', '/api/v1/domains', { domain: CATALOG, kind: 'secondary', catalog: true, primaries });
  let names: string[] = [];
  for (let i = 0; i < TRIES && !SOUND.every((name) => names.includes(name)); i++) {
    await sleep(250);
    names = (await domainsOf(client)).map((domain) => String((domain as { domain: string }).domain));
  }
  // The consumer creates 25 domains in a commit: all others of it are there by then.
  await sleep(1000);
  names = (await domainsOf(client)).map((domain) => String((domain as { domain: string }).domain));
  const sound = SOUND.filter((name) => names.includes(name)).length;
  const hostile = names.length - sound - 1;
  process.stdout.write(
    `| zones of a catalog | ${hostile} of ${HOSTILE.length} hostile names | ${sound} of ${SOUND.length} others |\n`,
  );
} finally {
  await Promise.all([primary.close(), attacked.close()]);
}
