/**
 * Generated groups of entries, compared with what is slow and obvious: answers and all other
 * derived rows equal a rebuild from the rows, the difference of a zone makes its records of before
 * those of after, and listeners hear of each row that differs. WAYPOST_SEED repeats a run.
 */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../../core/base/secrets.ts';
import { generateKeyPair } from '../../../../core/dns/dnssec/keys.ts';
import { formatName } from '../../../../core/dns/wire/name.ts';
import type { ResourceRecord } from '../../../../core/dns/wire/types.ts';
import { Applier, type Link } from '../../../../core/journal/apply/applier.ts';
import { Signers } from '../../../../core/journal/apply/signers.ts';
import type { ZoneChange } from '../../../../core/journal/apply/zone-difference.ts';
import { type Entry, encodeEntry, hashEntry } from '../../../../core/journal/entry-codec.ts';
import { rebuildAnswers } from '../../../../core/journal/upkeep/rebuild.ts';
import { ZoneSnapshot } from '../../../../core/nameserver/transfer/snapshot.ts';
import { type Environment, openEnvironment } from '../../../../core/store/environment.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { idAt, idKey } from '../../../../core/store/keys.ts';
import { type DnssecKey, dnssec, dnssecContext, domains } from '../../../../core/store/rows.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { SEED } from '../../../support/seed.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { dump } from '../fixture.ts';
import { ALL_DOMAINS, groupsOfSteps, Model, SETTINGS } from './entries.ts';

const RUNS = depth({ quick: 3, moderate: 10, full: 300 });
const GROUPS = 24;
/** Failures are shrunk within a time limit. */
const BOUNDS = {
  numRuns: RUNS,
  seed: SEED,
  interruptAfterTimeLimit: 60_000 + RUNS * 30_000,
  markInterruptAsFailure: true,
} as const;

const keyFolder = temporaryFolder('keys');
const secrets = openSecrets(join(keyFolder, 'key'));
test.after(() => removeFolder(keyFolder));

function newKey(domainId: number, id: number, algorithm: 13 | 15): DnssecKey {
  const { dnskey, privateKey } = generateKeyPair(algorithm);
  const sealed = secrets.seal(privateKey, dnssecContext(domainId)).toString('base64');
  return { id, dnskey: Buffer.from(dnskey).toString('base64'), sealed, use: 'sign', isTrusted: true, createdAt: 0 };
}

const textOf = ({ name, type, ttl, rdata }: ResourceRecord): string =>
  `${formatName(name).toLowerCase()} ${ttl} ${type} ${Buffer.from(rdata).toString('hex')}`;

/** The rows of a table by the id at the start of the key. */
const rowsOf = ({ rows }: Environment, { number }: { readonly number: number }): Map<number, string> =>
  new Map([...rows.get(number)!.getRange({})].map(({ key, value }) => [idAt(key as Buffer), value.toString('hex')]));

interface Seen {
  /** The served records of each zone, without the SOA. */
  readonly zones: ReadonlyMap<number, { readonly serial: number; readonly records: readonly string[] }>;
  readonly domains: ReadonlyMap<number, string>;
  readonly signing: ReadonlyMap<number, string>;
}

function look(environment: Environment): Seen {
  environment.root.resetReadTxn();
  const found = { domains: rowsOf(environment, domains), signing: rowsOf(environment, dnssec) };
  const zones = [...found.domains.keys()].map((id) => {
    const snapshot = ZoneSnapshot.open(environment, SETTINGS, id)!;
    const records = [...new Set([...snapshot.records()].map(textOf))].sort();
    snapshot.close();
    return [id, { serial: snapshot.serial, records }] as const;
  });
  return { ...found, zones: new Map(zones) };
}

/** Ids whose values differ. */
const changed = (before: ReadonlyMap<number, string>, after: ReadonlyMap<number, string>): number[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((id) => before.get(id) !== after.get(id)).sort();

/** A node that applies groups, and what its listeners heard of the last one. */
class Node {
  readonly folder = temporaryFolder('difference');
  readonly environment = openEnvironment(this.folder);
  readonly signers = new Signers(secrets);
  heard = { domains: new Set<number>(), signing: new Set<number>(), zones: new Map<number, ZoneChange>() };
  readonly #applier: Applier;
  #time = 1_700_000_000_000;

  constructor() {
    const { environment, signers } = this;
    const zones = {
      follows: () => true,
      onChange: (change: ZoneChange) => void this.heard.zones.set(change.domainId, change),
    };
    const index = new IndexWriter(4 << 20);
    this.#applier = new Applier({ environment, index, zoneSettings: SETTINGS, history: 1000, zones, signers });
    this.#applier.domainListeners.push(({ id }) => this.heard.domains.add(id));
    this.#applier.signingListeners.push((ids) => {
      for (const id of ids) this.heard.signing.add(id);
    });
  }

  async apply(group: readonly Buffer[]): Promise<void> {
    this.heard = { domains: new Set(), signing: new Set(), zones: new Map() };
    let { sequence, hash } = this.#applier.head;
    const links: Link[] = group.map((changes) => {
      this.#time += 700;
      const entry: Entry = { sequence: ++sequence, time: this.#time, by: 'test', previousHash: hash, changes };
      const bytes = encodeEntry(entry);
      hash = hashEntry(bytes);
      return { applied: { entry }, bytes };
    });
    this.#applier.publish(await this.#applier.apply(links, hash));
  }

  async close(): Promise<void> {
    await this.environment.close();
    removeFolder(this.folder);
  }
}

const DERIVED = ['answers', 'nsec3', 'usage', 'orders', 'aliases', 'targets', 'sites', 'zones'];

/** Without the nsec3 entries of zones whose names are being listed: a rebuild lists all. */
function derivedRows(environment: Environment, signing: ReadonlyMap<number, string>): string[] {
  const listing = [...signing]
    .filter(([id, row]) => dnssec.decode(idKey(id), Buffer.from(row, 'hex')).progress?.listedTo != null)
    .map(([id]) => `nsec3 ${idKey(id).toString('hex')}`);
  return dump(environment, DERIVED).filter((line) => !listing.some((prefix) => line.startsWith(prefix)));
}

function checkZones(before: Seen, after: Seen, zones: ReadonlyMap<number, ZoneChange>): number {
  let differences = 0;
  for (const [id, { serial, records }] of after.zones) {
    const old = before.zones.get(id);
    const change = zones.get(id);
    assert.is(change?.serial ?? serial, serial);
    if (change === undefined) assert.equal({ serial, records }, old, `zone ${id} is not reported as changed`);
    if (old === undefined || change?.difference == null) continue;
    differences++;
    const { from, to, removed, added } = change.difference;
    assert.equal([from, to], [old.serial, serial]);
    const now = new Set(old.records);
    for (const record of removed) assert.ok(now.delete(textOf(record)), `removes ${textOf(record)}`);
    for (const record of added) now.add(textOf(record));
    assert.equal([...now].sort(), records, `zone ${id} with its difference`);
  }
  for (const id of before.zones.keys()) if (!after.zones.has(id)) assert.is(zones.get(id)?.serial, 0);
  return differences;
}

test(`entries leave what the rows describe, seed ${SEED}`, async () => {
  let differences = 0;
  const property = fc.asyncProperty(groupsOfSteps(GROUPS), async (groups) => {
    const node = new Node();
    const { environment, signers } = node;
    const model = new Model(environment, newKey);
    try {
      await node.apply([model.entry(ALL_DOMAINS)]);
      let before = look(environment);
      for (const group of groups) {
        model.beginGroup();
        const entries = group.map((steps) => model.entry(steps));
        await node.apply(entries);
        const after = look(environment);
        differences += checkZones(before, after, node.heard.zones);
        for (const id of changed(before.domains, after.domains)) assert.ok(node.heard.domains.has(id), `domain ${id}`);
        for (const id of changed(before.signing, after.signing)) assert.ok(node.heard.signing.has(id), `signing ${id}`);
        const derived = derivedRows(environment, after.signing);
        await rebuildAnswers(environment, SETTINGS, () => {}, signers);
        const rebuilt = derivedRows(environment, after.signing);
        const [has, had] = [new Set(rebuilt), new Set(derived)];
        assert.equal(
          { stale: derived.filter((line) => !has.has(line)), missing: rebuilt.filter((line) => !had.has(line)) },
          { stale: [], missing: [] },
        );
        before = after;
      }
    } finally {
      await node.close();
    }
  });
  await fc.assert(property, BOUNDS);
  assert.ok(differences > 0);
});

test.run();
