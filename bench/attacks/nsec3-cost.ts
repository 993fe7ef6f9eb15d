/**
 * `node dist/bench/attacks/nsec3-cost.js [--main FILE] [--seconds N]`: the primary of a secondary
 * zone chooses how its names are hashed, and wildcards lead on to one another. 150 queries a second
 * for names of the zone, next to queries for another tenant's.
 */
import { parseName } from '../../core/dns/wire/name.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../test/support/daemon.ts';
import { type Expensive, expensiveZone } from '../../test/support/expensive-zone.ts';
import { until } from '../../test/support/until.ts';
import { ZonePrimary } from '../../test/support/zone-primary.ts';
import { Victim } from './answers.ts';
import { attackOptions } from './stage.ts';

/** The most expensive zone that is accepted, then one that is not. */
const ZONES: readonly Expensive[] = [
  { iterations: 50, salt: 0, links: 15 },
  { iterations: 500, salt: 255, links: 9 },
];

/** Resolves when the zone is served, or refused. */
async function addZone(server: Daemon, domain: string, source: ZonePrimary): Promise<string> {
  const primaries = [{ address: `127.0.0.1:${source.port}` }];
  const { body } = await server.api.call('POST', '/api/v1/domains', { domain, kind: 'secondary', primaries });
  const { id } = body.domain as { id: number };
  let outcome = '';
  await until(async () => {
    const { body: read } = await server.api.call('GET', `/api/v1/domains/${id}`);
    const { secondary } = read.domain as unknown as { secondary: { serial: number | null; error: string | null } };
    outcome = secondary.serial === null ? 'refused' : 'served';
    return secondary.serial !== null || secondary.error !== null;
  });
  return outcome;
}

const { main, seconds } = attackOptions('nsec3-cost', 'A primary makes the proofs of its zone expensive.', 12);
const zones = ZONES.map((zone, i) => ({ zone, domain: `attacker${i}.test` }));
const primary = await ZonePrimary.start(
  ...zones.map(({ zone, domain }) => expensiveZone(parseName(`${domain}.`), zone)),
);
const daemon = await startDaemon(
  { WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: 'true', WAYPOST_DNS_RRL_RATE: '0' },
  { ...(main !== undefined && { main }) },
);
try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const victim = await Victim.of(daemon);
  for (const { zone, domain } of zones) {
    const outcome = await addZone(daemon, domain, primary);
    const what = `${zone.iterations} iterations, salt ${zone.salt}, ${zone.links} wildcards: ${outcome}`;
    await victim.measure(what, `q.0.${domain}`, TYPE.A, seconds);
  }
  victim.close();
} finally {
  await daemon.close();
  await primary.close();
}
