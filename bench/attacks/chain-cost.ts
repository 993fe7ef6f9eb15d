/**
 * `node dist/bench/attacks/chain-cost.js [--main FILE] [--seconds N]`: an alias of large content in
 * a zone of a customer, which is put together for each query. 150 queries a second, next to queries
 * for another tenant's.
 */
import { TYPE } from '../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../test/support/daemon.ts';
import { Victim } from './answers.ts';
import { attackOptions } from './stage.ts';

const LINES = [
  'to 300 IN CNAME large',
  ...Array.from({ length: 1500 }, (_, i) => [
    `large 300 IN MX ${i % 100} m${i}`,
    `m${i} 300 IN A 192.0.2.${i % 250}`,
  ]).flat(),
];

const { main, seconds } = attackOptions('chain-cost', 'A customer makes aliases expensive.', 12);
const daemon = await startDaemon({ WAYPOST_DNS_RRL_RATE: '0' }, { ...(main !== undefined && { main }) });
try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const victim = await Victim.of(daemon);
  const id = await daemon.api.createDomain('attacker.test');
  await daemon.api.call('PUT', `/api/v1/domains/${id}/zonefile`, LINES.join('\n'), 'text/dns');
  await victim.measure('a CNAME to 1,500 MX records with addresses', 'to.attacker.test', TYPE.MX, seconds);
  victim.close();
} finally {
  await daemon.close();
}
