/**
 * Damaged sources in the whole audit: no crash, no hang; what does not parse is rejected, with an
 * error of its file; and what is approved is sound.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { depth } from '../../../../support/depth.ts';
import { Random } from '../../../../support/random.ts';
import { SEED } from '../../../../support/seed.ts';
import { audited } from '../corpus/audited.ts';
import { backgroundApp } from '../corpus/small-app.ts';
import { mutateText } from './mutate-text.ts';
import { assertSound, bounded, manifestOf, parsesAsScript } from './sound-package.ts';

const PACKAGES = depth({ quick: 100, moderate: 400, full: 25_000 });

const HANDLER = `var names = ['a', 'b'];
function onBackgroundEvent(event) {
  for (let i = 0; i < names.length; i++) {
    Host.call('storage.set', { key: names[i], value: /x{1,2}/.test(event.appId) ? event.timestamp : \`\${i}\` });
  }
}
`;
const STYLE = `@media (min-width: 10em) { p > a[href='b'], :is(p) { color: red; margin: calc(1px + 2%) } }
p::before { content: "a\\"b"; background: url(icon.png) }
`;
const PLAIN = backgroundApp(HANDLER);
const PAGE = String(PLAIN['index.html']).replace(
  '</head>',
  '  <link rel="stylesheet" href="a.css">\n    <script>var shown = [1, 2].map((n) => n < 2);</script>\n  </head>',
);
const GOOD = { ...PLAIN, 'index.html': PAGE, 'a.css': STYLE };
/** Sources that are damaged together. */
const SCRIPTS = ['app.js', 'background/background.js'];
const PAIRS = [SCRIPTS, ['manifest.json', 'index.html'], ['a.css', 'app.js'], ['a.css', 'index.html']];

const test = suite(`damaged sources, seed ${SEED}`);

test('the unchanged package is approved', async () => {
  const { verdict, findings } = await audited(GOOD);
  assert.equal([verdict, findings], ['approved', []]);
});

test(`${PACKAGES} packages with two damaged sources`, async () => {
  const random = new Random(SEED);
  let approved = 0;
  for (let n = 0; n < PACKAGES; n++) {
    const pair = random.pick(PAIRS);
    const damaged = Object.fromEntries(pair.map((path) => [path, mutateText(String(GOOD[path as 'a.css']), random)]));
    const description = `seed ${SEED}, case ${n}: ${JSON.stringify(damaged)}`;
    // As it is read: what cannot be written in UTF-8 is something else by then.
    const files = new Map(
      Object.entries({ ...GOOD, ...damaged }).map(([path, content]) => [path, Buffer.from(content as string)]),
    );
    const audit = await bounded(description, () => audited(Object.fromEntries(files)));
    for (const path of pair) {
      const isManifest = path === 'manifest.json';
      const bytes = files.get(path)!;
      if (isManifest ? manifestOf(bytes) !== undefined : !SCRIPTS.includes(path) || parsesAsScript(bytes)) continue;
      assert.is(audit.verdict, 'rejected', description);
      assert.ok(
        audit.findings.some(({ file, type }) => file === path && type === 'error'),
        `${path} has no error, ${description}`,
      );
    }
    if (audit.verdict !== 'approved') continue;
    approved++;
    assertSound(files, audit, description);
  }
  // Otherwise nothing of the above was tried.
  assert.ok(approved > PACKAGES / 100, `${approved} approved`);
});

test.run();
