/** Packages that break their audit: the command reports a finding, as the server does. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lint } from '../../../../../admin-api/cli/pkg/lint.ts';
import { DEFAULT_AUDIT_MEMORY, DEFAULT_AUDIT_TIMEOUT } from '../../../../../admin-api/miniapp/packages/audit-limits.ts';
import { newApp } from '../../../../../admin-api/miniapp/templates/templates.ts';
import { loadConfig } from '../../../../../core/config/index.ts';
import { startChild } from '../../../../support/child.ts';
import { MAIN } from '../../../../support/daemon.ts';

const MB = 1024 * 1024;

async function withFiles(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-lint-'));
  try {
    const app = { ...newApp({ id: 'com.example.sample', name: 'Sample' }), ...files };
    for (const [path, content] of Object.entries(app)) writeFileSync(join(folder, path), content);
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const withApp = (script: string, use: (folder: string) => Promise<void>): Promise<void> =>
  withFiles({ 'app.js': script }, use);

const nested = (open: string, close: string, levels: number, inner = ''): string =>
  open.repeat(levels) + inner + close.repeat(levels);
/** Deeper than any stack allows. */
const MANY = 20_000;
const PAGE = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>a</title></head><body>';

/** By the nested construct: files of the package, and the code of the finding if it is too deep. */
const NESTED: Readonly<Record<string, readonly [Readonly<Record<string, string>>, string?]>> = {
  'functions in functions': [{ 'app.js': nested('(function(){', '})()', 250) }],
  'more functions in functions': [{ 'app.js': nested('(function(){', '})()', 5000) }],
  'templates in templates': [{ 'app.js': nested('`${', '}`', MANY, '1') }, 'script_too_intricate'],
  parentheses: [{ 'app.js': nested('(', ')', MANY, '1') }, 'script_too_intricate'],
  arrays: [{ 'app.js': `x=${nested('[', ']', MANY)}` }, 'script_too_intricate'],
  objects: [{ 'app.js': `x=${nested('{a:', '}', MANY, '1')}` }, 'script_too_intricate'],
  blocks: [{ 'app.js': nested('{', '}', MANY) }, 'script_too_intricate'],
  calls: [{ 'app.js': `f${'(f'.repeat(MANY)}${')'.repeat(MANY)}` }, 'script_too_intricate'],
  'arrow functions': [{ 'app.js': `${'a=>'.repeat(MANY)}1` }, 'script_too_intricate'],
  patterns: [{ 'app.js': `var ${nested('[', ']', MANY)}=x` }, 'script_too_intricate'],
  'unary operators': [{ 'app.js': `x=${'!'.repeat(MANY)}1` }, 'script_too_intricate'],
  'conditions and powers': [{ 'app.js': `x=${'a?b:'.repeat(MANY)}c;y=${'1**'.repeat(MANY)}1` }, 'script_too_intricate'],
  'rules in style sheets': [{ 'app.css': nested('a{', '}', MANY) }],
  'parentheses in style sheets': [{ 'app.css': `a{width:${nested('calc(', ')', MANY, '1px')}}` }],
  'media in style sheets': [{ 'app.css': nested('@media all{', '}', MANY) }],
  elements: [{ 'page.html': PAGE + nested('<div>', '</div>', MANY) }],
  'formatting elements': [{ 'page.html': PAGE + '<b><p>'.repeat(2000) }],
  'elements of XML': [
    {
      'page.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>a</title></head><body>${nested('<div>', '</div>', MANY)}</body></html>`,
    },
  ],
  'arrays in the manifest': [{ 'manifest.json': nested('[', ']', MANY) }],
  'objects in the manifest': [{ 'manifest.json': nested('{"a":', '}', MANY, '1') }],
};

/** In milliseconds; the limit of the audit itself is lower. */
const LINT_TIMEOUT = 120_000;

for (const [name, [files, code]] of Object.entries(NESTED))
  test(`${name}: the command has a verdict and does not crash`, () =>
    withFiles(files, async (folder) => {
      const command = startChild(process.execPath, [MAIN, 'pkg', 'lint', folder, '--json']);
      const status = await command.ended(LINT_TIMEOUT);
      const lines = command.output().trim().split('\n');
      const found = lines.map((line) => JSON.parse(line));
      const summary = found.at(-1);
      assert.is(status, summary.summary.errors === 0 ? 0 : 1, command.output());
      const { errors, review } = summary.summary;
      assert.is(summary.verdict === 'approved', errors + review === 0);
      if (code !== undefined)
        assert.ok(
          found.some((item) => item.code === code),
          command.output(),
        );
    }));

test('an audit above the limit on time or memory needs a review', () =>
  withApp(`x=${'['.repeat(900)}${']'.repeat(900)};${'y=[1,2,3,4,5,6,7,8];'.repeat(200_000)}`, async (folder) => {
    const late = await lint(folder, [], 1);
    assert.equal([late.verdict, late.findings.map(({ code }) => code)], ['in_review', ['audit_timed_out']]);
    const large = await lint(folder, [], DEFAULT_AUDIT_TIMEOUT, 32 * MB);
    assert.equal([large.verdict, large.findings.map(({ code }) => code)], ['in_review', ['audit_crashed']]);
  }));

test('a missing path is a system error', async () => {
  await lint(join(tmpdir(), 'waypost-there-is-none')).then(
    () => assert.unreachable(),
    (error) => assert.is(error.code, 'ENOENT'),
  );
});

test('the limits are the defaults of the server', () => {
  const { auditTimeout, auditMemory } = loadConfig({ env: {} }).packages;
  assert.equal([auditTimeout, auditMemory], [DEFAULT_AUDIT_TIMEOUT, DEFAULT_AUDIT_MEMORY]);
});

test.run();
