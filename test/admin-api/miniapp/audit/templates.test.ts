/** The templates of `pkg init`: the audit has no finding, and both forms are the same program. */
import { runInNewContext } from 'node:vm';
import { transformSync } from 'esbuild';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { auditContent } from '../../../../admin-api/miniapp/audit/audit.ts';
import type { PackageFile } from '../../../../admin-api/miniapp/audit/content.ts';
import { Findings } from '../../../../admin-api/miniapp/audit/findings.ts';
import { trustedSdks } from '../../../../admin-api/miniapp/sdk/trust.ts';
import {
  type Files,
  newProject,
  TEMPLATES,
  type TemplateName,
} from '../../../../admin-api/miniapp/templates/templates.ts';

const NAMES = Object.keys(TEMPLATES) as TemplateName[];
const LIMIT = 40_000;

const projectOf = (template: TemplateName, typescript = false): Files =>
  newProject({ id: 'com.example.app', name: 'A & <b>', template, typescript });

/** The package of a project. */
function packageOf(project: Files): Map<string, PackageFile> {
  const files = new Map<string, PackageFile>();
  for (const [path, content] of Object.entries(project)) {
    if (!path.startsWith('app/')) continue;
    const bytes = Buffer.from(content as Uint8Array);
    files.set(path.slice(4), { path: path.slice(4), size: bytes.length, read: async () => bytes });
  }
  return files;
}

for (const template of NAMES)
  test(`${template}: approved without a finding, in JavaScript and TypeScript`, async () => {
    for (const isTypeScript of [false, true]) {
      const files = packageOf(projectOf(template, isTypeScript));
      const findings = new Findings();
      const audit = await auditContent({ files, close: async () => {} }, findings, {
        sdks: trustedSdks({ sdks: [], withdrawnSdks: [] }),
      });
      assert.equal(audit.findings, []);
      assert.is(audit.verdict, 'approved');
      assert.equal(audit.manifest?.name, 'A & <b>');
      assert.ok([...files.values()].reduce((sum, { size }) => sum + size, 0) < LIMIT);
      assert.match(String(await files.get('index.html')?.read()), /<h1>A &#38; &#60;b&#62;<\/h1>/);
    }
  });

test('the JavaScript form is the TypeScript form without types', () => {
  const minified = (code: string, loader: 'ts' | 'js'): string =>
    transformSync(code, { loader, minifyWhitespace: true, minifySyntax: true, target: 'es2020' }).code;
  for (const template of NAMES) {
    const source = String(projectOf(template, true)['src/app.ts']);
    const script = String(projectOf(template)['app/app.js']);
    assert.is(minified(script, 'js'), minified(source, 'ts'), template);
    assert.not.match(script, /^interface | as HTML| {2}$/m);
  }
});

test('the background file of reminder marks due reminders, and no others', () => {
  const stored = new Map([
    ['reminders', JSON.stringify([3000, 1500, 1000].map((due) => ({ id: `due-${due}`, text: 'x', due })))],
  ]);
  const call = (operation: string, { key, value = '' }: { key: string; value?: string }): string | null => {
    if (operation === 'storage.set') stored.set(key, value);
    return stored.get(key) ?? null;
  };
  const scope: { Host: object; onBackgroundEvent?: (event: object) => void } = { Host: { call } };
  runInNewContext(String(projectOf('reminder')['app/background.js']), scope);
  const marked = (timestamp: number): string[] => {
    scope.onBackgroundEvent?.({ type: 'schedule', timestamp, appId: 'com.example.app' });
    return JSON.parse(stored.get('fired') ?? '[]').map(({ id }: { id: string }) => id);
  };
  assert.equal(marked(900), []);
  // The phone was off: the first event stands for two reminders, and the second finds none.
  assert.equal(marked(2000), ['due-1500', 'due-1000']);
  assert.equal(marked(2001), ['due-1500', 'due-1000']);
  assert.equal(marked(3000), ['due-3000', 'due-1500', 'due-1000']);
});

test.run();
