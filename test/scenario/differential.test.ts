/**
 * The compiler and the query path against the reference resolver, over generated worlds and
 * questions. WAYPOST_SEED repeats a run. A failure is shrunk to a small world and printed as zones
 * and one question.
 */

import { test } from 'uvu';
import { nameId, parseName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { checkWorld } from '../reference/compare.ts';
import { buildQuestion, buildWorld, ourWorldDraft, questionDraft } from '../reference/generate.ts';
import type { Query } from '../reference/resolver.ts';
import { depth } from '../support/depth.ts';
import fc from '../support/fc.ts';
import { InProcess } from '../support/in-process.ts';
import { nameOf } from '../support/names.ts';
import { SEED } from '../support/seed.ts';

const CASES = depth({ quick: 5000, moderate: 15_000, full: 100_000 });
const QUESTIONS = 50;
const ORIGIN = parseName('test.');

const server = new InProcess();

test(`${CASES} generated questions, seed ${SEED}`, () => {
  let askedAt = 0;
  const questions = fc.array(questionDraft, { minLength: QUESTIONS, maxLength: QUESTIONS, size: 'max' });
  const property = fc.property(ourWorldDraft, questions, (draft, drafts) => {
    const world = buildWorld(draft, ORIGIN);
    const queries = drafts.map((question) => buildQuestion(question, world)).filter((query) => query !== undefined);
    server.load(world.zones, world.proxies, world.aliases);
    checkWorld(server.answer, world, queries);
    askedAt += queries.length;
  });
  // Some drafts make names that are too long and are not asked, so a few worlds more than the
  // quotient.
  const run = fc.check(property, { seed: SEED, numRuns: Math.ceil((CASES / QUESTIONS) * 1.1) });
  if (run.failed) throw new Error(`seed ${run.seed}, path ${run.counterexamplePath}: ${run.errorInstance}`);
  if (askedAt < CASES) throw new Error(`Only ${askedAt} of ${CASES} questions were asked.`);
});

/** A zone with an apex and what the test adds, asked for every name of it with every type of it. */
function everyName(add: readonly ResourceRecord[]): void {
  const apex = parseName('p.test.');
  const ns = nameOf(['ns'], apex);
  const soa = Uint8Array.from([...ns, ...ns, ...new Array(20).fill(1)]);
  const records: ResourceRecord[] = [
    { name: apex, type: TYPE.SOA, ttl: 300, rdata: soa },
    { name: apex, type: TYPE.NS, ttl: 300, rdata: ns },
    ...add,
  ];
  const world = { origin: ORIGIN, zones: new Map([[nameId(apex), records]]) };
  const names = new Map(records.flatMap(({ name }) => [name, nameOf(['x'], name)]).map((name) => [nameId(name), name]));
  const types = [...new Set([...records.map(({ type }) => type), TYPE.A, TYPE.ANY])];
  const queries: Query[] = [...names.values()].flatMap((name) =>
    types.flatMap((type) =>
      [undefined, 512, 1232].map((size) => ({
        name,
        type,
        class: CLASS_IN,
        edns: size === undefined ? undefined : { version: 0, size, do: false },
      })),
    ),
  );
  server.load(world.zones);
  checkWorld(server.answer, world, queries);
}

const at = (labels: string, type: number, rdata: Uint8Array): ResourceRecord => ({
  name: parseName(labels),
  type,
  ttl: 60,
  rdata,
});

test('a chain longer than is followed', () => {
  everyName(Array.from({ length: 20 }, (_, i) => at(`c${i}.p.test.`, TYPE.CNAME, parseName(`c${i + 1}.p.test.`))));
});

test('a chain of DNAMEs longer than is followed', () => {
  everyName(Array.from({ length: 20 }, (_, i) => at(`c${i}.p.test.`, TYPE.DNAME, parseName(`c${i + 1}.p.test.`))));
});

test('RRsets that fill a response to the last byte and beyond it', () => {
  const texts = (count: number, length: number): ResourceRecord[] =>
    Array.from({ length: count }, (_, i) =>
      at(`t${count}-${length}.p.test.`, TYPE.TXT, Uint8Array.from([length, i, ...new Array(length - 1).fill(0x61)])),
    );
  everyName([10, 11, 12, 13, 14, 15, 16].flatMap((length) => texts(15, length)));
  everyName([38, 39, 40, 41, 42, 43].flatMap((length) => texts(20, length)));
});

test('additional addresses that do and do not fit', () => {
  const mx = (i: number): Uint8Array => Uint8Array.from([0, i, ...parseName(`mail${i}.p.test.`)]);
  const address = (i: number, j: number): ResourceRecord => at(`mail${i}.p.test.`, TYPE.A, Uint8Array.of(10, 0, i, j));
  everyName(
    Array.from({ length: 12 }, (_, i) => [
      at('m.p.test.', TYPE.MX, mx(i)),
      at('*.w.p.test.', TYPE.MX, mx(i)),
      ...Array.from({ length: 1 + i }, (_item, j) => address(i, j)),
    ]).flat(),
  );
});

test('referrals whose glue does and does not fit', () => {
  const cut = (servers: number): ResourceRecord[] =>
    Array.from({ length: servers }, (_, i) => [
      at(`d${servers}.p.test.`, TYPE.NS, parseName(`ns${i}.d${servers}.p.test.`)),
      at(`ns${i}.d${servers}.p.test.`, TYPE.AAAA, Uint8Array.from(new Array(16).fill(i))),
      at(`to${servers}.p.test.`, TYPE.CNAME, parseName(`x.d${servers}.p.test.`)),
    ])
      .flat()
      .filter(
        (record, i, all) =>
          all.findIndex((o) => o.name.join() === record.name.join() && o.rdata.join() === record.rdata.join()) === i,
      );
  everyName([...cut(3), ...cut(8), ...cut(9), ...cut(13), ...cut(22), ...cut(24)]);
});

test('referrals in queries for the name of their nameserver, which is long', () => {
  const label = 'l'.repeat(60);
  everyName(
    Array.from({ length: 12 }, (_, i) => {
      const [cut, middle] = [`c${i}.p.test.`, `${label}.${label}.c${i}.p.test.`];
      const addresses = (name: string, count: number): ResourceRecord[] =>
        Array.from({ length: count }, (_item, j) => at(name, TYPE.AAAA, Uint8Array.from(new Array(16).fill(j))));
      return [
        ...[`${label}.${middle}`, `n.${middle}`].map((name) => at(cut, TYPE.NS, parseName(name))),
        ...addresses(`${label}.${middle}`, i),
        ...addresses(`n.${middle}`, 1),
      ];
    }).flat(),
  );
});

test('aliases of what is too large to be copied to each', () => {
  const text = (byte: number) => Uint8Array.from([255, ...new Array(255).fill(byte)]);
  const large = Array.from({ length: 12 }, (_, i) => at('big.p.test.', TYPE.TXT, text(i)));
  const mail = Array.from({ length: 90 }, (_, i) => [
    at('big.p.test.', TYPE.MX, Uint8Array.from([0, i, ...parseName(`m${i}.p.test.`)])),
    at(`m${i}.p.test.`, TYPE.A, Uint8Array.of(192, 0, 2, i)),
  ]).flat();
  const servers = Array.from({ length: 120 }, (_, i) => at('cut.p.test.', TYPE.NS, parseName(`n${i}.cut.p.test.`)));
  const alias = (owner: string, target: string) => at(`${owner}.p.test.`, TYPE.CNAME, parseName(`${target}.p.test.`));
  everyName([
    ...large,
    ...mail,
    ...servers,
    at('big.p.test.', TYPE.A, Uint8Array.of(192, 0, 2, 1)),
    at('cut.p.test.', TYPE.DS, new Uint8Array(30)),
    alias('one', 'big'),
    alias('two', 'one'),
    alias('*.wild', 'big'),
    alias('over', 'x.wild'),
    alias('down', 'cut'),
    alias('below', 'a.cut'),
    alias('round', 'round'),
  ]);
});

test.run();
