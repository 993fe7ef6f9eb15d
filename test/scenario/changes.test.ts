/**
 * Changes to stored zones, one commit after another: what they recompile is all that has to be recompiled. Zones come and go,
 * cuts, wildcards and DNAMEs open and close, and after each commit generated questions are answered as the reference answers them from the
 * rows. Once with all answers in the arena, once with most of them in LMDB. WAYPOST_CHANGES: how many commits (CI: 3,000).
 */
import fc from 'fast-check';
import { test } from 'uvu';
import { write } from '../../core/journal/draft.ts';
import { openEmbeddedJournal } from '../../core/journal/embedded.ts';
import { LmdbNodeStore } from '../../core/net/node-store.ts';
import { openEnvironment } from '../../core/store/environment.ts';
import { buildIndex } from '../../core/store/index/build.ts';
import { type Domain, domains, newId, type RecordRow, records } from '../../core/store/rows.ts';
import { formatName, nameId, parseName } from '../../core/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../core/wire/types.ts';
import { DEFAULTS } from '../core/journal/fixture.ts';
import { checkWorld, recordKey, TCP_LIMIT } from '../reference/compare.ts';
import { buildQuestion, buildWorld, questionDraft, type World, worldDraft } from '../reference/generate.ts';
import { QueryPath } from '../support/in-process.ts';
import { decodeMessage, encodeQuery } from '../support/message.ts';
import { Random } from '../support/random.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';

const CHANGES = Number(process.env.WAYPOST_CHANGES ?? 300);
const SEED = Number(process.env.WAYPOST_SEED ?? Math.floor(Math.random() * 0x7fffffff));
/** Commits made to one world before the next is begun. */
const STEPS = 15;
const QUESTIONS = 60;

/** The rows as they stand: a domain for each apex, a row for each record. */
class Rows {
  readonly domains = new Map<string, Domain>();
  readonly records = new Map<string, RecordRow>();
}

const rowKey = (apex: string, record: ResourceRecord): string => `${apex}/${recordKey(record)}`;

/** What has to go and to come for the rows to be those of `world`; `rows` is left as it will be. */
function changesTo(world: World, rows: Rows) {
  const wanted = new Map<string, { apex: string; record: ResourceRecord }>();
  for (const [apex, zone] of world.zones) {
    for (const record of zone) if (record.type !== TYPE.SOA) wanted.set(rowKey(apex, record), { apex, record });
  }
  const out = {
    goneRecords: [...rows.records].filter(([key]) => !wanted.has(key)).map(([, row]) => row),
    goneDomains: [...rows.domains].filter(([apex]) => !world.zones.has(apex)).map(([, domain]) => domain),
    newDomains: [] as Domain[],
    newRecords: [] as RecordRow[],
  };
  for (const [apex, zone] of world.zones) {
    if (rows.domains.has(apex)) continue;
    const kept = { ...DEFAULTS, serial: 1, mname: 'ns.test.', rname: 'h.test.', ttl: DEFAULTS.soaTtl };
    const domain = { id: newId(), accountId: '0'.repeat(16), apex: zone[0].name, createdAt: 1, kept };
    out.newDomains.push(domain);
    rows.domains.set(apex, domain);
  }
  for (const [key, { apex, record }] of wanted) {
    const domain = rows.domains.get(apex);
    if (rows.records.has(key) || domain === undefined) continue;
    const row = { ...record, id: newId(), domainId: domain.id, proxied: null, createdAt: 1, updatedAt: 1 };
    out.newRecords.push(row);
    rows.records.set(key, row);
  }
  for (const [key] of [...rows.records]) if (!wanted.has(key)) rows.records.delete(key);
  for (const [apex] of [...rows.domains]) if (!world.zones.has(apex)) rows.domains.delete(apex);
  return out;
}

/** The world with the SOA that the service has made for each zone, as DNS gives it. */
function withServedSoa(world: World, path: QueryPath): World {
  const zones = [...world.zones].map(([key, zone]): [string, ResourceRecord[]] => {
    const apex = zone[0].name;
    const response = path.answer(encodeQuery({ name: apex, type: TYPE.SOA, class: CLASS_IN }, 1), TCP_LIMIT);
    const soa = response === null ? undefined : decodeMessage(response).answer[0];
    if (soa === undefined) throw new Error(`seed ${SEED}: no SOA for ${formatName(apex)}`);
    return [key, [soa, ...zone.filter(({ type }) => type !== TYPE.SOA)]];
  });
  return { origin: world.origin, zones: new Map(zones) };
}

/** `arenaBytes`: room for answers in shared memory; what is left over is read from LMDB. */
async function run(arenaBytes: number): Promise<void> {
  const folder = temporaryFolder('changes');
  const environment = openEnvironment(folder);
  const store = new LmdbNodeStore(folder);
  const index = await buildIndex(environment, folder, arenaBytes);
  const journal = openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history: 100 });
  const path = new QueryPath(index, store);
  const random = new Random(SEED);
  const count = Math.ceil(CHANGES / STEPS);
  const drafts = fc.sample(worldDraft, { numRuns: count, seed: SEED });
  const questions = fc.sample(questionDraft, { numRuns: QUESTIONS * 20, seed: SEED });
  try {
    for (const [w, draft] of drafts.entries()) {
      const rows = new Rows();
      const origin = parseName(`w${w}.test.`);
      const wishes = draft.records.map((wish) => ({ wish, on: random.below(2) === 0 }));
      const apexes = draft.apexes.map((apex) => ({ apex, on: true }));
      for (let step = 0; step < STEPS; step++) {
        for (let n = random.below(6); n > 0 && wishes.length > 0; n--) {
          const one = random.pick(wishes);
          one.on = !one.on;
        }
        // The first zone stays, so that there is something to ask.
        if (apexes.length > 1 && random.below(4) === 0) {
          const one = random.pick(apexes.slice(1));
          one.on = !one.on;
        }
        const world = buildWorld(
          {
            apexes: apexes.filter(({ on }) => on).map(({ apex }) => apex),
            records: wishes.filter(({ on }) => on).map(({ wish }) => wish),
          },
          origin,
        );
        const change = changesTo(world, rows);
        await write(environment, journal, 'test', (transaction) => {
          for (const row of change.goneRecords) transaction.delete(records, row);
          for (const domain of change.goneDomains) transaction.delete(domains, domain);
          for (const domain of change.newDomains) transaction.put(domains, domain);
          for (const row of change.newRecords) transaction.put(records, row);
        });
        const served = withServedSoa(world, path);
        const from = random.below(questions.length - QUESTIONS);
        const asked = questions.slice(from, from + QUESTIONS).map((question) => buildQuestion(question, served));
        try {
          checkWorld(
            path.answer,
            served,
            asked.filter((query) => query !== undefined),
          );
        } catch (error) {
          const lines = [
            ...change.goneRecords.map((row) => `- ${recordKey(row)}`),
            ...change.newRecords.map((row) => `+ ${recordKey(row)}`),
          ];
          const zones = [
            ...change.goneDomains.map(({ apex }) => `- zone ${nameId(apex)}`),
            ...change.newDomains.map(({ apex }) => `+ zone ${nameId(apex)}`),
          ];
          throw new Error(
            `seed ${SEED}, world ${w}, step ${step}: ${error}\nthe last change was\n${[...zones, ...lines].join('\n')}`,
          );
        }
      }
    }
  } finally {
    await journal.close();
    await store.close();
    await environment.close();
    removeFolder(folder);
  }
}

test(`${CHANGES} commits, all answers in the arena, seed ${SEED}`, () => run(16 << 20));
test(`${CHANGES} commits, most answers in LMDB, seed ${SEED}`, () => run(4096));

test.run();
