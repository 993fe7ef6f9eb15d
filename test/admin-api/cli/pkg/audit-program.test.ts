/**
 * The audit in the form of the build: V8 accepts the stored code, and works without unusable code.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openAuditProgram, programPaths } from '../../../../admin-api/cli/pkg/audit-program.ts';
import { auditPackage } from '../../../../admin-api/miniapp/audit/audit.ts';
import { smallApp } from '../../miniapp/audit/corpus/small-app.ts';

const { script, code } = programPaths(new URL('../../../../', import.meta.url));
if (existsSync(code)) testCode(readFileSync(code));
else {
  console.log('skipped: another version of Node has made this build');
  test.skip('code of this build', () => {});
}

function testCode(made: Buffer): void {
  test('V8 accepts the code of this build', () => {
    assert.is(openAuditProgram(script, made).isRejected, false);
  });

  for (const [what, bytes] of [
    ['as it was made', made],
    ['of another version of V8', Buffer.from(made).fill(0, 4, 8)],
    ['cut off', made.subarray(0, 1000)],
    ['that is empty', Buffer.alloc(0)],
  ] as const)
    test(`with code ${what} it has the same findings as the modules`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'waypost-audit-'));
      try {
        const app = join(folder, 'app');
        mkdirSync(app);
        for (const [path, content] of Object.entries(smallApp({ 'app.js': 'eval(name); let x = ;' })))
          if (!path.includes('/')) writeFileSync(join(app, path), content);
        // From another path, because V8 needs no code for a script that it has compiled in this
        // process.
        const copy = join(folder, 'audit.js');
        copyFileSync(script, copy);
        const { audit, isRejected } = openAuditProgram(copy, Buffer.from(bytes));
        assert.is(isRejected, bytes !== made);
        const found = await audit.auditPackage(app);
        assert.equal(found, await auditPackage(app));
        assert.ok(found.findings.some((finding) => finding.code === 'script_syntax'));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
}

test.run();
