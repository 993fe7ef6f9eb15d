/**
 * Signed zones against the reference resolver and a validator, over generated worlds and
 * questions: without signatures and proofs the answers are those of the unsigned zone, every RRset
 * is signed, and the proofs prove what the answer says with no record to spare. Answers of
 * unsigned zones do not change by a byte.
 */
import { test } from 'uvu';
import { formatName, isWithin, type Name, nameId, parentName, parseName } from '../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { answeredBy, checkWorld, TCP_LIMIT, UDP_LIMIT } from '../reference/compare.ts';
import { buildQuestion, buildWorld, ourWorldDraft, questionDraft, type World } from '../reference/generate.ts';
import type { Query } from '../reference/resolver.ts';
import { SignedJudge } from '../reference/signed.ts';
import { DNSSEC_TYPES, signWorld, withoutNested } from '../reference/signed-world.ts';
import { depth } from '../support/depth.ts';
import fc from '../support/fc.ts';
import { InProcess } from '../support/in-process.ts';
import { encodeQuery } from '../support/message.ts';
import { formatZone, nameOf } from '../support/names.ts';
import { SEED } from '../support/seed.ts';

const CASES = depth({ quick: 1000, moderate: 4000, full: 200_000 });
const QUESTIONS = 40;
const ORIGIN = parseName('test.');
const CLOCK = 1_800_000_000;

const server = new InProcess();
const unsigned = new InProcess();

/** Most with DO; some for the types of DNSSEC. */
const signedQuestion = fc
  .tuple(questionDraft, fc.nat(9), fc.nat(DNSSEC_TYPES.length - 1), fc.constantFrom(512, 600, 900, 1232, 4096))
  .map(([draft, choice, type, size]) => ({
    ...draft,
    class: 1,
    type: choice === 0 ? DNSSEC_TYPES[type] : draft.type,
    edns: choice < 8 ? { version: 0, size, do: true } : draft.edns,
  }));

const isWalked = ({ type, edns }: Query): boolean =>
  (type < 128 || type === 255 || type > 255) && type !== 41 && (edns?.version ?? 0) === 0;

function check(plain: World, seed: number, queries: readonly Query[]): void {
  const world = signWorld(plain, seed, CLOCK);
  server.load(world.zones, world.proxies, world.aliases, world.signers);
  unsigned.load(plain.zones, plain.proxies, plain.aliases);
  const judge = new SignedJudge(answeredBy(world), world.signed);
  queries.forEach((query, i) => {
    const limit = i % 4 === 3 ? TCP_LIMIT : UDP_LIMIT;
    const packet = encodeQuery(query, 1);
    const response = server.answer(packet, limit);
    if (judge.zoneOf(query) === undefined) {
      const other = unsigned.answer(packet, limit);
      if (Buffer.compare(response ?? Buffer.of(), other ?? Buffer.of()) !== 0)
        throw new Error(`The answer to ${formatName(query.name)} TYPE${query.type} of an unsigned zone has changed.`);
    } else if (isWalked(query)) {
      const faults = judge.faults(query, response, server.answer(packet, TCP_LIMIT), limit);
      if (faults.length > 0)
        throw new Error(
          `${formatName(query.name)} TYPE${query.type} ${JSON.stringify(query.edns)}:\n${faults.map((fault) => `  - ${fault}\n`).join('')}` +
            `${[...world.zones.values()].map(formatZone).join('\n')}`,
        );
    }
  });
  // Without DO, as ever.
  checkWorld(
    server.answer,
    world,
    queries.filter((query) => !query.edns?.do && (query.type !== 46 || judge.zoneOf(query) === undefined)),
  );
}

test(`${CASES} generated questions, seed ${SEED}`, () => {
  let judged = 0;
  const questions = fc.array(signedQuestion, { minLength: QUESTIONS, maxLength: QUESTIONS, size: 'max' });
  const property = fc.property(ourWorldDraft, questions, fc.nat(255), (draft, drafts, seed) => {
    const world = withoutNested(buildWorld(draft, ORIGIN));
    const queries = drafts.map((question) => buildQuestion(question, world)).filter((query) => query !== undefined);
    check(world, seed, queries);
    judged += queries.length;
  });
  const run = fc.check(property, { seed: SEED, numRuns: Math.ceil((CASES / QUESTIONS) * 1.1) });
  if (run.failed) throw new Error(`seed ${run.seed}, path ${run.counterexamplePath}: ${run.errorInstance}`);
  if (judged < CASES) throw new Error(`Only ${judged} of ${CASES} questions were asked.`);
});

/** Asks for every name of a zone, and names next to and below it, with every type of it. */
function everyName(add: readonly ResourceRecord[], sizes: readonly number[]): void {
  const apex = parseName('p.test.');
  const ns = nameOf(['ns'], apex);
  const soa = Uint8Array.from([...ns, ...ns, ...new Array(20).fill(1)]);
  const records: ResourceRecord[] = [
    { name: apex, type: TYPE.SOA, ttl: 300, rdata: soa },
    { name: apex, type: TYPE.NS, ttl: 300, rdata: ns },
    ...add,
  ];
  const around = ({ name }: ResourceRecord): Name[] =>
    [[], ['x'], ['y', 'x'], ['*'], ['z', 'y', '*']].map((labels) => nameOf(labels, name));
  const names = new Map(
    records.flatMap((entry) => [...around(entry), parentName(entry.name)]).map((name) => [nameId(name), name]),
  );
  const types = [...new Set([...records.map(({ type }) => type), TYPE.A, TYPE.DS, TYPE.ANY, ...DNSSEC_TYPES])];
  const queries = [...names.values()].flatMap((name) =>
    types.flatMap((type) =>
      sizes.map((size): Query => ({ name, type, class: 1, edns: { version: 0, size, do: true } })),
    ),
  );
  const world = { origin: ORIGIN, zones: new Map([[nameId(apex), records]]) };
  for (const seed of [0, 1, 2])
    check(
      world,
      seed,
      queries.filter(({ name }) => isWithin(name, apex)),
    );
}

const record = (labels: string, type: number, rdata: Uint8Array): ResourceRecord => ({
  name: parseName(labels, parseName('p.test.')),
  type,
  ttl: 60,
  rdata,
});
const target = (labels: string): Uint8Array => parseName(labels, parseName('p.test.'));
const address = (labels: string): ResourceRecord => record(labels, TYPE.A, Uint8Array.of(192, 0, 2, 1));

test('wildcards at several levels, asked several labels below', () => {
  const records = [
    address('*'),
    address('*.a'),
    address('b.*.a'),
    address('*.d.c.b.a'),
    record('*.w', TYPE.CNAME, target('host.deep.c.b.a')),
    record('to-w', TYPE.CNAME, target('s.r.q.w')),
    record('to-d', TYPE.CNAME, target('v.u.t.d.c.b.a')),
    record('*.e', TYPE.TXT, Uint8Array.of(1, 0x61)),
    record('to-e', TYPE.CNAME, target('g.f.e')),
    address('x.y.z.n'),
  ];
  everyName(records, [1232]);
  everyName(records.slice(1), [1232]);
});

test('delegations, with DS and without, and what leads to them', () => {
  everyName(
    [
      record('cut', TYPE.NS, target('ns.cut')),
      address('ns.cut'),
      record('safe.b.c', TYPE.NS, target('ns.safe.b.c')),
      record('safe.b.c', TYPE.NS, target('ns.cut')),
      record('safe.b.c', TYPE.DS, Uint8Array.from([0, 9, 13, 2, ...new Array(32).fill(7)])),
      address('ns.safe.b.c'),
      address('hidden.deep.cut'),
      record('to-cut', TYPE.CNAME, target('a.cut')),
      record('at-cut', TYPE.CNAME, target('cut')),
      record('to-safe', TYPE.CNAME, target('a.b.safe.b.c')),
      record('at-safe', TYPE.CNAME, target('safe.b.c')),
      record('*.wild', TYPE.CNAME, target('cut')),
      record('old', TYPE.DNAME, target('cut')),
      record('older', TYPE.DNAME, target('old')),
      record('out', TYPE.CNAME, parseName('www.example.')),
    ],
    [512, 1232],
  );
});

test('RRsets that fill a response to the last byte and beyond it', () => {
  const texts = (count: number, length: number): ResourceRecord[] =>
    Array.from({ length: count }, (_, i) =>
      record(`t${count}-${length}`, TYPE.TXT, Uint8Array.from([length, i, ...new Array(length - 1).fill(0x61)])),
    );
  everyName(
    [9, 10, 11, 12, 13, 14].flatMap((length) => texts(10, length)),
    sizesFrom(400, 700),
  );
});

test('negative answers and referrals that do and do not fit', () => {
  everyName(
    [
      address('a'),
      address('b.a'),
      record('*.w', TYPE.TXT, Uint8Array.of(1, 0x61)),
      record('cut', TYPE.NS, target('ns.cut')),
      address('ns.cut'),
      record('to-w', TYPE.CNAME, target('q.w')),
      record('to-no', TYPE.CNAME, target('no.no')),
      record('old', TYPE.DNAME, target('no')),
    ],
    sizesFrom(512, 1100),
  );
});

test('aliases of what is too large to be copied to each', () => {
  const text = (byte: number): Uint8Array => Uint8Array.from([255, ...new Array(255).fill(byte)]);
  const servers = Array.from({ length: 120 }, (_, i) => record('cut', TYPE.NS, target(`n${i}.cut`)));
  everyName(
    [
      ...Array.from({ length: 12 }, (_, i) => record('big', TYPE.TXT, text(i))),
      ...Array.from({ length: 12 }, (_, i) => record('*.large', TYPE.TXT, text(i))),
      ...servers,
      address('big'),
      record('one', TYPE.CNAME, target('big')),
      record('two', TYPE.CNAME, target('one')),
      record('*.wild', TYPE.CNAME, target('big')),
      record('over', TYPE.CNAME, target('x.y.wild')),
      record('to-large', TYPE.CNAME, target('x.y.large')),
      record('*.to-large', TYPE.CNAME, target('x.y.large')),
      record('down', TYPE.CNAME, target('cut')),
      record('below', TYPE.CNAME, target('a.cut')),
      record('round', TYPE.CNAME, target('round')),
      record('*.self', TYPE.CNAME, target('x.self')),
      record('to-self', TYPE.CNAME, target('y.self')),
    ],
    [1232],
  );
});

/** Sizes at which a response with some signatures and proofs may just fit. */
function sizesFrom(first: number, last: number): number[] {
  const step = depth({ quick: 61, moderate: 37, full: 1 });
  return Array.from({ length: Math.floor((last - first) / step) }, (_, i) => first + i * step);
}

test.run();
