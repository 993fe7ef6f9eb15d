import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/error-pages, with the API');
const folder = mkdtempSync(join(tmpdir(), 'waypost-error-pages-'));
const file = join(folder, 'page.html');
test.before(async (context) => {
  Object.assign(context, await startLive());
  await context.json(['domain', 'add', 'shop.test']);
});
test.after(async (context) => {
  rmSync(folder, { recursive: true });
  await context.daemon.stop();
});

test('preview, set, get, rm', async ({ waypost, json }) => {
  writeFileSync(file, '<h1>{{status}} {{title}}</h1>{{host}}\n');
  const preview = await waypost(['error-pages', 'preview', file, '--status', '504']);
  assert.is(preview.stdout, '<h1>504 Gateway Timeout</h1>www.example.com\n');
  const set = await waypost(['error-pages', 'set', 'shop.test', '5xx', file]);
  assert.match(set.stdout, /^set the page for 5xx of shop\.test \(change \d+\)\n$/);
  await waypost(['error-pages', 'set', 'shop.test', 'maintenance', file]);
  const listed = await waypost(['error-pages', 'get', 'shop.test']);
  assert.match(listed.stdout, /^5xx +38\nmaintenance +38\n$/);
  const printed = await waypost(['error-pages', 'get', 'shop.test', '5xx']);
  const html = '<h1>{{status}} {{title}}</h1>{{host}}\n';
  assert.is(printed.stdout, html);
  assert.equal((await json(['error-pages', 'get', 'shop.test', '5xx'])) as unknown, [{ status: '5xx', html }]);
  const [{ html: previewed }] = await json(['error-pages', 'preview', file]);
  assert.is(previewed as unknown, '<h1>502 Bad Gateway</h1>www.example.com\n');
  await waypost(['error-pages', 'rm', 'shop.test', 'maintenance']);
  assert.match((await waypost(['error-pages', 'rm', 'shop.test', '404'])).stderr, /has no error page for 404/);
  assert.match((await waypost(['error-pages', 'get', 'shop.test'])).stdout, /^5xx +38\n$/);
});

test('a page that cannot be used is refused', async ({ waypost }) => {
  writeFileSync(file, '\n{{nothing}}');
  for (const args of [
    ['preview', file],
    ['set', 'shop.test', '404', file],
  ]) {
    const { code, stderr } = await waypost(['error-pages', ...args]);
    assert.is(code, 1);
    assert.match(stderr, /page for \d+ cannot be used: line 2 has the unknown placeholder \{\{nothing\}\}/);
  }
  assert.match((await waypost(['error-pages', 'set', 'shop.test', '200', file])).stderr, /status/);
});

test.run();
