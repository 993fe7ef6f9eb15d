/** Imports of a zone file with some thousand records, and checks of what they store. */
import { setImmediate } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type PreparedZone, prepareZone } from '../../../admin-api/zones/records/zonefile/prepare.ts';
import { UnavailableError } from '../../../core/base/errors.ts';
import { formatName, type Name, parseName } from '../../../core/dns/wire/name.ts';
import { Applier } from '../../../core/journal/apply/applier.ts';
import { unservedDomains } from '../../../core/journal/apply/imported-zone.ts';
import { assignIds } from '../../../core/journal/draft/assign-ids.ts';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import { ChangeWriter, decodeEntry, hashEntry } from '../../../core/journal/entry-codec.ts';
import type { ImportProgress } from '../../../core/journal/journal.ts';
import { rebuildAnswers } from '../../../core/journal/upkeep/rebuild.ts';
import { finishImport } from '../../../core/journal/upkeep/unfinished-import.ts';
import { type Environment, openEnvironment } from '../../../core/store/environment.ts';
import { fillIndex } from '../../../core/store/index/build.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { afterPrefix, idKey, sequenceKey } from '../../../core/store/keys.ts';
import { type Domain, domains, records, type Spelling, spellings } from '../../../core/store/rows.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';
import { DEFAULTS, dump, type Store, type withStore } from './fixture.ts';

/** Lines whose records are together larger than those of an import that is not staged. */
export const LINES = 5000;
export const DERIVED = ['answers', 'targets', 'aliases', 'zones', 'usage', 'orders', 'sites'];

/** Every kind of record with effects on other rows or names. `variant` changes most of them. */
function zoneFile(variant: number): Buffer {
  const lines = [
    '@ 300 MX 10 mail',
    `@ 300 ALIAS a${variant}.example.net.`,
    `*.wild 300 TXT "${variant}"`,
    'Mixed.Case 300 A 192.0.2.9',
    'mail 300 A 192.0.2.8',
    'sub 300 NS ns.sub',
    'ns.sub 300 A 192.0.2.7',
    `alias 300 ALIAS b${variant}.example.net.`,
    '_sip._tcp 300 SRV 1 2 5060 mail',
  ];
  for (let i = 0; i < LINES; i++) {
    const name = `n${i + variant * 1000}${i % 7 === 0 ? '.deep' : ''}`;
    lines.push(i % 5 === 0 ? `${name} 300 CNAME mail` : `${name} 300 A 192.0.2.${i % 250}`);
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

export interface Import {
  readonly domain: Domain;
  readonly variant: number;
  readonly firstId: number;
  /** False: the records are applied in one transaction. */
  readonly isStaged?: boolean;
  /** Also called in the draft. */
  readonly more?: (draft: Draft) => void;
  readonly progress?: ImportProgress;
}

const prepared = new Map<string, PreparedZone>();

function prepare(variant: number, apex: Name): PreparedZone {
  const id = `${variant} ${formatName(apex)}`;
  let zone = prepared.get(id);
  if (zone === undefined) {
    const file = {
      bytes: zoneFile(variant),
      domainId: 0,
      apex,
      keepApex: false,
      strict: false,
    };
    const read = prepareZone({ ...file, zoneSettings: DEFAULTS, now: 1 });
    if (!read.ok) throw new Error(read.errors[0].message);
    zone = read;
    prepared.set(id, zone);
  }
  return zone;
}

export async function importZone(
  { environment, journal }: Store,
  { domain, variant, firstId, isStaged = true, more, progress }: Import,
) {
  const { id, apex } = domain;
  const { changes, nodes, count, recordsEnd } = prepare(variant, apex);
  const rows = Buffer.from(changes);
  let attempts = 0;
  await write(environment, journal, 'test', async (draft) => {
    more?.(draft);
    // Each attempt has other ids.
    const ownId = firstId + 10_000 * attempts++;
    await assignIds(rows, id, ownId);
    if (draft.domain(id) === undefined) draft.put(domains, domain);
    draft.addReadRange({ table: records.number, start: idKey(id), end: afterPrefix(idKey(id)) });
    const old = new ChangeWriter();
    for (const { key } of recordsOf(environment, id)) old.delete(records.number, key);
    const deletions = old.content;
    for (const row of spellingsOf(environment, id)) draft.delete(spellings, row);
    const puts = { changes: rows.subarray(0, recordsEnd), apex, firstId: ownId, count };
    const hasRelated = draft.domainsBelow(apex, 1).length > 0 || draft.domainByApex(parseName('test.')) !== undefined;
    const isPlain = isStaged && !hasRelated;
    if (!hasRelated) draft.compiled = { domainId: id, nodes, progress, ...(isPlain && { rows: puts, deletions }) };
    for (const part of isPlain ? [rows.subarray(recordsEnd)] : [deletions, rows]) draft.append(part);
  });
}

export function recordsOf({ records: table }: Environment, domainId: number): { key: Buffer; value: Buffer }[] {
  const start = idKey(domainId);
  return [...table.getRange({ start, end: afterPrefix(start) })] as { key: Buffer; value: Buffer }[];
}

export function spellingsOf({ rows }: Environment, domainId: number): Spelling[] {
  const start = idKey(domainId);
  const found = rows.get(spellings.number)!.getRange({ start, end: afterPrefix(start) });
  return Array.from(found, ({ key, value }) => spellings.decode(key, value));
}

const clock = { now: () => 1_700_000_000_000, refusal: () => null };
export const onOneClock: Parameters<typeof withStore>[0] = ({ environment, index }, history) =>
  openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history, clock });
export const LARGE = { arenaBytes: 32 << 20 };

/** Waits for the steps of imports, of which a write waits a minute at most. */
export async function whenSettled(environment: Environment): Promise<void> {
  await until(
    () => environment.hidden.read().length === 0 && unservedDomains(environment).length === 0,
    'the steps of imports',
  );
}

/** The derived rows equal those of a rebuild, and the index has all names. */
export async function checkDerived({ environment, index }: Pick<Store, 'environment'> & Partial<Store>): Promise<void> {
  await whenSettled(environment);
  const before = dump(environment, DERIVED);
  const names = new Set(dump(environment, ['answers']).map((line) => line.split(' ')[1].replace(/^00/, '')));
  if (index !== undefined) assert.is(index.stats.names, names.size);
  await rebuildAnswers(environment, DEFAULTS);
  const after = dump(environment, DERIVED);
  const [old, rebuilt] = [new Set(before), new Set(after)];
  assert.equal(
    before.filter((line) => !rebuilt.has(line)).slice(0, 3),
    after.filter((line) => !old.has(line)).slice(0, 3),
  );
}

/** Runs `during` with the number of the round, next to the steps of an import, until it ends. */
export async function alongside(imported: Promise<unknown>, during: (round: number) => Promise<void>): Promise<number> {
  let isOver = false;
  const ended = imported.finally(() => {
    isOver = true;
  });
  ended.catch(() => {});
  let round = 0;
  for (; !isOver; round++) await during(round);
  await ended;
  return round;
}

/** A node that applies the entries of another node's log. */
export interface Follower extends Omit<Store, 'journal'> {
  readonly applier: Applier;
}

/** `copyOf`: a store that the follower starts from; omitted: an empty one. */
export async function withFollower(work: (follower: Follower) => Promise<void>, copyOf?: Environment): Promise<void> {
  const folder = temporaryFolder('follower');
  if (copyOf !== undefined) await copyOf.root.backup(`${folder}/waypost.mdb`, true);
  const environment = openEnvironment(folder);
  await finishImport(environment, DEFAULTS);
  const index = new IndexWriter(32 << 20, 0, copyOf === undefined);
  if (copyOf !== undefined) await fillIndex(index, environment, { directory: folder });
  const applier = new Applier({ environment, index, zoneSettings: DEFAULTS, history: 1000 });
  try {
    await work({ folder, environment, index, applier } as unknown as Follower);
  } finally {
    await environment.close();
    removeFolder(folder);
  }
}

/** The entries of a log after a sequence. */
export function entriesAfter({ journal }: Environment, sequence: number): Buffer[] {
  return Array.from(journal.getRange({ start: sequenceKey(sequence + 1) }), ({ value }) => value);
}

/** Applies entries as groups of one. `each` is called after each. */
export async function apply({ applier }: Follower, entries: readonly Buffer[], each?: () => unknown): Promise<void> {
  for (const bytes of entries) {
    const entry = decodeEntry(bytes);
    applier.publish(await applier.apply([{ applied: { entry }, bytes }], hashEntry(bytes)));
    await each?.();
  }
}

export async function step({ applier }: Follower, limit = Number.POSITIVE_INFINITY): Promise<void> {
  for (let i = 0; i < limit && applier.imports.hasWork; i++) await applier.imports.step();
}

/** Repeats a write that is refused while an import into the domain is in progress. */
export async function whenAccepted<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UnavailableError) || error.code !== 'import_in_progress') throw error;
      await setImmediate();
    }
  }
}
