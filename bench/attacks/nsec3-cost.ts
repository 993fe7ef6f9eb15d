/**
 * `node dist/bench/attacks/nsec3-cost.js [--main FILE] [--seconds N]`: the primary of a secondary
 * zone chooses how its names are hashed, and wildcards lead on to one another. 150 queries a second
 * for names of the zone, next to queries for another tenant's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseName } from '../../core/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../core/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../test/support/daemon.ts';
import { UdpClient } from '../../test/support/dns-client.ts';
import { type Expensive, expensiveZone } from '../../test/support/expensive-zone.ts';
import { encodeQuery } from '../../test/support/message.ts';
import { until } from '../../test/support/until.ts';
import { ZonePrimary } from '../../test/support/zone-primary.ts';
import { attackOptions, printRow, probeFor, processFigures } from './stage.ts';

const PACKETS_A_SECOND = 150;
const TICK_MS = 20;
/** Milliseconds after which a probe has failed. */
const TIMEOUT_MS = 2000;

/** The most expensive zone that is accepted, then one that is not. */
const ZONES: readonly Expensive[] = [
  { iterations: 50, salt: 0, links: 15 },
  { iterations: 500, salt: 255, links: 9 },
];

function query(name: string, id: number, dnssecOk: boolean): Uint8Array {
  const edns = { version: 0, size: 1232, do: dnssecOk };
  return encodeQuery({ name: parseName(name), type: TYPE.A, class: CLASS_IN, edns }, id);
}

/** Resolves when the zone is served, or refused for good. */
async function addZone(daemon: Daemon, domain: string, primary: ZonePrimary): Promise<string> {
  const primaries = [{ address: `127.0.0.1:${primary.port}` }];
  const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain, kind: 'secondary', primaries });
  const { id } = body.domain as { id: number };
  let outcome = '';
  await until(async () => {
    const { body: read } = await daemon.api.call('GET', `/api/v1/domains/${id}`);
    const { serial, error } = (read.domain as unknown as { secondary: { serial: number | null; error: string | null } })
      .secondary;
    outcome = serial === null ? 'refused' : 'served';
    return serial !== null || error !== null;
  });
  return outcome;
}

/** Sends packets of the attack until it is stopped. */
async function attack(port: number, domain: string, isOver: () => boolean): Promise<void> {
  const client = await UdpClient.connect(port);
  const start = performance.now();
  for (let sent = 0; !isOver(); await sleep(TICK_MS))
    for (const due = ((performance.now() - start) * PACKETS_A_SECOND) / 1000; sent < due; sent++)
      client.send(query(`q.0.${domain}`, sent & 0xffff, true));
  client.close();
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
  const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain: 'victim.test' });
  const { id } = body.domain as { id: number };
  const record = { name: 'www', type: 'A', ttl: 300, content: '192.0.2.1' };
  await daemon.api.call('POST', `/api/v1/domains/${id}/records`, record);
  const prober = await UdpClient.connect(daemon.dnsPort);
  let nextId = 0;
  const probe = async (): Promise<void> => {
    const response = await prober.query(query('www.victim.test', nextId++ & 0xffff, false), TIMEOUT_MS, 1);
    if (response === null || (response[3] & 15) !== RCODE.NOERROR || response[7] !== 1) throw new Error('no answer');
  };
  await probe();
  for (const { zone, domain } of zones) {
    const outcome = await addZone(daemon, domain, primary);
    const without = await probeFor(seconds, probe);
    let isOver = false;
    const attacked = attack(daemon.dnsPort, domain, () => isOver);
    const during = await probeFor(seconds, probe);
    const { megabytes, descriptors } = processFigures(daemon.child.pid);
    isOver = true;
    await attacked;
    const what = `${zone.iterations} iterations, salt ${zone.salt}, ${zone.links} wildcards: ${outcome}`;
    printRow(what, without, during, [`${megabytes} MB`, String(descriptors)]);
  }
  prober.close();
} finally {
  await daemon.close();
  await primary.close();
}
