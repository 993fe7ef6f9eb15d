/**
 * Generated zones, signed and then changed step by step: BIND's dnssec-verify and ldns-verify-zone
 * accept each transfer. There are ALIAS records, proxies, and zones inside others.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../core/base/secrets.ts';
import { ALGORITHM } from '../../../core/dns/dnssec/dnskey.ts';
import { equalNames, formatName, isWithin, type Name, nameId, parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { Signers } from '../../../core/journal/apply/signers.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import { ZoneSnapshot } from '../../../core/nameserver/transfer/snapshot.ts';
import { type Environment, openEnvironment } from '../../../core/store/environment.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { type Domain, dnssec } from '../../../core/store/rows.ts';
import { DEFAULTS } from '../../core/journal/fixture.ts';
import type { AliasState } from '../../reference/alias.ts';
import { ourWorldDraft, type World } from '../../reference/generate.ts';
import { withOrigin } from '../../reference/proxy.ts';
import { describeChanges, putChanges, WorldRows } from '../../reference/rows.ts';
import { SignedRows } from '../../reference/signed-rows.ts';
import { WorldSteps } from '../../reference/steps.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { zoneText } from './rig.ts';

const ZONES = depth({ quick: 10, moderate: 40, full: 10_000 });
/** Commits to one world. */
const STEPS = 5;
const DAY = 86_400;
const KEPT = { ...DEFAULTS, serial: 1, mname: 'ns.test.', rname: 'h.test.', ttl: DEFAULTS.soaTtl };

const missing = whyNotPrograms('ldns-verify-zone', 'dnssec-verify');

/** The same world with a lookup of each ALIAS target; zones are not transferred before it. */
function lookedUp(world: World): World {
  const aliases = new Map<string, AliasState>();
  for (const [key, records] of world.zones)
    for (const { type, rdata } of withOrigin(records, world.proxies?.get(key)?.origin)) {
      if (type !== TYPE.ALIAS) continue;
      const state = world.aliases?.get(nameId(rdata));
      aliases.set(nameId(rdata), { ttl: state?.ttl ?? 60, a: state?.a ?? [], aaaa: state?.aaaa ?? [] });
    }
  return { ...world, aliases };
}

/**
 * The world without zones below a DNAME of another one. The other zone has NSEC3 records for them,
 * so that they can be validated, but verifiers take their names for hidden.
 */
function withoutRedirected(world: World): World {
  const all = [...world.zones.values()];
  const isRedirected = (apex: Name): boolean =>
    all.some((records) =>
      records.some(({ type, name }) => type === TYPE.DNAME && isWithin(apex, name) && !equalNames(apex, name)),
    );
  const zones = new Map([...world.zones].filter(([, [{ name }]]) => !isRedirected(name)));
  return { ...world, zones, proxies: new Map([...(world.proxies ?? [])].filter(([key]) => zones.has(key))) };
}

/** Throws Error if one of the verifiers rejects the zone. */
async function verify(environment: Environment, { id, apex }: Domain, file: string): Promise<void> {
  const snapshot = ZoneSnapshot.open(environment, DEFAULTS, id)!;
  writeFileSync(file, zoneText([snapshot.soa, ...snapshot.records()]));
  snapshot.close();
  const runs = await Promise.all([
    runProgram('dnssec-verify', ['-z', '-o', formatName(apex), file]),
    runProgram('ldns-verify-zone', [file]),
  ]);
  for (const { code, output } of runs) if (code !== 0) throw new Error(output);
}

/** Choices of `changeUses`; with one of them the second key only signs the DNSKEY records. */
const ALL_USES = [0, 1, 2, 3, 4, 5];
const PUBLISHED_ONLY = 1;

/** Some of these change: the uses of keys, and the clock. */
function changeSigning(signing: SignedRows, domain: Domain, random: Random, now: number) {
  if (!signing.rows.has(domain.id)) return signing.sign(domain, random.below(4), now - 9 * DAY);
  if (random.below(3) > 0) return null;
  const { algorithm, clock } = signing.rows.get(domain.id)!;
  if (random.below(3) === 0) {
    // A zone must be signed with each algorithm of its keys, and the second key is of this one.
    const choices = algorithm === ALGORITHM.ED25519 ? ALL_USES : ALL_USES.filter((choice) => choice !== PUBLISHED_ONLY);
    return signing.changeUses(domain.id, random.pick(choices));
  }
  return signing.advance(domain.id, Math.min(now, clock + random.below(6 * DAY)));
}

test(`${ZONES} zones, seed ${SEED}`, async () => {
  if (missing !== null) return;
  const folder = temporaryFolder('generated-zones');
  const keyFile = join(folder, 'secret.key');
  const environment = openEnvironment(folder);
  const signers = new Signers(openSecrets(keyFile));
  const index = new IndexWriter(16 << 20);
  const journal = openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history: 100, signers });
  const random = new Random(SEED);
  const now = Math.floor(Date.now() / 1000);
  const drafts = fc.sample(ourWorldDraft, { numRuns: Math.ceil(ZONES / STEPS), seed: SEED });
  let verified = 0;
  for (let w = 0; verified < ZONES; w++) {
    const rows = new WorldRows(() => KEPT);
    const signing = new SignedRows(keyFile);
    const steps = new WorldSteps(drafts[w], parseName(`w${w}.test.`), random);
    for (let step = 0; step < STEPS && verified < ZONES; step++) {
      const change = rows.changeTo(lookedUp(withoutRedirected(steps.next())));
      await write(environment, journal, 'test', (d) => {
        putChanges(d, change);
        for (const { id } of change.goneDomains) {
          d.delete(dnssec, signing.rows.get(id)!);
          signing.rows.delete(id);
        }
      });
      const domains = [...rows.domains.values()];
      const signed = domains.map((domain) => changeSigning(signing, domain, random, now));
      await write(environment, journal, 'test', (d) => {
        for (const row of signed) if (row !== null) d.put(dnssec, row);
      });
      const results = await Promise.allSettled(
        domains.map((domain, i) => verify(environment, domain, join(folder, `zone${i}`))),
      );
      for (const [i, result] of results.entries()) {
        const label = `seed ${SEED}, world ${w}, step ${step}, zone ${formatName(domains[i].apex)}`;
        if (result.status === 'rejected')
          throw new Error(`${label}\n${(result.reason as Error).message}\n${describeChanges(change)}`);
      }
      verified += domains.length;
    }
  }
  assert.ok(verified >= ZONES, `${verified} zones`);
  await journal.close();
  await environment.close();
  removeFolder(folder);
});

test.run();
