/**
 * Small nested zones with few names, so that changes collide often. After every group of commits,
 * the answers equal, byte for byte, those of a rebuild. The zones contain the service's own name
 * servers. Sometimes an entry of a group cannot be applied.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, isWithin, parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Applier } from '../../../core/journal/apply/applier.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import { ChangeWriter } from '../../../core/journal/entry-codec.ts';
import { rebuildAnswers } from '../../../core/journal/upkeep/rebuild.ts';
import {
  type Domain,
  domains,
  type ProxyConfig,
  proxies,
  type RecordRow,
  records,
  type Table,
} from '../../../core/store/rows.ts';
import { depth } from '../../support/depth.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { addressRecord, DEFAULTS, dump, embedded, newDomain, newProxy, newRecord, withStore } from './fixture.ts';

const GROUPS = depth({ quick: 50, moderate: 150, full: 2000 });
const APEXES = ['z.test.', 'n.z.test.', 'd.n.z.test.', 'x.a.z.test.'];
const SETTINGS = { ...DEFAULTS, nameservers: ['ns1.z.test', 'a.n.z.test'] };
const KEPT = { ...DEFAULTS, serial: 1, mname: 'ns.test.', rname: 'h.test.', ttl: 240 };
const OWNERS = [
  '@',
  '@',
  '*',
  'a',
  'b',
  'ns1',
  'x.a',
  'y.a',
  '*.a',
  'u.y.a',
  'v.y.a',
  'n',
  'a.n',
  'd.n',
  'b.d.n',
  '_s.b',
];
const TARGETS = [...OWNERS, 'w.a', 'w.y.a', 'w.b', 'none'];

const numbered = (...numbers: number[]) => Uint8Array.from(numbers.flatMap((number) => [number >> 8, number & 255]));
const led = (name: Uint8Array, ...numbers: number[]) => Buffer.concat([numbered(...numbers), name]);
const RDATA: readonly (readonly [type: number, rdata: (target: Uint8Array, value: number) => Uint8Array])[] = [
  [TYPE.A, (_, value) => Uint8Array.of(192, 0, 2, value)],
  [TYPE.A, (_, value) => Uint8Array.of(192, 0, 2, value)],
  [TYPE.TXT, (_, value) => Uint8Array.of(1, value)],
  [TYPE.MX, (target, value) => led(target, value)],
  [TYPE.SRV, (target, value) => led(target, value, 1, 2)],
  [TYPE.NS, (target) => target],
  [TYPE.CNAME, (target) => target],
  [TYPE.DNAME, (target) => target],
  [TYPE.DS, (_, value) => Uint8Array.of(0, value, 13, 2, ...new Uint8Array(32))],
];

interface Model {
  readonly domains: Map<string, Domain>;
  readonly proxies: Map<string, ProxyConfig>;
  readonly records: Map<number, RecordRow>;
}

/** A random change to the rows that the API allows. */
function changeRandomly({ domains: zones, proxies: sites, records: entries }: Model, random: Random): void {
  const apex = random.pick(APEXES);
  const domain = zones.get(apex);
  const all = [...entries].filter(([, { domainId }]) => domainId === domain?.id);
  if (domain === undefined) {
    zones.set(apex, newDomain(apex, random.below(2) === 0 ? KEPT : null));
    return;
  }
  const kind = random.below(42);
  if (kind === 0) {
    zones.delete(apex);
    sites.delete(apex);
    for (const [key] of all) entries.delete(key);
  } else if (kind === 1) zones.set(apex, { ...domain, kept: domain.kept === null ? KEPT : null });
  else if (kind === 2 || kind > 39) {
    const old = sites.get(apex);
    const originHost = random.pick([null, '192.0.2.7', 'origin.example.net', 'www.example.net', '2001:db8::7']);
    if (old === undefined || random.below(3) === 0)
      sites.set(apex, { ...(old ?? newProxy(domain)), enabled: old?.enabled !== true });
    else if (random.below(2) === 0) sites.set(apex, { ...old, originHost });
    else sites.delete(apex);
  } else if (kind === 3) for (const [key] of all) entries.delete(key);
  else if (kind === 4) for (const [key, row] of all) entries.set(key, { ...row, ttl: row.ttl + 1 });
  else if (kind < (all.length > 10 ? 30 : 20) && all.length > 3) {
    const [key, row] = random.pick(all);
    if (random.below(4) > 0) entries.delete(key);
    else entries.set(key, { ...row, proxied: [null, true, false][random.below(3)] });
  } else {
    const [type, rdata] = random.pick(RDATA);
    const target = parseName(random.pick(TARGETS), domain.apex);
    const row = newRecord(domain, random.pick(OWNERS), type, rdata(target, 1 + random.below(2)));
    const sameName = all.filter(([, other]) => formatName(other.name) === formatName(row.name));
    const isApex = row.name.length === domain.apex.length;
    const alone = type === TYPE.CNAME || type === TYPE.DNAME;
    if (alone && (isApex ? type === TYPE.CNAME : false)) return;
    if (
      sameName.some(([, other]) => other.type === TYPE.CNAME || (alone && (type === TYPE.CNAME || other.type === type)))
    )
      return;
    if (sameName.some(([, other]) => other.type === type && Buffer.from(other.rdata).equals(row.rdata))) return;
    entries.set(row.id, row);
  }
}

const copy = (model: Model): Model => ({
  domains: new Map(model.domains),
  proxies: new Map(model.proxies),
  records: new Map(model.records),
});

/** The changes of a draft between two states: deletes, then puts. */
function changesBetween(before: Model, after: Model): { changes: Buffer; text: string[] } {
  const gone: [Table<unknown>, unknown][] = [];
  const come: [Table<unknown>, unknown][] = [];
  const compare = <Key, Row>(table: Table<Row>, old: Map<Key, Row>, now: Map<Key, Row>): void => {
    for (const [key, row] of old) if (now.get(key) !== row) gone.push([table as Table<unknown>, row]);
    for (const [key, row] of now) if (old.get(key) !== row) come.push([table as Table<unknown>, row]);
  };
  compare(records, before.records, after.records);
  compare(proxies, before.proxies, after.proxies);
  compare(domains, before.domains, after.domains);
  const out = new ChangeWriter();
  for (const [table, row] of gone) out.delete(table.number, table.key(row));
  for (const [table, row] of come.reverse()) out.put(table.number, table.key(row), table.encode(row));
  const describeChange =
    (sign: string) =>
    ([table, row]: [Table<unknown>, unknown]) =>
      `${sign} ${table.name} ${describe(row)}`;
  return { changes: out.content, text: [...gone.map(describeChange('-')), ...come.map(describeChange('+'))] };
}

function describe(row: unknown): string {
  const { name, apex, type, rdata, ...rest } = row as Partial<RecordRow & Domain>;
  if (name !== undefined)
    return `${formatName(name)} ${type} ${Buffer.from(rdata!).toString('latin1')} ${rest.proxied}`;
  return apex === undefined ? JSON.stringify(rest) : `${formatName(apex)} ${rest.kept === null ? 'ours' : 'kept'}`;
}

/**
 * An entry that cannot be applied, after one that can: its table is unknown, or its apex cannot be
 * compiled.
 */
function encodeBrokenEntry({ domains: ours }: Model, random: Random): Buffer {
  const out = new ChangeWriter();
  const domain = ours.get(random.pick(APEXES));
  if (domain === undefined) {
    out.put(200, Buffer.from('key'), Buffer.from('value'));
    return out.content;
  }
  for (const row of [
    newRecord(domain, '@', TYPE.MX, led(parseName('a', domain.apex), 7)),
    newRecord(domain, 'b', TYPE.SRV, led(parseName('ns1', domain.apex), 7, 7, 7)),
  ])
    out.put(records.number, records.key(row), records.encode(row));
  const other = newDomain('b.z.test.', { ...KEPT, mname: 'no..name.' });
  out.put(domains.number, domains.key(other), domains.encode(other));
  return out.content;
}

async function assertRejected(commit: Promise<unknown>): Promise<void> {
  const committed = await commit.then(
    () => true,
    () => false,
  );
  assert.not(committed, 'an entry that cannot be applied');
}

/**
 * Rehearses a prefix of many groups, then all entries of some, like nodes that share a log. Only
 * the latter are applied, and they reuse the nodes of the rehearsal.
 */
const journalOf: Parameters<typeof withStore>[0] = ({ environment, index }, history) => {
  const journal = openEmbeddedJournal({ environment, index, zoneSettings: SETTINGS, history });
  const { applier } = journal as unknown as { readonly applier: Applier };
  const apply = applier.apply.bind(applier);
  const random = new Random(SEED);
  applier.apply = async (links, hash) => {
    const rehearsals = random.below(3);
    if (rehearsals > 0) {
      try {
        await applier.rehearse(links.slice(0, 1 + random.below(links.length)));
      } catch {}
    }
    if (rehearsals === 2) await applier.rehearse(links);
    return apply(links, hash);
  };
  return journal;
};

test(`${GROUPS} groups that change each other's names leave the same answers as a rebuild, seed ${SEED}`, () =>
  withStore(journalOf, async ({ environment, journal, reader, index }) => {
    const random = new Random(SEED);
    let model: Model = { domains: new Map(), proxies: new Map(), records: new Map() };
    for (let group = 0; group < GROUPS; group++) {
      const texts: string[] = [];
      const commits: Promise<unknown>[] = [];
      const before = [...model.domains.values()].map(({ id }) => ({ id, state: reader.zoneState(id) }));
      const commit = (changes: Buffer) =>
        journal.commit({ reads: { at: journal.head, ranges: [] }, changes, by: 'test' });
      for (let entries = 1 + random.below(4); entries > 0; entries--) {
        const next = copy(model);
        for (let steps = 1 + random.below(3); steps > 0; steps--) changeRandomly(next, random);
        const { changes, text } = changesBetween(model, next);
        model = next;
        texts.push(`entry\n${text.join('\n')}`);
        if (changes.length > 0) commits.push(commit(changes));
        if (random.below(10) === 0) commits.push(assertRejected(commit(encodeBrokenEntry(model, random))));
      }
      await Promise.all(commits);
      const label = `seed ${SEED}, group ${group}: ${texts.join('\n')}`;
      const answers = dump(environment, ['answers', 'usage', 'aliases']);
      assert.is(index.stats.names, dump(environment, ['answers']).length, label);
      await rebuildAnswers(environment, SETTINGS);
      const anew = new Set(dump(environment, ['answers', 'usage', 'aliases']));
      const previous = new Set(answers);
      const named = (line: string) =>
        Buffer.from(line.split(' ')[1], 'hex').toString('latin1').replaceAll('\0', '.') + line;
      assert.equal(
        {
          stale: answers.filter((node) => !anew.has(node)).map(named),
          missing: [...anew].filter((node) => !previous.has(node)).map(named),
        },
        { stale: [], missing: [] },
        label,
      );
      for (const { id, state } of before) {
        const now = reader.zoneState(id);
        if (now.revision > state.revision) assert.ok(now.serial > state.serial, label);
      }
      const held = [...model.records.values()].length;
      assert.is(
        [...model.domains.values()].reduce((sum, { id }) => sum + reader.zoneState(id).recordCount, 0),
        held,
        label,
      );
      assert.ok(
        [...model.records.values()].every(({ name, domainId }) => isWithin(name, reader.domain(domainId)!.apex)),
      );
    }
  }));

test('an alias to a wildcard name loses its answer when the parent of that name appears, and regains it', () =>
  withStore(embedded, async ({ environment, journal }) => {
    const domain = newDomain('zone.test.');
    const come = ['u.y', 'v.y', 'n.w.y'].map((name) => addressRecord(domain, name));
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      draft.put(records, addressRecord(domain, '*', 7));
      draft.put(records, newRecord(domain, 'alias', TYPE.CNAME, parseName('x.y.zone.test.')));
    });
    const without = dump(environment, ['answers']);
    const check = async (label: string): Promise<void> => {
      const answers = dump(environment, ['answers']);
      await rebuildAnswers(environment, DEFAULTS);
      assert.equal(dump(environment, ['answers']), answers, label);
    };
    await Promise.all(come.map((row) => write(environment, journal, 'test', (draft) => draft.put(records, row))));
    await check('three names');
    await Promise.all(come.map((row) => write(environment, journal, 'test', (draft) => draft.delete(records, row))));
    await check('gone');
    assert.is(dump(environment, ['answers']).length, without.length);
  }));

test.run();
