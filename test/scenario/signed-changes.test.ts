/**
 * Changes to signed zones: records, proxies, addresses of ALIAS targets, ACME challenges, apexes,
 * keys and the clock. After each commit the whole zone verifies and answers as the reference does;
 * the differences for secondaries lead from the transfer before to a fresh one; and a rebuild, and
 * another node that applies the same entries in other groups, have the same bytes.
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../core/base/secrets.ts';
import { equalNames, nameId, parseName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { Applier, type Link } from '../../core/journal/apply/applier.ts';
import { Signers } from '../../core/journal/apply/signers.ts';
import type { ZoneChange, ZoneDifference } from '../../core/journal/apply/zone-difference.ts';
import { type Draft, write } from '../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../core/journal/embedded-journal.ts';
import { decodeEntry, hashEntry } from '../../core/journal/entry-codec.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { rebuildAnswers } from '../../core/journal/upkeep/rebuild.ts';
import { condense } from '../../core/nameserver/transfer/history.ts';
import { ZoneSnapshot } from '../../core/nameserver/transfer/snapshot.ts';
import { type Environment, openEnvironment } from '../../core/store/environment.ts';
import { IndexWriter } from '../../core/store/index/writer.ts';
import { sequenceKey } from '../../core/store/keys.ts';
import {
  type AcmeChallenge,
  acmeChallenges,
  type DnssecRow,
  type Domain,
  dnssec,
  domains,
  publishedKeys,
  signingKeys,
} from '../../core/store/rows.ts';
import { challengeName, challengeRdata } from '../../core/zone/compile/challenged.ts';
import { DEFAULTS, dump } from '../core/journal/fixture.ts';
import { answeredBy, recordKey, TCP_LIMIT, UDP_LIMIT } from '../reference/compare.ts';
import { buildQuestion, ourWorldDraft, questionDraft, type World } from '../reference/generate.ts';
import { describeChanges, putChanges, WorldRows } from '../reference/rows.ts';
import { SignedJudge, type SignedZone, transferFaults } from '../reference/signed.ts';
import { apexRecords, rdatasOf, SignedRows } from '../reference/signed-rows.ts';
import { withoutNested } from '../reference/signed-world.ts';
import { WorldSteps } from '../reference/steps.ts';
import { depth } from '../support/depth.ts';
import fc from '../support/fc.ts';
import { QueryPath } from '../support/in-process.ts';
import { decodeMessage, encodeQuery } from '../support/message.ts';
import { Random } from '../support/random.ts';
import { SEED } from '../support/seed.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';

const CHANGES = depth({ quick: 24, moderate: 100, full: 3000 });
/** Commits made to one world. */
const STEPS = 15;
const QUESTIONS = 20;
const HOUR = 3600;
const START = 1_800_000_000;
const KEPT = { ...DEFAULTS, serial: 1, mname: 'ns.test.', rname: 'h.test.', ttl: DEFAULTS.soaTtl };

interface Node {
  readonly environment: Environment;
  readonly index: IndexWriter;
  readonly signers: Signers;
}

/** A node that applies what another has committed. */
class Replica implements Node {
  readonly environment: Environment;
  readonly index = new IndexWriter(16 << 20);
  readonly signers: Signers;
  readonly #applier: Applier;
  readonly #rehearses: boolean;

  constructor(folder: string, keyFile: string, rehearses: boolean) {
    this.environment = openEnvironment(folder);
    this.signers = new Signers(openSecrets(keyFile));
    const { environment, index, signers } = this;
    this.#applier = new Applier({ environment, index, signers, zoneSettings: DEFAULTS, history: 100 });
    this.#rehearses = rehearses;
  }

  /** Applies all new entries in one group. */
  async follow({ journal }: Environment): Promise<void> {
    const links: Link[] = [];
    for (let sequence = this.#applier.head.sequence + 1; ; sequence++) {
      const stored = journal.get(sequenceKey(sequence));
      if (stored === undefined) break;
      const bytes = Buffer.from(stored);
      links.push({ applied: { entry: decodeEntry(bytes) }, bytes });
    }
    if (links.length === 0) return;
    if (this.#rehearses) await this.#applier.rehearse(links);
    this.#applier.publish(await this.#applier.apply(links, hashEntry(links[links.length - 1].bytes)));
  }
}

const idOf = ({ name, type, ttl, rdata }: ResourceRecord): string =>
  `${nameId(name)} ${type} ${ttl} ${Buffer.from(rdata).toString('hex')}`;

/** All records of a zone but the SOA, and what a validator sees. */
function transferOf({ environment }: Node, { id }: Domain): ResourceRecord[] {
  const snapshot = ZoneSnapshot.open(environment, DEFAULTS, id)!;
  const records = [snapshot.soa, ...snapshot.records()].map((record) => ({
    ...record,
    rdata: Uint8Array.from(record.rdata),
  }));
  snapshot.close();
  return records;
}

/** One world that changes, and what has become of it on three nodes. */
class Run {
  readonly rows: WorldRows;
  readonly signing: SignedRows;
  readonly random: Random;
  readonly challenges = new Map<number, AcmeChallenge>();
  readonly differences: ZoneChange[] = [];
  /** Transfers without the SOA, by domain. */
  readonly transfers = new Map<number, ReadonlySet<string>>();
  readonly serials = new Map<number, number>();
  applied = 0;
  readonly #main: Node & { readonly journal: Journal };
  readonly #replicas: readonly Replica[];
  readonly #path: QueryPath;

  constructor(
    main: Node & { readonly journal: Journal },
    replicas: readonly Replica[],
    keyFile: string,
    random: Random,
  ) {
    this.#main = main;
    this.#replicas = replicas;
    this.#path = new QueryPath(main.index);
    this.random = random;
    this.signing = new SignedRows(keyFile);
    this.rows = new WorldRows(() => ({ ...KEPT, minimum: 30 + random.below(3) * 300 }));
  }

  /** Commits the changes that lead to a world, and others. Returns what they are. */
  async change(world: World): Promise<string> {
    const { environment, journal } = this.#main;
    const { random, rows, signing, challenges } = this;
    const change = rows.changeTo(world, random.below(10) === 0 ? random.pick([...world.zones.keys()]) : undefined);
    const notes = [describeChanges(change)];
    await write(environment, journal, 'test', (draft) => {
      putChanges(draft, change);
      for (const { id } of change.goneDomains) {
        const row = signing.rows.get(id);
        if (row !== undefined) draft.delete(dnssec, row);
        signing.rows.delete(id);
        const challenge = challenges.get(id);
        if (challenge !== undefined) draft.delete(acmeChallenges, challenge);
        challenges.delete(id);
        this.transfers.delete(id);
      }
    });
    // Concurrent commits do not see each other's rows.
    const taken = new Set<string>();
    const commits: Promise<unknown>[] = [];
    for (let n = random.below(4); n > 0; n--) {
      const domain = random.pick([...rows.domains.values()]);
      const choice = random.below(8);
      const row = `${choice < 5 ? 'dnssec' : choice === 5 ? 'domain' : 'challenge'} ${domain.id}`;
      if (taken.has(row)) continue;
      taken.add(row);
      const { note, put } = this.#pickChange(domain, choice);
      notes.push(note);
      commits.push(write(environment, journal, 'test', put));
      if (random.below(2) === 0) await Promise.all(commits);
    }
    await Promise.all(commits);
    return notes.join('\n');
  }

  /** A change of how a zone is signed, or of what it serves besides its records. */
  #pickChange({ id, apex }: Domain, choice: number): { readonly note: string; readonly put: (draft: Draft) => void } {
    const { random, signing, challenges } = this;
    const row = signing.rows.get(id);
    const putRow = (note: string, changed: DnssecRow) => ({
      note: `${note} ${id}`,
      put: (draft: Draft) => draft.put(dnssec, changed),
    });
    if (row === undefined && choice < 5)
      return putRow('sign', signing.sign(this.rows.domains.get(nameId(apex))!, choice, START));
    if (choice === 0 && row !== undefined) {
      signing.rows.delete(id);
      return { note: `unsign ${id}`, put: (draft) => draft.delete(dnssec, row) };
    }
    if (choice === 1) return putRow('change keys of', signing.changeUses(id, random.below(6)));
    if (choice < 5 && row !== undefined) {
      const hours = random.pick([1, 2, 12, 24, 100, 170, 192]);
      return putRow(`advance by ${hours} hours`, signing.advance(id, row.clock + hours * HOUR));
    }
    if (choice === 5) {
      const domain = this.rows.domains.get(nameId(apex))!;
      const changed = { ...domain, kept: { ...KEPT, minimum: 30 + random.below(3) * 300 } };
      this.rows.domains.set(nameId(apex), changed);
      return { note: `change the SOA of ${id}`, put: (draft) => draft.put(domains, changed) };
    }
    const old = challenges.get(id);
    if (old !== undefined) {
      challenges.delete(id);
      return { note: `end the challenge of ${id}`, put: (draft) => draft.delete(acmeChallenges, old) };
    }
    const challenge: AcmeChallenge = { domainId: id, type: 'dns-01', token: 't', content: 'c'.repeat(43) };
    challenges.set(id, challenge);
    return { note: `challenge ${id}`, put: (draft) => draft.put(acmeChallenges, challenge) };
  }

  /** The world as it is served: with the SOA of the service, challenges and records of DNSSEC. */
  served(world: World): { world: World; signed: SignedZone[] } {
    const signed: { domain: Domain; key: string }[] = [];
    const zones = new Map<string, ResourceRecord[]>();
    for (const [key, records] of world.zones) {
      const domain = this.rows.domains.get(key)!;
      const packet = encodeQuery({ name: domain.apex, type: TYPE.SOA, class: CLASS_IN }, 1);
      const [soa] = decodeMessage(this.#path.answer(packet, TCP_LIMIT)!).answer;
      const row = this.signing.rows.get(domain.id);
      const all = [soa, ...records.filter(({ type }) => type !== TYPE.SOA)];
      if (this.challenges.has(domain.id)) all.push(...this.#challengeRecords(domain, all));
      if (row !== undefined) {
        all.push(...apexRecords(domain, row));
        signed.push({ domain, key });
      }
      zones.set(key, all);
    }
    const changed = { ...world, zones };
    const answered = answeredBy(changed);
    const signedZones = signed.map(({ domain, key }): SignedZone => {
      const row = this.signing.rows.get(domain.id)!;
      const { apex } = domain;
      const records = answered.get(key)!;
      const [keys, published] = [signingKeys(row), publishedKeys(row)].map(rdatasOf);
      return { apex, records, keys, published, clock: row.clock };
    });
    return { world: changed, signed: signedZones };
  }

  #challengeRecords(domain: Domain, records: readonly ResourceRecord[]): ResourceRecord[] {
    const name = challengeName(domain.apex)!;
    const own = records.filter((record) => equalNames(record.name, name));
    if (own.some(({ type }) => type === TYPE.CNAME)) return [];
    const ttl = own.find(({ type }) => type === TYPE.TXT)?.ttl ?? 30;
    return [{ name, type: TYPE.TXT, ttl, rdata: challengeRdata('c'.repeat(43)) }];
  }

  async check(world: World, questions: Parameters<typeof buildQuestion>[0][]): Promise<void> {
    const { world: served, signed } = this.served(world);
    const judge = new SignedJudge(answeredBy(served), signed);
    for (const draft of questions) {
      const query = buildQuestion({ ...draft, class: 1, edns: { version: 0, size: 1232, do: true } }, served);
      if (query === undefined || judge.zoneOf(query) === undefined) continue;
      if ((query.type >= 128 && query.type < 255) || query.type === TYPE.OPT) continue;
      const packet = encodeQuery(query, 1);
      const whole = this.#path.answer(packet, TCP_LIMIT);
      const faults = judge.faults(query, this.#path.answer(packet, UDP_LIMIT), whole, UDP_LIMIT);
      assert.equal(faults, [], `${Buffer.from(query.name).toString('latin1')} ${query.type}`);
    }
    for (const domain of this.rows.domains.values()) {
      const transfer = transferOf(this.#main, domain);
      const zone = signed.find(({ apex }) => equalNames(apex, domain.apex));
      if (zone !== undefined) assert.equal(transferFaults(zone, transfer), []);
      else assert.not(transfer.some(({ type }) => type === TYPE.RRSIG || type === TYPE.NSEC3));
      this.#checkDifferences(domain, transfer);
    }
    this.differences.length = 0;
    await this.#checkNodes();
  }

  /** The differences since the last transfer, applied to it, make the present one. */
  #checkDifferences(domain: Domain, transfer: readonly ResourceRecord[]): void {
    const current = new Set(transfer.filter(({ type }) => type !== TYPE.SOA).map(idOf));
    const former = this.transfers.get(domain.id);
    this.transfers.set(domain.id, current);
    const [{ rdata: soa }] = transfer;
    const serial = Buffer.from(soa).readUInt32BE(soa.length - 20);
    const isChanged = former !== undefined && !isDeepStrictEqual(former, current);
    // Secondaries would keep the signatures that they have until these expire.
    if (isChanged) assert.ok(serial > this.serials.get(domain.id)!, 'the serial has risen');
    this.serials.set(domain.id, serial);
    const changes = this.differences.filter(({ domainId }) => domainId === domain.id);
    if (former === undefined || changes.some(({ difference }) => difference === null)) return;
    const differences = changes.map(({ difference }) => difference!);
    const records = new Set(former);
    for (const difference of differences) apply(difference, records);
    this.applied += differences.length;
    assert.equal([...records].sort(), [...current].sort(), 'the differences lead to the transfer');
    if (differences.length < 2) return;
    const condensed = new Set(former);
    apply(condense(differences), condensed);
    assert.equal([...condensed].sort(), [...current].sort(), 'the condensed difference leads to the transfer');
  }

  async #checkNodes(): Promise<void> {
    const { environment } = this.#main;
    const tables = ['answers', 'nsec3', 'zones'];
    const expected = dump(environment, tables);
    for (const [i, replica] of this.#replicas.entries()) {
      await replica.follow(environment);
      assert.equal(differing(dump(replica.environment, tables), expected), [], `replica ${i}`);
    }
    // Another memo of signatures, so that all are made again.
    await rebuildAnswers(this.#replicas[0].environment, DEFAULTS, () => {}, this.#replicas[1].signers);
    assert.equal(differing(dump(this.#replicas[0].environment, tables), expected), [], 'rebuilt');
  }
}

function apply({ removed, added }: ZoneDifference, records: Set<string>): void {
  for (const record of removed) assert.ok(records.delete(idOf(record)), `removed, but not there: ${recordKey(record)}`);
  for (const record of added) {
    assert.not(records.has(idOf(record)), `added, but there: ${recordKey(record)}`);
    records.add(idOf(record));
  }
}

/** Entries of either that the other does not have. */
function differing(got: readonly string[], want: readonly string[]): string[] {
  const has = (list: readonly string[]): ReadonlySet<string> => new Set(list);
  const [a, b] = [has(got), has(want)];
  return [
    ...want.filter((entry) => !a.has(entry)).map((entry) => `lacks ${entry}`),
    ...got.filter((entry) => !b.has(entry)).map((entry) => `has ${entry}`),
  ].slice(0, 4);
}

test(`${CHANGES} commits, seed ${SEED}`, async () => {
  const folders = [0, 1, 2].map(() => temporaryFolder('signed-changes'));
  const keyFile = join(folders[0], 'secret.key');
  const environment = openEnvironment(folders[0]);
  const index = new IndexWriter(16 << 20);
  const signers = new Signers(openSecrets(keyFile));
  const replicas = [new Replica(folders[1], keyFile, false), new Replica(folders[2], keyFile, true)];
  const random = new Random(SEED);
  let run: Run;
  const zones = { follows: () => true, onChange: (change: ZoneChange) => void run.differences.push(change) };
  const journal = openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history: 10_000, signers, zones });
  const drafts = fc.sample(ourWorldDraft, { numRuns: Math.ceil(CHANGES / STEPS), seed: SEED });
  const questions = fc.sample(questionDraft, { numRuns: QUESTIONS * 20, seed: SEED });
  let applied = 0;
  try {
    for (const [w, draft] of drafts.entries()) {
      run = new Run({ environment, index, signers, journal }, replicas, keyFile, random);
      const steps = new WorldSteps(draft, parseName(`w${w}.test.`), random);
      for (let step = 0; step < STEPS; step++) {
        const world = withoutNested(steps.next());
        const changes = await run.change(world);
        const from = random.below(questions.length - QUESTIONS);
        try {
          await run.check(world, questions.slice(from, from + QUESTIONS));
        } catch (error) {
          const { details = '' } = error as { details?: string };
          throw new Error(
            `seed ${SEED}, world ${w}, step ${step}: ${error}\n${details}\nthe last changes were\n${changes}`,
          );
        }
      }
      applied += run.applied;
    }
    assert.ok(applied > CHANGES / 20, `${applied} differences for secondaries`);
  } finally {
    await journal.close();
    await Promise.all([environment, ...replicas.map((replica) => replica.environment)].map((each) => each.close()));
    folders.forEach(removeFolder);
  }
});

test.run();
