/**
 * `node dist/bench/attacks/imports.js [--main FILE]`: a customer with a free account keeps twelve
 * imports of 60,000 records in flight, of three zones. Another one creates a record every 100 ms,
 * reads one, and imports a small zone.
 */

import { ApiClient } from '../../test/support/api-client.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../test/support/daemon.ts';
import { attackOptions, printRow, probeFor, processFigures } from './stage.ts';

const { main, seconds } = attackOptions('imports', 'One customer imports large zones without a pause.');
const RECORDS = 60_000;
const ZONES = 3;
const IN_FLIGHT = 12;

const large = Array.from({ length: RECORDS }, (_, i) => `n${i} 300 IN A 192.0.2.${i % 250}`).join('\n');
const small = 'www 300 IN A 192.0.2.1\nmail 300 IN A 192.0.2.2\n';

const daemon = await startDaemon({}, { main });
try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const customer = async (username: string): Promise<ApiClient> => {
    await daemon.api.call('POST', '/api/v1/accounts', { username, password: `${username} secret`, plan: 'unlimited' });
    const client = new ApiClient(daemon.api.base);
    await client.logIn(username, `${username} secret`);
    return client;
  };
  const [attacker, other] = [await customer('attacker'), await customer('other')];
  const zones = await Promise.all(Array.from({ length: ZONES }, (_, i) => attacker.createDomain(`large${i}.test`)));
  const [own, imported] = [await other.createDomain('other.test'), await other.createDomain('imported.test')];
  const zoneFile = (client: ApiClient, id: string, text: string): Promise<unknown> =>
    client.call('PUT', `/api/v1/domains/${id}/zonefile`, text, 'text/dns');

  let serial = 0;
  const probes = [
    ['a small write', () => other.createRecord(own, `w${serial++}`, 'A', '192.0.2.7'), 100],
    ['a read', () => other.call('GET', `/api/v1/domains/${own}`), 100],
    ['a small import', () => zoneFile(other, imported, small), 1000],
  ] as const;
  const measure = () => Promise.all(probes.map(([, probe, intervalMs]) => probeFor(seconds, probe, { intervalMs })));
  const calm = await measure();
  const state = { isOver: false, done: 0, most: 0 };
  const flood = Array.from({ length: IN_FLIGHT }, async (_, i) => {
    while (!state.isOver)
      await zoneFile(attacker, zones[i % ZONES], large).then(
        () => state.done++,
        () => {},
      );
  });
  const sampler = setInterval(() => {
    state.most = Math.max(state.most, processFigures(daemon.child.pid).megabytes);
  }, 100);
  const attacked = await measure();
  const { descriptors } = processFigures(daemon.child.pid);
  state.isOver = true;
  clearInterval(sampler);
  for (const [i, [what]] of probes.entries())
    printRow(what, calm[i], attacked[i], [`${state.most} MB`, String(descriptors), `${state.done} imports`]);
  await Promise.all(flood);
} finally {
  await daemon.close();
}
