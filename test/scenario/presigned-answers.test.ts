/**
 * Zones with the signatures of their primary against the reference (test/reference/presigned.ts),
 * over generated zones and questions: NSEC and NSEC3, with salt, iterations and opt-out.
 */
import { test } from 'uvu';
import { formatName, parseName } from '../../core/dns/wire/name.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import { difference, TCP_LIMIT } from '../reference/compare.ts';
import { buildQuestion, buildWorld, questionDraft, worldDraft } from '../reference/generate.ts';
import { PresignedReference, presign, type SigningChoice } from '../reference/presigned.ts';
import type { Query } from '../reference/resolver.ts';
import { withoutNested } from '../reference/signed-world.ts';
import { depth } from '../support/depth.ts';
import fc from '../support/fc.ts';
import { InProcess } from '../support/in-process.ts';
import { decodeMessage, encodeQuery } from '../support/message.ts';
import { formatZone } from '../support/names.ts';
import { SEED } from '../support/seed.ts';

const CASES = depth({ quick: 800, moderate: 1600, full: 200_000 });
const QUESTIONS = 40;
const ORIGIN = parseName('test.');

const server = new InProcess();

const choices: fc.Arbitrary<SigningChoice> = fc.record({
  denial: fc.constantFrom('nsec' as const, 'nsec3' as const),
  iterations: fc.constantFrom(0, 0, 1, 10),
  salt: fc.uint8Array({ maxLength: 8 }),
  isOptOut: fc.boolean(),
  keys: fc.constantFrom(1, 1, 2),
});

const question = fc.tuple(questionDraft, fc.nat(9)).map(([draft, choice]) => ({
  ...draft,
  class: 1,
  edns: choice < 8 ? { version: 0, size: 4096, do: true } : undefined,
}));

/** Those of NSEC and RRSIG are compared with other servers: test/system/peers/presigned.test.ts. */
const isJudged = ({ type }: Query): boolean =>
  type !== TYPE.RRSIG && type !== TYPE.NSEC && type !== TYPE.OPT && (type < 128 || type > 254) && type !== 0;

test(`${CASES} generated questions, seed ${SEED}`, () => {
  let judged = 0;
  const questions = fc.array(question, { minLength: QUESTIONS, maxLength: QUESTIONS, size: 'max' });
  const property = fc.property(worldDraft, questions, choices, (draft, drafts, choice) => {
    const world = withoutNested(buildWorld(draft, ORIGIN));
    const plain = [...world.zones.values()][0];
    if (plain === undefined) return;
    const records = presign(plain, choice);
    server.loadSigned(records);
    const reference = new PresignedReference(records, choice);
    const single = { ...world, zones: new Map([['', plain]]) };
    for (const wish of drafts) {
      const query = buildQuestion(wish, single);
      if (query === undefined || !isJudged(query)) continue;
      judged++;
      const response = server.answer(encodeQuery(query, 1), TCP_LIMIT);
      const expected = reference.answer(query);
      const message = decodeMessage(response!);
      const faults = [
        ...(message.rcode === expected.rcode ? [] : [`RCODE is ${message.rcode}, expected ${expected.rcode}`]),
        ...(message.header.aa === expected.aa ? [] : [`AA is ${message.header.aa}`]),
        ...difference('answer', message.answer, expected.answer),
        ...difference('authority', message.authority, expected.authority),
        ...difference('additional', message.additional, expected.additional),
      ];
      if (faults.length > 0)
        throw new Error(
          `${formatName(query.name)} TYPE${query.type} ${JSON.stringify(query.edns)} ${JSON.stringify(choice)}:\n` +
            `${faults.map((fault) => `  - ${fault}\n`).join('')}${formatZone(records)}`,
        );
    }
  });
  const run = fc.check(property, { seed: SEED, numRuns: Math.ceil((CASES / QUESTIONS) * 1.2) });
  if (run.failed) throw new Error(`seed ${run.seed}, path ${run.counterexamplePath}: ${run.errorInstance}`);
  if (judged < CASES / 2) throw new Error(`Only ${judged} of ${CASES} questions were asked.`);
});

test.run();
