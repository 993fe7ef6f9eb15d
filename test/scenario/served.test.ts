/**
 * Generated zones, put into the daemon as master files over the API and asked over UDP and TCP: the whole way from a file to a
 * packet against the reference. What the API refuses is taken out of the zone first. WAYPOST_SERVED: how many worlds (CI: 300).
 */
import fc from 'fast-check';
import { test } from 'uvu';
import { formatName, parseName } from '../../core/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../core/wire/types.ts';
import { checkServedWorld } from '../reference/compare.ts';
import { buildQuestion, buildWorld, questionDraft, worldDraft } from '../reference/generate.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../support/daemon.ts';
import { queryTcp, UdpClient } from '../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../support/message.ts';
import { formatZone } from '../support/names.ts';

const WORLDS = Number(process.env.WAYPOST_SERVED ?? 30);
const SEED = Number(process.env.WAYPOST_SEED ?? Math.floor(Math.random() * 0x7fffffff));
const QUESTIONS = 50;
/** A fault may hide others: a second CNAME is found when the first is gone. */
const TRIES = 20;

/** Creates the domain, and puts as much of the zone as the API takes; returns that, the served SOA first. */
async function upload(daemon: Daemon, client: UdpClient, zone: readonly ResourceRecord[]): Promise<ResourceRecord[]> {
  const apex = zone[0].name;
  const id = await daemon.api.createDomain(formatName(apex).slice(0, -1));
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
  const rest = records.filter(({ type }) => type !== TYPE.SOA);
  const hasNs = rest.some(({ type, name }) => type === TYPE.NS && name.length === apex.length);
  // The serial is the service's, and so are the name servers when the file is left with none.
  const ours = [TYPE.SOA, ...(hasNs ? [] : [TYPE.NS])].map(async (type) => {
    const response = await client.query(encodeQuery({ name: apex, type, class: CLASS_IN }, type));
    if (response === null) throw new Error(`seed ${SEED}: no answer for the apex ${formatName(apex)}`);
    return decodeMessage(response).answer;
  });
  return [...(await Promise.all(ours)).flat(), ...rest];
}

test(`${WORLDS} worlds from master file to packet, seed ${SEED}`, async () => {
  const daemon = await startDaemon();
  const client = await UdpClient.connect(daemon.dnsPort);
  const questions = fc.array(questionDraft, { minLength: QUESTIONS, maxLength: QUESTIONS, size: 'max' });
  let uploaded = 0;
  let refused = 0;
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    for (const [w, [draft, asked]] of fc
      .sample(fc.tuple(worldDraft, questions), { numRuns: WORLDS, seed: SEED })
      .entries()) {
      const world = buildWorld(draft, parseName(`w${w}.test.`));
      const zones = new Map<string, ResourceRecord[]>();
      for (const [key, zone] of world.zones) {
        const taken = await upload(daemon, client, zone);
        zones.set(key, taken);
        uploaded += taken.length;
        refused += zone.length - taken.length;
      }
      const served = { origin: world.origin, zones };
      await checkServedWorld(
        async (packet, overTcp) => (overTcp ? (await queryTcp(daemon.dnsPort, [packet]))[0] : client.query(packet)),
        served,
        asked.map((question) => buildQuestion(question, served)).filter((query) => query !== undefined),
      );
    }
    console.log(`${uploaded} records of ${WORLDS} worlds served, ${refused} refused by the API, seed ${SEED}`);
  } finally {
    client.close();
    await daemon.close();
  }
});

test.run();
