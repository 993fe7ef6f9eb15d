/** Packages with one fault in their manifest, or in what it names, and ones that come near. */
import type { CorpusCase } from './corpus-case.ts';
import { backgroundApp, MANIFEST, png, smallApp } from './small-app.ts';

type Files = ReturnType<typeof smallApp>;

const withManifest = (changes: object, files: Parameters<typeof smallApp>[0] = {}): Files =>
  smallApp({ 'manifest.json': JSON.stringify({ ...MANIFEST, ...changes }, null, 2), ...files });
const withText = (text: string | Uint8Array): Files => smallApp({ 'manifest.json': text });
const TEXT = JSON.stringify(MANIFEST, null, 2);
const background = (changes: object, permissions: readonly string[] = ['storage', 'background']): Files => {
  const files = backgroundApp('function onBackgroundEvent(event) {}\n', []);
  const part = { enabled: true, entry: 'background/background.js', events: ['schedule'], permissions: [], ...changes };
  return { ...files, 'manifest.json': JSON.stringify({ ...MANIFEST, permissions, background: part }, null, 2) };
};

export const MANIFEST_CASES: readonly CorpusCase[] = [
  { code: 'file_missing', triggers: smallApp({ 'host-sdk.js': undefined }), nearMiss: smallApp() },
  { code: 'manifest_too_large', triggers: withText(TEXT.padEnd(65_537)), nearMiss: withText(TEXT.padEnd(65_536)) },
  { code: 'manifest_encoding', triggers: withText(`\ufeff${TEXT}`), nearMiss: withManifest({ name: 'Notizblöcke' }) },
  { code: 'manifest_syntax', triggers: withText(TEXT.replace(/\n}$/, ',\n}')), nearMiss: withText(`\r\n${TEXT}\t`) },
  {
    code: 'manifest_duplicate_key',
    triggers: withText(TEXT.replace('"name"', '"\\u0069d": "com.example.other",\n  "name"')),
    nearMiss: background({ entry: 'background/background.js' }),
  },
  { code: 'manifest_unknown_key', triggers: withManifest({ versioncode: 2 }), nearMiss: withManifest({}) },
  {
    code: 'manifest_missing_key',
    triggers: withManifest({ name: undefined }),
    nearMiss: withManifest({ category: undefined }),
  },
  {
    code: 'manifest_wrong_type',
    triggers: withManifest({ versionCode: '7' }),
    nearMiss: withManifest({ versionCode: 7 }),
  },
  {
    code: 'manifest_repeated_value',
    triggers: withManifest({ permissions: ['storage', 'storage'] }),
    nearMiss: withManifest({ permissions: ['storage', 'network'] }),
  },
  {
    code: 'manifest_id',
    triggers: withManifest({ id: 'notes' }),
    nearMiss: withManifest({ id: 'de.my-company.notes_2' }),
  },
  {
    code: 'manifest_id',
    triggers: withManifest({ id: 'com.example.\u212aeys' }),
    nearMiss: withManifest({ id: 'com.example.keys' }),
  },
  {
    code: 'manifest_id_case',
    triggers: withManifest({ id: 'com.Example.notes' }),
    nearMiss: withManifest({ id: 'com.example.notes' }),
  },
  {
    code: 'manifest_text',
    triggers: withManifest({ name: 'N'.repeat(51) }),
    nearMiss: withManifest({ name: '📝'.repeat(50) }),
  },
  {
    code: 'manifest_version',
    triggers: withManifest({ version: '1.0.0-beta' }),
    nearMiss: withManifest({ version: '1.0' }),
  },
  {
    code: 'manifest_version_code',
    triggers: withManifest({ versionCode: 0 }),
    nearMiss: withManifest({ versionCode: Number.MAX_SAFE_INTEGER }),
  },
  { code: 'manifest_entry', triggers: withManifest({ entry: './index.html' }), nearMiss: smallApp() },
  {
    code: 'icon_missing',
    triggers: withManifest({ icon: 'icons/icon.png' }),
    nearMiss: withManifest({ icon: undefined }),
  },
  {
    code: 'icon_type',
    triggers: withManifest({ icon: 'icon.jpg' }, { 'icon.png': undefined, 'icon.jpg': png(192) }),
    nearMiss: withManifest({ icon: 'icon.PNG' }, { 'icon.png': undefined, 'icon.PNG': png(192) }),
  },
  { code: 'icon_size', triggers: smallApp({ 'icon.png': png(47) }), nearMiss: smallApp({ 'icon.png': png(48) }) },
  {
    code: 'permission_unknown',
    triggers: withManifest({ permissions: ['storage', 'camara'] }),
    nearMiss: withManifest({ permissions: ['storage', 'camera'] }),
  },
  { code: 'background_entry', triggers: background({ entry: 'background.js' }), nearMiss: background({}) },
  // An SDK that was issued is not audited as what runs in the background.
  { code: 'background_entry', triggers: background({ entry: 'host-sdk.js' }), nearMiss: background({}) },
  {
    code: 'background_event_unknown',
    triggers: background({ events: ['scheduled'] }),
    nearMiss: background({ events: [] }),
  },
  {
    code: 'background_permission_unknown',
    triggers: background({ permissions: ['network'] }),
    nearMiss: background({ permissions: ['notifications', 'storage'] }),
  },
  {
    code: 'background_undeclared',
    triggers: background({}, ['storage']),
    nearMiss: background({ enabled: false }, ['storage']),
  },
  { code: 'background_unused', triggers: background({ enabled: false }), nearMiss: background({}) },
];
