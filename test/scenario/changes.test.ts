/**
 * Changes to stored zones, one commit after another or several in one group: what they recompile
 * is all that has to be recompiled. Zones come and go, cuts, wildcards and DNAMEs open and close,
 * proxies go on and off, and after each commit generated questions are answered as the reference
 * answers them from the rows. Once with all answers in the arena, once with most of them in LMDB,
 * and with an index that is not filled, or filled meanwhile.
 */

import { test } from 'uvu';
import { formatName, parseName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { write } from '../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../core/journal/embedded-journal.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { LmdbNodeStore } from '../../core/nameserver/node-store.ts';
import { type Environment, openEnvironment } from '../../core/store/environment.ts';
import { IndexWriter } from '../../core/store/index/writer.ts';
import { DEFAULTS } from '../core/journal/fixture.ts';
import { checkWorld, TCP_LIMIT } from '../reference/compare.ts';
import { buildQuestion, ourWorldDraft, questionDraft, type World } from '../reference/generate.ts';
import { describeChanges, putChanges, type RowChanges, WorldRows } from '../reference/rows.ts';
import { WorldSteps } from '../reference/steps.ts';
import { depth } from '../support/depth.ts';
import fc from '../support/fc.ts';
import { HeldFill } from '../support/held-fill.ts';
import { QueryPath } from '../support/in-process.ts';
import { decodeMessage, encodeQuery } from '../support/message.ts';
import { Random } from '../support/random.ts';
import { SEED } from '../support/seed.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';

const CHANGES = depth({ quick: 60, moderate: 200, full: 3000 });
/** Commits made to one world before the next is begun. */
const STEPS = 15;
const QUESTIONS = 60;
/** So that the zones keep the NS of the generated worlds. */
const KEPT = { ...DEFAULTS, serial: 1, mname: 'ns.test.', rname: 'h.test.', ttl: DEFAULTS.soaTtl };

/** The world with the SOA that the service has made for each zone, as DNS gives it. */
function withServedSoa(world: World, path: QueryPath): World {
  const zones = [...world.zones].map(([key, zone]): [string, ResourceRecord[]] => {
    const apex = zone[0].name;
    const response = path.answer(encodeQuery({ name: apex, type: TYPE.SOA, class: CLASS_IN }, 1), TCP_LIMIT);
    const soa = response === null ? undefined : decodeMessage(response).answer[0];
    if (soa === undefined) throw new Error(`seed ${SEED}: no SOA for ${formatName(apex)}`);
    return [key, [soa, ...zone.filter(({ type }) => type !== TYPE.SOA)]];
  });
  return { ...world, zones: new Map(zones) };
}

/**
 * Zones and proxies in the first commit, the records in as many as are asked for, all of one group:
 * each may leave what only the others make whole.
 */
async function commitChange(environment: Environment, journal: Journal, change: RowChanges, parts: number) {
  const { goneDomains, goneRecords, newDomains, newRecords } = change;
  // Records cannot be put into a zone, or go with it, before the others know of that: one commit,
  // as the API makes it.
  if (parts === 1 || goneDomains.length + newDomains.length > 0) {
    await write(environment, journal, 'test', (draft) => putChanges(draft, change));
    return;
  }
  const none: RowChanges = {
    goneRecords: [],
    goneDomains: [],
    goneProxies: [],
    newDomains: [],
    newRecords: [],
    newProxies: [],
    newTargets: [],
  };
  // A record that goes and comes in one step keeps its id and so its key: both are of one commit.
  const partOf = ({ id }: { id: number }) => id % parts;
  await Promise.all(
    Array.from({ length: parts }, (_, part) =>
      write(environment, journal, 'test', (draft) =>
        putChanges(draft, {
          ...(part === 0 ? change : none),
          goneRecords: goneRecords.filter((row) => partOf(row) === part),
          newRecords: newRecords.filter((row) => partOf(row) === part),
        }),
      ),
    ),
  );
}

/** The steps of the middle world between which the index is filled, while the zones change. */
const FILLED = { from: 3, to: 9 };

/**
 * `arenaBytes`: room for answers in shared memory; what is left over is read from LMDB. `fill`:
 * when the index is filled.
 */
async function run(arenaBytes: number, fill: 'first' | 'never' | 'meanwhile' = 'first'): Promise<void> {
  const folder = temporaryFolder('changes');
  const environment = openEnvironment(folder);
  const store = new LmdbNodeStore(folder);
  const index = new IndexWriter(arenaBytes, 0, fill === 'first');
  const journal = openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history: 100 });
  const path = new QueryPath(index, store);
  const random = new Random(SEED);
  const count = Math.ceil(CHANGES / STEPS);
  let filling: HeldFill | undefined;
  const drafts = fc.sample(ourWorldDraft, { numRuns: count, seed: SEED });
  const questions = fc.sample(questionDraft, { numRuns: QUESTIONS * 20, seed: SEED });
  try {
    for (const [w, draft] of drafts.entries()) {
      const rows = new WorldRows(() => KEPT);
      const origin = parseName(`w${w}.test.`);
      const steps = new WorldSteps(draft, origin, random);
      for (let step = 0; step < STEPS; step++) {
        const world = steps.next();
        // As an import does, which replaces all records of a zone.
        const anew = random.below(8) === 0 ? random.pick([...world.zones.keys()]) : undefined;
        const change = rows.changeTo(world, anew);
        await commitChange(environment, journal, change, 1 + random.below(4));
        if (fill === 'meanwhile' && w === drafts.length >> 1) {
          if (step === FILLED.from) filling = await HeldFill.start(index, environment, folder);
          if (step === FILLED.to) await filling?.finish();
        }
        const served = withServedSoa(world, path);
        const from = random.below(questions.length - QUESTIONS);
        const requests = questions.slice(from, from + QUESTIONS).map((question) => buildQuestion(question, served));
        try {
          checkWorld(
            path.answer,
            served,
            requests.filter((query) => query !== undefined),
          );
        } catch (error) {
          throw new Error(
            `seed ${SEED}, world ${w}, step ${step}: ${error}\nthe last change was\n${describeChanges(change)}`,
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
for (const arena of [16 << 20, 4096])
  test(`${CHANGES} commits while an index of ${arena} bytes is filled, seed ${SEED}`, () => run(arena, 'meanwhile'));
test(`${CHANGES} commits without an index, seed ${SEED}`, () => run(4096, 'never'));

test.run();
