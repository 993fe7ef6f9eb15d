/**
 * `node dist/bench/attacks/disk.js [--main FILE]`: a customer with a free account fills the disk.
 * Prints, for each way, what the store and the journal grew by, how many requests were accepted,
 * and another tenant's small writes meanwhile:
 *
 *   1. a zone file of 60 bytes with two lines of `$GENERATE 1-65535`, for each of ten zones;
 *   2. 200 KB of metadata, in fifty kinds of each zone, twice;
 *   3. 1.6 MB of comments for each of twenty names of each zone;
 *   4. requests with 40 tokens, as many as the rate allows (`rate_limit` is 20).
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from '../../test/support/api-client.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../test/support/daemon.ts';
import { attackOptions, printRow, probeFor, processFigures } from './stage.ts';

const { main, seconds } = attackOptions('disk', 'One customer fills the disk.', 5);
const ZONES = 10;
const KINDS = 50;
const NAMES = 20;
const TOKENS = 40;
const MB = 1 << 20;

const generating = '$GENERATE 1-65535 a$ A 192.0.2.1\n$GENERATE 1-65535 b$ A 192.0.2.1\n';
const metadata = Array.from({ length: 100 }, (_, i) => `${i}`.padEnd(2000, 'x'));

/** Runs `attack` against a new daemon while another tenant writes. */
async function scenario(
  name: string,
  settings: Record<string, string>,
  attack: (attacker: ApiClient, zones: readonly string[]) => Promise<readonly number[]>,
): Promise<void> {
  const daemon = await startDaemon(settings, { main });
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const username = 'attacker';
    await daemon.api.call('POST', '/api/v1/accounts', { username, password: 'a secret of it', plan: 'free' });
    const attacker = new ApiClient(daemon.api.base);
    await attacker.logIn(username, 'a secret of it');
    const zones: string[] = [];
    const hasRates = settings.WAYPOST_RATE_LIMIT !== undefined;
    if (!hasRates) for (let i = 0; i < ZONES; i++) zones.push(await attacker.createDomain(`large${i}.test`));
    const own = await daemon.api.createDomain('probed.test');
    let serial = 0;
    const write = () => daemon.api.createRecord(own, `w${serial++}`, 'A', '192.0.2.7');
    // An administrator's token has its own rate, too.
    const measure = () => probeFor(hasRates ? 0 : seconds, write, { intervalMs: 100 });
    const file = join(daemon.dataDir, 'waypost.mdb');
    const calm = await measure();
    const before = statSync(file).blocks * 512;
    const probing = measure();
    const statuses = await attack(attacker, zones);
    const attacked = await probing;
    const grown = Math.round((statSync(file).blocks * 512 - before) / MB);
    const { megabytes, descriptors } = processFigures(daemon.child.pid);
    const accepted = statuses.filter((status) => status === 200 || status === 204).length;
    printRow(name, calm, attacked, [
      `${megabytes} MB, ${descriptors}`,
      `${accepted} of ${statuses.length}`,
      `${grown} MB`,
    ]);
  } finally {
    await daemon.close();
  }
}

await scenario('`$GENERATE` in ten zones', {}, async (attacker, zones) => {
  const statuses: number[] = [];
  for (const id of zones)
    statuses.push((await attacker.request('PUT', `/api/v1/domains/${id}/zonefile`, generating, 'text/dns')).status);
  return statuses;
});

await scenario('metadata of 200 KB', {}, async (attacker, zones) => {
  const statuses: number[] = [];
  for (let kind = 0; kind < KINDS; kind++)
    for (const zone of zones.keys()) {
      const path = `/api/v1/servers/localhost/zones/large${zone}.test./metadata/X-${kind}`;
      const key = { 'X-API-Key': attacker.token };
      statuses.push((await attacker.request('PUT', path, { metadata }, 'application/json', key)).status);
    }
  return statuses;
});

await scenario('comments of 1.6 MB', {}, async (attacker, zones) => {
  const statuses: number[] = [];
  const comments = Array.from({ length: 100 }, () => ({ content: 'x'.repeat(16_000), account: '' }));
  const records = [{ content: '192.0.2.1', disabled: false }];
  for (let name = 0; name < NAMES; name++)
    for (const zone of zones.keys()) {
      const path = `/api/v1/servers/localhost/zones/large${zone}.test.`;
      const rrset = {
        name: `n${name}.large${zone}.test.`,
        type: 'A',
        ttl: 60,
        changetype: 'REPLACE',
        records,
        comments,
      };
      const key = { 'X-API-Key': attacker.token };
      statuses.push((await attacker.request('PATCH', path, { rrsets: [rrset] }, 'application/json', key)).status);
    }
  return statuses;
});

await scenario('reads with 40 tokens', { WAYPOST_RATE_LIMIT: '20' }, async (attacker) => {
  const clients = [attacker];
  while (clients.length < TOKENS) {
    const client = new ApiClient(attacker.base);
    const maker = clients[clients.length - 1];
    const { body, status } = await maker.request('POST', '/api/v1/tokens', { name: 't', scopes: ['account'] });
    if (status !== 200) break;
    client.token = String(body.token);
    clients.push(client);
  }
  const statuses: number[] = [];
  for (const client of clients)
    for (let i = 0; i < 19; i++) statuses.push((await client.request('GET', '/api/v1/account')).status);
  return statuses;
});
