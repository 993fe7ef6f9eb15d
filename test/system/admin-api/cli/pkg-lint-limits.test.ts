/** Packages that are made to break their audit: the command ends with a finding, as the server does. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lint } from '../../../../admin-api/cli/pkg-lint.ts';
import { newApp } from '../../../../admin-api/cli/pkg-template.ts';
import { DEFAULT_AUDIT_MEMORY, DEFAULT_AUDIT_TIMEOUT } from '../../../../admin-api/packages/audit-limits.ts';
import { loadConfig } from '../../../../core/config/index.ts';
import { startChild } from '../../../support/child.ts';
import { MAIN } from '../../../support/daemon.ts';

const MB = 1024 * 1024;

async function withApp(script: string, use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-lint-'));
  try {
    const app = { ...newApp({ id: 'com.example.sample', name: 'Sample', sdk: undefined }), 'app.js': script };
    for (const [path, content] of Object.entries(app)) writeFileSync(join(folder, path), content);
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const [name, script] of [
  ['functions in functions', '(function(){'.repeat(250) + '})()'.repeat(250)],
  ['more functions in functions', '(function(){'.repeat(5000) + '})()'.repeat(5000)],
  ['templates in templates', `${'`${'.repeat(20_000)}1${'}`'.repeat(20_000)}`],
] as const)
  test(`${name}: the command reports, and does not break down`, () =>
    withApp(script, async (folder) => {
      const command = startChild(process.execPath, [MAIN, 'pkg', 'lint', folder, '--json']);
      assert.is(await command.ended(60_000), 0, command.output());
      const summary = command
        .output()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .at(-1);
      assert.is(summary.verdict, 'in_review', 'never approved');
    }));

test('what is nested too deeply is a finding', () =>
  withApp(`${'`${'.repeat(20_000)}1${'}`'.repeat(20_000)}`, async (folder) => {
    const { findings } = await lint(folder);
    assert.ok(findings.some(({ code }) => code === 'script_too_intricate'));
  }));

test('an audit that takes too long, or too much memory, is one for a person', () =>
  withApp(`x=${'['.repeat(900)}${']'.repeat(900)};${'y=[1,2,3,4,5,6,7,8];'.repeat(200_000)}`, async (folder) => {
    const late = await lint(folder, [], 1);
    assert.equal([late.verdict, late.findings.map(({ code }) => code)], ['in_review', ['audit_timed_out']]);
    const large = await lint(folder, [], DEFAULT_AUDIT_TIMEOUT, 32 * MB);
    assert.equal([large.verdict, large.findings.map(({ code }) => code)], ['in_review', ['audit_crashed']]);
  }));

test('a path that is none is an error of the system', async () => {
  await lint(join(tmpdir(), 'waypost-there-is-none')).then(
    () => assert.unreachable(),
    (error) => assert.is(error.code, 'ENOENT'),
  );
});

test('the limits are those that the server has by default', () => {
  const { auditTimeout, auditMemory } = loadConfig({ env: {} }).packages;
  assert.equal([auditTimeout, auditMemory], [DEFAULT_AUDIT_TIMEOUT, DEFAULT_AUDIT_MEMORY]);
});

test.run();
