/** Damaged sources and archives: no crash, no hang, and nothing is approved that does not parse. WAYPOST_TEST_MUTATIONS: how many. */
import { parse } from 'acorn';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../support/random.ts';
import { rawZip } from '../../../support/raw-zip.ts';
import { SEED } from '../../../support/seed.ts';
import { audited } from '../corpus/audited.ts';
import { backgroundApp } from '../corpus/small-app.ts';

/** A part of them: an audit of a whole package takes milliseconds, and half of them are archives that the reader looks at alone. */
const SOURCES = Math.max(500, Number(process.env.WAYPOST_TEST_MUTATIONS ?? 2000) / 25);
const ARCHIVES = SOURCES / 10;

const HANDLER = `var names = ['a', 'b'];
function onBackgroundEvent(event) {
  for (let i = 0; i < names.length; i++) {
    Host.call('storage.set', { key: names[i], value: /x{1,2}/.test(event.appId) ? event.timestamp : \`\${i}\` });
  }
}
`;
const GOOD = backgroundApp(HANDLER);
const TEXTS = ['manifest.json', 'index.html', 'app.js', 'background/background.js'];
const PIECES = [
  '(',
  ')',
  '{',
  '}',
  '[',
  ']',
  '`',
  '${',
  '"',
  "'",
  '/*',
  '*/',
  '//',
  '<!--',
  '-->',
  '<script>',
  '</script>',
  '=>',
  '...',
  '?.',
  ';',
  ',',
  ':',
  '\\',
  '\u2028',
  '\u202e',
  '\0',
  'const ',
  'yield ',
  'await ',
  'class ',
  'Host',
  '.call',
  'java',
  'this',
  'eval',
  '/(?<',
  '\ud800',
  '\n',
  ' ',
  '0x',
  '1n',
  '@',
  '#',
];

function mutateText(text: string, random: Random): string {
  let out = text;
  for (let n = 1 + random.below(3); n > 0; n--) {
    const at = random.below(out.length + 1);
    const kind = random.below(5);
    if (kind === 0) out = out.slice(0, at) + random.pick(PIECES) + out.slice(at);
    else if (kind === 1) out = out.slice(0, at) + out.slice(at + 1 + random.below(8));
    else if (kind === 2) out = out.slice(0, at);
    else if (kind === 3) out = out.slice(0, at) + String.fromCharCode(random.below(0x3000)) + out.slice(at + 1);
    else {
      const from = random.below(out.length + 1);
      out = out.slice(0, at) + out.slice(from, from + random.below(60)) + out.slice(at);
    }
  }
  return out;
}

const parses = (text: string): boolean => {
  try {
    parse(text, { ecmaVersion: 'latest', sourceType: 'script' });
    return true;
  } catch {
    return false;
  }
};

test(`${SOURCES} packages with a damaged file`, async () => {
  const random = new Random(SEED);
  for (let n = 0; n < SOURCES; n++) {
    const path = random.pick(TEXTS);
    const text = mutateText(String(GOOD[path]), random);
    const { verdict } = await audited({ ...GOOD, [path]: text });
    // As it is read: what can't be written in UTF-8 is something else by then.
    const read = Buffer.from(text).toString();
    if (path.endsWith('.js') && !parses(read))
      assert.is(verdict, 'rejected', `${path}, seed ${SEED}: ${JSON.stringify(read)}`);
  }
});

test(`${ARCHIVES} damaged archives`, async () => {
  const random = new Random(SEED);
  const archive = rawZip(Object.entries(GOOD).map(([name, content]) => ({ name, content })));
  assert.is((await audited(archive)).verdict, 'approved');
  for (let n = 0; n < ARCHIVES; n++) {
    const damaged = Buffer.from(archive);
    for (let flips = 1 + random.below(4); flips > 0; flips--)
      damaged[random.below(damaged.length)] ^= 1 << random.below(8);
    const cut = random.below(4) === 0 ? damaged.subarray(0, random.below(damaged.length)) : damaged;
    const { verdict } = await audited(cut);
    // Times and versions of packers may differ; what is cut, or has another content, is nothing to approve.
    if (verdict === 'approved') assert.is(cut.length, archive.length, `seed ${SEED}, mutation ${n} is approved`);
  }
});

test.run();
