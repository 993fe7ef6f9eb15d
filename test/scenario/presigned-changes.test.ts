/**
 * Zones with the signatures of their primary that change as transfers change them: after each
 * commit the answers are, to the byte, those of the zone loaded again; a transfer has its rows; and
 * a store without room in the index, and one that is rebuilt, answer the same.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, type Name, nameId, parseName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { write } from '../../core/journal/draft/draft.ts';
import { rebuildAnswers } from '../../core/journal/upkeep/rebuild.ts';
import { LmdbNodeStore } from '../../core/nameserver/node-store.ts';
import { ZoneSnapshot } from '../../core/nameserver/transfer/snapshot.ts';
import { buildIndex } from '../../core/store/index/build.ts';
import { type Domain, domains, type RecordRow, records } from '../../core/store/rows.ts';
import { DEFAULTS, embedded, newDomain, queryPath, type Store, withStore } from '../core/journal/fixture.ts';
import { recordKey, TCP_LIMIT } from '../reference/compare.ts';
import { buildWorld, worldDraft } from '../reference/generate.ts';
import { presign, type SigningChoice } from '../reference/presigned.ts';
import { withoutNested } from '../reference/signed-world.ts';
import { depth } from '../support/depth.ts';
import fc from '../support/fc.ts';
import { HeldFill } from '../support/held-fill.ts';
import { newId } from '../support/ids.ts';
import { InProcess, QueryPath } from '../support/in-process.ts';
import { encodeQuery } from '../support/message.ts';
import { nameOf } from '../support/names.ts';
import { Random } from '../support/random.ts';
import { SEED } from '../support/seed.ts';

const WORLDS = depth({ quick: 1, moderate: 3, full: 600 });
/** Transfers of one zone. */
const STEPS = 6;
const ORIGIN = parseName('test.');
const TYPES = [TYPE.A, TYPE.TXT, TYPE.DS, TYPE.NSEC, TYPE.RRSIG, TYPE.ANY];

const whole = new InProcess();

const isDenial = ({ type }: ResourceRecord): boolean => type === TYPE.NSEC || type === TYPE.NSEC3;

/** Names of the zone, and names next to and below them. */
function namesAround(zone: readonly ResourceRecord[]): Name[] {
  const names = new Map<string, Name>();
  for (const record of zone.filter(({ type }) => type !== TYPE.NSEC3 && type !== TYPE.RRSIG))
    for (const name of [record.name, nameOf(['q'], record.name), nameOf(['*', 'q'], record.name)])
      if (name.length < 256) names.set(nameId(name), name);
  const hashed = zone.find(({ type }) => type === TYPE.NSEC3);
  if (hashed !== undefined) names.set(nameId(hashed.name), hashed.name);
  return [...names.values()];
}

/** A secondary zone in a store. */
class Secondary {
  readonly domain: Domain;
  readonly #store: Store;
  readonly #rows = new Map<string, RecordRow>();

  constructor(store: Store, apex: Name) {
    this.#store = store;
    this.domain = { ...newDomain(formatName(apex)), kind: 'secondary' };
  }

  async create(): Promise<void> {
    const { environment, journal, index } = this.#store;
    await write(environment, journal, 'test', (draft) => draft.put(domains, this.domain));
    index.unavailable.set(this.domain.apex, false);
  }

  /** Commits what turns the zone into these records. */
  async transfer(zone: readonly ResourceRecord[]): Promise<void> {
    const { environment, journal } = this.#store;
    const wanted = new Map(zone.map((record) => [recordKey(record), record]));
    await write(environment, journal, 'test', (draft) => {
      for (const [key, row] of this.#rows) {
        if (wanted.has(key)) continue;
        draft.delete(records, row);
        this.#rows.delete(key);
      }
      for (const [key, { name, type, ttl, rdata }] of wanted) {
        if (this.#rows.has(key)) continue;
        const row = {
          ...{ id: newId(), domainId: this.domain.id, name, type, ttl, rdata },
          ...{ proxied: null, createdAt: 1, updatedAt: 1 },
        };
        draft.put(records, row);
        this.#rows.set(key, row);
      }
    });
  }
}

function transferred(store: Store, { id }: Domain): string[] {
  const snapshot = ZoneSnapshot.open(store.environment, DEFAULTS, id)!;
  const found = [...snapshot.records()].map(recordKey);
  snapshot.close();
  return found.sort();
}

type Answer = QueryPath['answer'];

/** The answers to questions about all names of a zone, and whether others have the same. */
function assertSame(answer: Answer, zone: readonly ResourceRecord[], label: string): void {
  for (const name of namesAround(zone))
    for (const type of TYPES)
      for (const isDo of type === TYPE.A ? [true, false] : [true]) {
        const packet = encodeQuery({ name, type, class: CLASS_IN, edns: { version: 0, size: 4096, do: isDo } }, 1);
        const [ours, expected] = [answer(packet, TCP_LIMIT), whole.answer(packet, TCP_LIMIT)];
        const hex = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('hex');
        if (hex(ours) !== hex(expected))
          assert.unreachable(`${label}: ${formatName(name)} TYPE${type}\n${hex(ours)}\n${hex(expected)}`);
      }
}

/** The steps between which an index is filled that is not complete. */
const FILLED = { from: 1, to: 4 };

async function run(
  store: Store,
  versions: readonly (readonly ResourceRecord[])[],
  choices: readonly SigningChoice[],
  random: Random,
): Promise<void> {
  const secondary = new Secondary(store, versions[0][0].name);
  await secondary.create();
  const path = queryPath(store);
  const { environment, folder, index } = store;
  let filling: HeldFill | undefined;
  let choice = choices[0];
  let zone: ResourceRecord[] = [];
  for (let step = 0; step < STEPS; step++) {
    if (random.below(6) === 0) choice = choices[random.below(choices.length)];
    const plain = versions[random.below(versions.length)];
    const kept = plain.filter(({ type }, i) => type === TYPE.SOA || (i < 2 ? true : random.below(8) > 0));
    zone = presign(kept, choice);
    // A chain with a gap, and signatures that are missing, are served as far as they go.
    if (random.below(5) === 0)
      zone = zone.filter((record) => !(isDenial(record) || record.type === TYPE.RRSIG) || random.below(10) > 0);
    await secondary.transfer(zone);
    if (index.filling !== null && step === FILLED.from) filling = await HeldFill.start(index, environment, folder);
    if (step === FILLED.to) await filling?.finish();
    whole.loadSigned(zone);
    assertSame(path.answer, zone, `step ${step}, ${JSON.stringify(choice)}`);
    assert.equal(
      transferred(store, secondary.domain),
      zone
        .filter(({ type }) => type !== TYPE.SOA)
        .map(recordKey)
        .sort(),
    );
  }
  for (const bytes of [0, 8192]) {
    const nodes = new LmdbNodeStore(folder);
    const bounded = new QueryPath(await buildIndex(environment, folder, bytes), nodes);
    assertSame(bounded.answer, zone, `an index of ${bytes} bytes`);
    await nodes.close();
  }
  await rebuildAnswers(environment, DEFAULTS);
  const nodes = new LmdbNodeStore(folder);
  const rebuilt = new QueryPath(await buildIndex(environment, folder, 4 << 20), nodes);
  assertSame(rebuilt.answer, zone, 'rebuilt');
  await nodes.close();
  await path.close();
}

test(`transfers of ${WORLDS} worlds, seed ${SEED}`, async () => {
  const random = new Random(SEED);
  const drafts = fc.sample(worldDraft, { seed: SEED, numRuns: WORLDS * 3 });
  for (let i = 0; i < WORLDS; i++) {
    const versions = drafts
      .slice(i * 3, i * 3 + 3)
      .flatMap((draft) => [
        ...withoutNested(buildWorld({ ...draft, apexes: [{ labels: ['a'], nested: false }] }, ORIGIN)).zones.values(),
      ]);
    const choices = [0, 1].map((): SigningChoice => {
      const salt = Uint8Array.from({ length: random.below(5) }, () => random.below(256));
      const denial = random.below(2) === 0 ? 'nsec' : 'nsec3';
      return { denial, iterations: random.below(3), salt, isOptOut: random.below(2) === 0, keys: 1 + random.below(2) };
    });
    const isComplete = i % 2 === 0;
    await withStore(embedded, (store) => run(store, versions, choices, random), { isComplete });
  }
});

/** Names in ascending and descending order take all order numbers of a gap. */
test('hundreds of names added in one gap of an NSEC chain', async () => {
  const apex = parseName('gap.test.');
  const soa = Uint8Array.from([...apex, ...apex, ...new Array(20).fill(1)]);
  const choice = { denial: 'nsec', iterations: 0, salt: new Uint8Array(0), isOptOut: false, keys: 1 } as const;
  await withStore(embedded, async (store) => {
    const secondary = new Secondary(store, apex);
    await secondary.create();
    const path = queryPath(store);
    const plain: ResourceRecord[] = [
      { name: apex, type: TYPE.SOA, ttl: 300, rdata: soa },
      { name: apex, type: TYPE.NS, ttl: 300, rdata: apex },
    ];
    for (let i = 0; i < 30; i++) {
      const label = `n${String(1000 - i)}`;
      plain.push({ name: nameOf([label], apex), type: TYPE.A, ttl: 300, rdata: Uint8Array.of(192, 0, 2, 1) });
      await secondary.transfer(presign(plain, choice));
    }
    const zone = presign(plain, choice);
    whole.loadSigned(zone);
    assertSame(path.answer, zone, 'after all');
    await path.close();
  });
});

test.run();
