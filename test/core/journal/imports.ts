/** Imports of a zone file with some thousand records, and checks of what they store. */
import * as assert from 'uvu/assert';
import { assignIds } from '../../../admin-api/zones/records/zonefile/encode.ts';
import { type PreparedZone, prepareZone } from '../../../admin-api/zones/records/zonefile/prepare.ts';
import { formatName, type Name, parseName } from '../../../core/dns/wire/name.ts';
import { unservedDomains } from '../../../core/journal/apply/imported-zone.ts';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import { ChangeWriter } from '../../../core/journal/entry-codec.ts';
import type { ImportProgress } from '../../../core/journal/journal.ts';
import { rebuildAnswers } from '../../../core/journal/upkeep/rebuild.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { afterPrefix, idKey } from '../../../core/store/keys.ts';
import { type Domain, domains, records, type Spelling, spellings } from '../../../core/store/rows.ts';
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
  await assignIds(rows, id, firstId);
  await write(environment, journal, 'test', (draft) => {
    more?.(draft);
    if (draft.domain(id) === undefined) draft.put(domains, domain);
    draft.addReadRange({ table: records.number, start: idKey(id), end: afterPrefix(idKey(id)) });
    const old = new ChangeWriter();
    for (const { key } of recordsOf(environment, id)) old.delete(records.number, key);
    const { content } = old;
    const deletions = { in: content, start: 0, end: content.length, count: old.count };
    draft.append(content);
    for (const row of spellingsOf(environment, id)) draft.delete(spellings, row);
    draft.append(rows);
    const place = { in: rows, apex, firstId, count, start: 0, end: recordsEnd };
    const hasRelated = draft.domainsBelow(apex, 1).length > 0 || draft.domainByApex(parseName('test.')) !== undefined;
    if (!hasRelated) draft.compiled = { domainId: id, nodes, progress, ...(isStaged && { rows: place, deletions }) };
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

/** The derived rows equal those of a rebuild, and the index has all names. */
export async function checkDerived({ environment, index }: Pick<Store, 'environment'> & Partial<Store>): Promise<void> {
  assert.equal(environment.hidden.read(), []);
  assert.equal(unservedDomains(environment), []);
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
