/**
 * Generated zones, signed and then changed step by step: BIND's dnssec-verify and ldns-verify-zone
 * accept each transfer.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../core/base/secrets.ts';
import { Signers } from '../../../core/journal/apply/signers.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import { openEnvironment } from '../../../core/store/environment.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { dnssec } from '../../../core/store/rows.ts';
import { ZoneSnapshot } from '../../../core/transfer/snapshot.ts';
import { formatName, parseName } from '../../../core/wire/name.ts';
import { DEFAULTS } from '../../core/journal/fixture.ts';
import { worldDraft } from '../../reference/generate.ts';
import { describeChanges, putChanges, WorldRows } from '../../reference/rows.ts';
import { SignedRows } from '../../reference/signed-rows.ts';
import { withoutNested } from '../../reference/signed-world.ts';
import { WorldSteps } from '../../reference/steps.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { runProgram, whyNotPrograms } from '../peers/transcript.ts';
import { zoneText } from './rig.ts';

const ZONES = depth({ quick: 10, moderate: 60, full: 10_000 });
/** Commits to one world. */
const STEPS = 5;
const KEPT = { ...DEFAULTS, serial: 1, mname: 'ns.test.', rname: 'h.test.', ttl: DEFAULTS.soaTtl };

const missing = whyNotPrograms('ldns-verify-zone', 'dnssec-verify');

test(`${ZONES} zones, seed ${SEED}`, async () => {
  if (missing !== null) return;
  const folder = temporaryFolder('generated-zones');
  const file = join(folder, 'zone');
  const keyFile = join(folder, 'secret.key');
  const environment = openEnvironment(folder);
  const signers = new Signers(openSecrets(keyFile));
  const index = new IndexWriter(16 << 20);
  const journal = openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history: 100, signers });
  const random = new Random(SEED);
  const now = Math.floor(Date.now() / 1000);
  const drafts = fc.sample(worldDraft, { numRuns: Math.ceil(ZONES / STEPS), seed: SEED });
  let verified = 0;
  for (const [w, draft] of drafts.entries()) {
    const rows = new WorldRows(() => KEPT);
    const signing = new SignedRows(keyFile);
    const steps = new WorldSteps(draft, parseName(`w${w}.test.`), random);
    for (let step = 0; step < STEPS; step++) {
      const change = rows.changeTo(withoutNested(steps.next()));
      await write(environment, journal, 'test', (d) => {
        putChanges(d, change);
        for (const { id } of change.goneDomains) {
          d.delete(dnssec, signing.rows.get(id)!);
          signing.rows.delete(id);
        }
      });
      const unsigned = [...rows.domains.values()].filter(({ id }) => !signing.rows.has(id));
      await write(environment, journal, 'test', (d) => {
        for (const domain of unsigned) d.put(dnssec, signing.sign(domain, random.below(2), now));
      });
      for (const { id, apex } of rows.domains.values()) {
        const snapshot = ZoneSnapshot.open(environment, DEFAULTS, id)!;
        writeFileSync(file, zoneText([snapshot.soa, ...snapshot.records()]));
        snapshot.close();
        const bind = await runProgram('dnssec-verify', ['-z', '-o', formatName(apex), file]);
        const ldns = await runProgram('ldns-verify-zone', [file]);
        const label = `seed ${SEED}, world ${w}, step ${step}, zone ${formatName(apex)}`;
        assert.is(bind.code, 0, `${label}\n${bind.output}\n${describeChanges(change)}`);
        assert.is(ldns.code, 0, `${label}\n${ldns.output}\n${describeChanges(change)}`);
        verified++;
      }
    }
  }
  assert.ok(verified >= ZONES, `${verified} zones`);
  await journal.close();
  await environment.close();
  removeFolder(folder);
});

test.run();
