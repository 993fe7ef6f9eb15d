/**
 * The table of what Rhino lacks, held to the engine: what is refused fails there, what is let
 * through parses.
 */
import { runInNewContext } from 'node:vm';
import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';
import { RHINO_SYNTAX_RULES } from '../../../../../../admin-api/miniapp/audit/background/rhino-rules.ts';
import { auditedBackground, codesOf } from '../../../../../admin-api/miniapp/audit/background/audited.ts';
import { program } from '../../../../../admin-api/miniapp/audit/background/es-program.ts';
import {
  SEMANTICS_ROWS,
  SINCE_1_7_15,
  SYNTAX_ROWS,
} from '../../../../../admin-api/miniapp/audit/background/rhino-table.ts';
import { depth } from '../../../../../support/depth.ts';
import fc from '../../../../../support/fc.ts';
import { startRhino, whyNoRhino } from './rhino-engine.ts';

const PROGRAMS = depth({ quick: 300, moderate: 400, full: 5000 });

const ROWS = { ...SYNTAX_ROWS, ...SEMANTICS_ROWS };

const refusals = (source: string): readonly string[] =>
  codesOf(auditedBackground(source)).filter((code) => code in RHINO_SYNTAX_RULES || code === 'background_syntax_error');

for (const [code, { refused, allowed }] of Object.entries(ROWS)) {
  test(`${code} is found in its cases only`, () => {
    for (const source of refused)
      assert.ok(codesOf(auditedBackground(source)).includes(code), `${source} is let through`);
    for (const source of allowed) {
      assert.not.ok(codesOf(auditedBackground(source)).includes(code), `${source} has ${code}`);
      assert.equal(refusals(source), [], source);
    }
  });
}

test('syntax of 1.7.15 is accepted', () => {
  for (const source of SINCE_1_7_15) assert.equal(refusals(source), [], source);
});

test('all faults are reported, each with its position', () => {
  const source = 'var a = b?.c;\nclass D {}\nf(...a);\n';
  const places = auditedBackground(source)
    .filter(({ code }) => code in RHINO_SYNTAX_RULES)
    .map(({ code, line, column }) => `${code} ${line}:${column}`);
  assert.equal(places, ['rhino_optional_chaining 1:12', 'rhino_class 2:1', 'rhino_spread 3:3']);
});

test.run();

const why = whyNoRhino();
if (why !== null) console.log(`skipped, since ${why}: the comparison with Rhino itself`);
else {
  const real = suite('Rhino itself');
  const rhino = startRhino();

  for (const [code, { refused, allowed }] of Object.entries(SYNTAX_ROWS)) {
    real(`${code}: what is refused fails there, the rest parses`, async () => {
      for (const source of refused) assert.is.not(await rhino.parse(source), null, `${source} parses`);
      for (const source of allowed) assert.is(await rhino.parse(source), null, source);
    });
  }

  real('1.7.14 does not know yet what came with 1.7.15', async () => {
    for (const source of SINCE_1_7_15) assert.is.not(await rhino.parse(source), null, source);
  });

  for (const [code, row] of Object.entries(SEMANTICS_ROWS)) {
    real(`${code}: it runs, and gives something else`, async () => {
      for (const source of [...row.refused, ...row.allowed]) assert.is(await rhino.parse(source), null, source);
      assert.equal(runInNewContext(row.script), row.elsewhere);
      assert.equal(await rhino.run(row.script), row.rhino);
    });
  }

  real('whatever program the audit lets through parses there', async () => {
    let through = 0;
    await fc.assert(
      fc.asyncProperty(program, async (source) => {
        if (refusals(source).length > 0) return;
        through++;
        assert.is(await rhino.parse(source), null, source);
      }),
      { numRuns: PROGRAMS },
    );
    // A tenth is; of 300, that 3 or fewer are has a probability of 1e-10.
    assert.ok(through > PROGRAMS / 100, `only ${through} of ${PROGRAMS} were let through`);
  });

  real.after(() => rhino.stop());
  real.run();
}
