/**
 * Damaged scripts in the whole audit: no crash, no hang, and what does not parse is an error of its file. WAYPOST_TEST_MUTATIONS: of so many a quarter are
 * scripts, two in a package.
 */
import { parse } from 'acorn';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { audited } from '../corpus/audited.ts';
import { backgroundApp } from '../corpus/small-app.ts';
import { failAs, mutateText } from './mutate-text.ts';

const PACKAGES = Math.max(250, Number(process.env.WAYPOST_TEST_MUTATIONS ?? 2000) / 8);

const HANDLER = `var names = ['a', 'b'];
function onBackgroundEvent(event) {
  for (let i = 0; i < names.length; i++) {
    Host.call('storage.set', { key: names[i], value: /x{1,2}/.test(event.appId) ? event.timestamp : \`\${i}\` });
  }
}
`;
const GOOD = backgroundApp(HANDLER);
const SCRIPTS = ['app.js', 'background/background.js'];

const parses = (text: string): boolean => {
  try {
    parse(text, { ecmaVersion: 'latest', sourceType: 'script' });
    return true;
  } catch {
    return false;
  }
};

test(`${PACKAGES} packages with two damaged scripts`, async () => {
  assert.is((await audited(GOOD)).verdict, 'approved');
  const random = new Random(SEED);
  for (let n = 0; n < PACKAGES; n++) {
    const damaged = Object.fromEntries(SCRIPTS.map((path) => [path, mutateText(String(GOOD[path]), random)]));
    const told = `seed ${SEED}, case ${n}: ${JSON.stringify(damaged)}`;
    const { verdict, findings } = await audited({ ...GOOD, ...damaged }).catch(failAs(told));
    for (const path of SCRIPTS) {
      // As it is read: what can't be written in UTF-8 is something else by then.
      if (parses(Buffer.from(damaged[path]).toString())) continue;
      assert.is(verdict, 'rejected', told);
      assert.ok(
        findings.some(({ file, type }) => file === path && type === 'error'),
        `${path} has no error, ${told}`,
      );
    }
  }
});

test.run();
