/**
 * Generated zones, put into the daemon as master files over the API and asked over UDP and TCP:
 * the whole way from a file to a packet against the reference. Then names say what they want of
 * the proxy, and it is turned on. What the API refuses is taken out of the zone first.
 */

import { test } from 'uvu';
import { formatName, type Name, nameId, parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import { checkServedWorld } from '../../reference/compare.ts';
import { buildQuestion, buildWorld, ourWorldDraft, questionDraft, type World } from '../../reference/generate.ts';
import { CLUSTER, type Proxies, type ZoneProxy } from '../../reference/proxy.ts';
import type { Json } from '../../support/api-client.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { depth } from '../../support/depth.ts';
import { queryTcp, UdpClient } from '../../support/dns-client.ts';
import fc from '../../support/fc.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { formatZone } from '../../support/names.ts';
import { SEED } from '../../support/seed.ts';

const WORLDS = depth({ quick: 30, moderate: 30, full: 300 });
const QUESTIONS = 50;
/** A fault may hide others: a second CNAME is found when the first is gone. */
const TRIES = 20;

/** The daemon looks targets up, of which the reference has no idea: see alias.test.ts. */
function withoutAlias(world: World): World {
  const isKept = ({ type }: ResourceRecord): boolean => type !== TYPE.ALIAS;
  return { ...world, zones: new Map([...world.zones].map(([key, zone]) => [key, zone.filter(isKept)])) };
}

/** Puts as much of the zone as the API takes into the domain; returns that. */
async function upload(daemon: Daemon, id: string, zone: readonly ResourceRecord[]): Promise<ResourceRecord[]> {
  let records = zone;
  for (let attempt = 1; ; attempt++) {
    const path = `/api/v1/domains/${id}/zonefile?apex=keep`;
    const response = await daemon.api.request('PUT', path, formatZone(records), 'text/dns');
    if (response.status === 200) break;
    const { error } = response.body as { error: { details?: { line: number }[] } };
    const lines = new Set((error.details ?? []).map(({ line }) => line));
    const kept = records.filter((_, i) => !lines.has(i + 1));
    if (response.status !== 422 || attempt === TRIES || kept.length === records.length || lines.has(1)) {
      throw new Error(`seed ${SEED}: ${response.status} ${response.text}\n${formatZone(records)}`);
    }
    records = kept;
  }
  return records.filter(({ type }) => type !== TYPE.SOA);
}

/**
 * The records with the SOA, and the NS if the file was left with none, that the service has made;
 * SOA first.
 */
async function served(apex: Name, client: UdpClient, rest: readonly ResourceRecord[]): Promise<ResourceRecord[]> {
  const hasNs = rest.some(({ type, name }) => type === TYPE.NS && name.length === apex.length);
  // The serial is the service's, and so are the name servers when the file is left with none.
  const ours = [TYPE.SOA, ...(hasNs ? [] : [TYPE.NS])].map(async (type) => {
    const response = await client.query(encodeQuery({ name: apex, type, class: CLASS_IN }, type));
    if (response === null) throw new Error(`seed ${SEED}: no answer for the apex ${formatName(apex)}`);
    return decodeMessage(response).answer;
  });
  return [...(await Promise.all(ours)).flat(), ...rest];
}

/**
 * Says for each name what `proxy` says of it, and turns it on if it is to be. Returns what the
 * names say: those that the API did not take say nothing.
 */
async function setProxy(daemon: Daemon, id: string, apex: Name, proxy: ZoneProxy): Promise<ZoneProxy> {
  const { api } = daemon;
  const path = `/api/v1/domains/${id}`;
  const { body } = await api.call('GET', `${path}/records?limit=1000`);
  const flags = new Map<string, boolean>();
  for (const { id: recordId, name, type, content, ttl } of body.records as { [key: string]: Json }[]) {
    const owner = nameId(parseName(String(name), apex));
    const proxied = proxy.flags.get(owner);
    if (proxied === undefined || !WEB.has(String(type)) || flags.has(owner)) continue;
    // That of one record is that of its name.
    const put = await api.request('PUT', `${path}/records/${recordId}`, { name, type, content, ttl, proxied });
    // Below a domain that came later nothing may be written any more.
    if (put.status === 409 && put.text.includes('"occluded"')) continue;
    if (put.status !== 200) throw new Error(`seed ${SEED}: ${put.status} ${put.text}`);
    flags.set(owner, proxied);
  }
  if (proxy.enabled) {
    await api.call('PUT', `${path}/proxy`, { origin: '127.0.0.9', port: 80 });
    await api.call('POST', `${path}/proxy/toggle`, { enable: true });
  }
  return { enabled: proxy.enabled, flags, ...(proxy.enabled ? { origin: '127.0.0.9' } : {}) };
}
const WEB = new Set(['A', 'AAAA', 'CNAME', 'ALIAS']);

test(`${WORLDS} worlds from master file to packet, seed ${SEED}`, async () => {
  const daemon = await startDaemon({
    WAYPOST_CLUSTER_IPV4: CLUSTER.ipv4.join(','),
    WAYPOST_CLUSTER_IPV6: CLUSTER.ipv6.join(','),
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: 'true',
  });
  const client = await UdpClient.connect(daemon.dnsPort);
  const questions = fc.array(questionDraft, { minLength: QUESTIONS, maxLength: QUESTIONS, size: 'max' });
  let uploaded = 0;
  let refused = 0;
  let proxied = 0;
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    for (const [w, [draft, requests]] of fc
      .sample(fc.tuple(ourWorldDraft, questions), { numRuns: WORLDS, seed: SEED })
      .entries()) {
      const world = withoutAlias(buildWorld(draft, parseName(`w${w}.test.`)));
      const domains = new Map<string, { id: string; apex: Name; records: ResourceRecord[] }>();
      for (const [key, zone] of world.zones) {
        const apex = zone[0].name;
        const id = await daemon.api.createDomain(formatName(apex).slice(0, -1));
        const records = await upload(daemon, id, zone);
        domains.set(key, { id, apex, records });
        uploaded += records.length;
        refused += zone.length - 1 - records.length;
      }
      const check = async (sites: Proxies): Promise<void> => {
        const zones = new Map<string, ResourceRecord[]>();
        for (const [key, { apex, records }] of domains) zones.set(key, await served(apex, client, records));
        const now = { origin: world.origin, zones, proxies: sites };
        await checkServedWorld(
          async (packet, overTcp) => (overTcp ? (await queryTcp(daemon.dnsPort, [packet]))[0] : client.query(packet)),
          now,
          requests
            .map((question) => buildQuestion(question, now))
            .filter((query) => query !== undefined)
            // What becomes of transfers is not for the query path to say.
            .filter(({ type }) => type !== TYPE.AXFR && type !== TYPE.IXFR),
        );
      };
      await check(new Map());
      if (![...(world.proxies?.values() ?? [])].some(({ enabled }) => enabled)) continue;
      const proxies = new Map<string, ZoneProxy>();
      for (const [key, proxy] of world.proxies!) {
        const { id, apex } = domains.get(key)!;
        proxies.set(key, await setProxy(daemon, id, apex, proxy));
      }
      await check(proxies);
      proxied++;
    }
    console.log(
      `${uploaded} records of ${WORLDS} worlds served, ${proxied} with a proxy, ${refused} refused by the API, seed ${SEED}`,
    );
  } finally {
    client.close();
    await daemon.close();
  }
});

test.run();
