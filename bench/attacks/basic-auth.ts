/**
 * Guesses of Basic passwords at the site of one customer, and the visitors of another customer's
 * site with a password. Each visitor is a user of its own, so that the edge remembers none.
 */
import { Agent, request } from 'node:http';
import { hashSync } from '@node-rs/argon2';
import { MAX_USERS } from '../../core/site/rules/limits.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../test/support/daemon.ts';
import { freePort } from '../../test/support/ports.ts';
import { until } from '../../test/support/until.ts';
import { attackOptions, printRow, probeFor, processFigures } from './stage.ts';

const { main, seconds } = attackOptions('basic-auth', 'Guesses at one site, visitors of another.');
/** Connections that guess, each one password after another. */
const GUESSING = 64;
const INTERVAL_MS = 250;
const ATTACKED = 'attacked.test';
const VISITED = 'visited.test';

const http = await freePort();
const daemon = await startDaemon(
  {
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
  },
  { main },
);
const agent = new Agent({ keepAlive: true });

/** Status of a request with credentials. */
const visit = (host: string, user: string, password: string, localAddress: string, path = '/0/'): Promise<number> =>
  new Promise((resolve, reject) => {
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const options = { host: '127.0.0.1', port: http, localAddress, path, agent, headers: { host, authorization } };
    const outgoing = request(options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.once('error', reject).end();
  });

/** A rule has few users: others have a folder of their own. */
const folderOf = (n: number): string => `/${Math.floor(n / MAX_USERS)}/`;

async function createSite(name: string, users: readonly string[]): Promise<void> {
  const { api } = daemon;
  const id = await api.createDomain(name);
  await api.createRecord(id, '@', 'A', '192.0.2.7');
  await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '127.0.0.1', port: 9, protocol: 'http' });
  await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
  await api.call('PUT', `/api/v1/domains/${id}/proxy/rules`, {
    rules: [
      ...Array.from({ length: Math.ceil(users.length / MAX_USERS) }, (_, i) => ({
        match: { path: { prefix: [folderOf(i * MAX_USERS)] } },
        action: {
          type: 'basic_auth',
          users: users
            .slice(i * MAX_USERS, (i + 1) * MAX_USERS)
            .map((user) => ({ name: user, hash: hashSync(`password of ${user}`) })),
        },
      })),
      { action: { type: 'redirect', location: 'https://example.com/' } },
    ],
  });
  await until(async () => (await visit(name, 'nobody', 'first', '127.0.0.1')) === 401, 'that the rules are served');
}

try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const visitors = Math.ceil((seconds * 1000) / INTERVAL_MS);
  const users = Array.from({ length: 2 * visitors }, (_, i) => `user${i}`);
  await createSite(ATTACKED, ['ann']);
  await createSite(VISITED, users);
  const probe = async (n: number): Promise<void> => {
    const user = users[n];
    // Every visitor is elsewhere.
    const status = await visit(VISITED, user, `password of ${user}`, `127.0.2.${n % 250}`, folderOf(n));
    if (status !== 302) throw new Error(`status ${status}`);
  };
  const without = await probeFor(seconds, probe, { intervalMs: INTERVAL_MS });
  let isOver = false;
  let guesses = 0;
  const guessing = Array.from({ length: GUESSING }, async (_, i) => {
    while (!isOver) await visit(ATTACKED, 'ann', `guess ${i} ${guesses++}`, '127.0.0.1').catch(() => 0);
  });
  const attacked = await probeFor(seconds, (n) => probe(visitors + n), { intervalMs: INTERVAL_MS });
  const { megabytes, descriptors } = processFigures(daemon.child.pid);
  isOver = true;
  await Promise.all(guessing);
  const rate = `${Math.round(guesses / seconds)} guesses/s`;
  printRow(main ?? 'this revision', without, attacked, [rate, `${megabytes} MB, ${descriptors}`]);
} finally {
  agent.destroy();
  await daemon.close();
}
