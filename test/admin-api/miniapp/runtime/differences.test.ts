/** Differences from Rhino, in QuickJS; test/system/admin-api/miniapp/runtime has Rhino's side. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { QuickJsEngine } from '../../../../admin-api/miniapp/runtime/index.ts';
import { DIFFERENCES } from './differences.ts';
import { endOf, eventOf, noHost, programOf, topLevel } from './events.ts';

const PAGE = fileURLToPath(new URL('../../../../../docs/internals/rhino.md', import.meta.url));

test('each difference is in the documentation', () => {
  const page = readFileSync(PAGE, 'utf8');
  for (const { what } of DIFFERENCES) assert.ok(page.includes(`\n| ${what} |`), `${what} is not in rhino.md`);
});

test('each difference exists', async () => {
  const engine = new QuickJsEngine();
  for (const { what, body, quickjs, rhino } of DIFFERENCES) {
    assert.equal(endOf(await engine.run(programOf(topLevel(body)), eventOf(), noHost)), quickjs, what);
    assert.not.equal(quickjs, rhino, what);
  }
  await engine.close();
});

test.run();
