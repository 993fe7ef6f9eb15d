/** Cases of the rules about code that people cannot read, and about host-sdk.js. */
import { createHash } from 'node:crypto';
import type { Sdk } from '../../../../../admin-api/miniapp/sdk/trust.ts';
import type { CorpusCase } from './corpus-case.ts';
import { SDK, smallApp } from './small-app.ts';

const USE = "Host.storage.get('text');\n";
const script = (text: string) => smallApp({ 'app.js': `${text}\n${USE}` });

const HEX_NAMES = Array.from({ length: 20 }, (_, i) => `var _0x${(0x3fa2 + i * 97).toString(16)} = ${i};`).join('\n');
const PAYLOAD = Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919) >> (i & 7))).toString('base64');

export const DENSITY_CASES: readonly CorpusCase[] = [
  {
    code: 'minified',
    triggers: script(`var a=[${Array.from({ length: 600 }, (_, i) => i).join(',')}];`),
    nearMiss: script(Array.from({ length: 600 }, (_, i) => `var name${i} = ${i};`).join('\n')),
  },
  { code: 'obfuscated', triggers: script(HEX_NAMES), nearMiss: script('var _0x3fa2 = 1, _0xbeef = 2;') },
  {
    code: 'encoded_payload',
    triggers: script(`var data = '${PAYLOAD}';`),
    nearMiss: script(`var data = 'data:image/png;base64,${PAYLOAD}';`),
  },
  { code: 'bidi_control', triggers: script("var a = '\u202e';"), nearMiss: script("var a = '\\u202e \u05d0\u200f';") },
  {
    code: 'invisible_character',
    triggers: script("var a = '\u200b';"),
    nearMiss: script("var a = '\u{1f469}\u200d\u{1f680} \u2764\ufe0f';"),
  },
];

const sdkOf = (version: string, content: string): Sdk => ({
  version,
  sha256: createHash('sha256').update(content).digest('hex'),
});
const OLD = `${SDK}// old\n`;
/** The old SDK is withdrawn, or there is a newer one. */
const knownAs = (state: 'isWithdrawn' | 'newest'): readonly Sdk[] => [
  sdkOf('1.4.0', SDK),
  { ...sdkOf('1.3.0', OLD), ...(state === 'isWithdrawn' ? { isWithdrawn: true } : { newest: '1.4.0' }) },
];

export const SDK_CASES: readonly CorpusCase[] = [
  { code: 'sdk_unknown', triggers: smallApp({ 'host-sdk.js': `${SDK}\n` }), nearMiss: smallApp() },
  { code: 'sdk_unverified', triggers: smallApp(), nearMiss: smallApp({ 'host-sdk.js': undefined }), sdks: [] },
  {
    code: 'sdk_withdrawn',
    triggers: smallApp({ 'host-sdk.js': OLD }),
    nearMiss: smallApp(),
    sdks: knownAs('isWithdrawn'),
  },
  { code: 'sdk_outdated', triggers: smallApp({ 'host-sdk.js': OLD }), nearMiss: smallApp(), sdks: knownAs('newest') },
];
