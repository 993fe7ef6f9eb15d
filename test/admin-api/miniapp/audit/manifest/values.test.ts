/**
 * Values of the manifest at their edges, pictures by their bytes, and messages about mistakes.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PackageFile } from '../../../../../admin-api/miniapp/audit/content.ts';
import type { Finding } from '../../../../../admin-api/miniapp/audit/finding.ts';
import { Findings } from '../../../../../admin-api/miniapp/audit/findings.ts';
import { auditManifest } from '../../../../../admin-api/miniapp/audit/manifest/audit-manifest.ts';
import { pictureOf } from '../../../../../admin-api/miniapp/audit/manifest/icon.ts';
import type { Manifest } from '../../../../../admin-api/miniapp/audit/manifest/manifest.ts';
import { MANIFEST, png, smallApp } from '../corpus/small-app.ts';

interface Audited {
  readonly manifest: Manifest | undefined;
  readonly findings: readonly Finding[];
}

async function audited(text: string): Promise<Audited> {
  const contents = Object.entries(smallApp({ 'manifest.json': text }));
  const files = new Map(
    contents.map(([path, content]): [string, PackageFile] => {
      const bytes = Buffer.from(content as string);
      return [path, { path, size: bytes.length, read: async () => bytes }];
    }),
  );
  const findings = new Findings();
  return { manifest: await auditManifest(files, findings), findings: findings.list() };
}

const withValue = (key: string, value: unknown): Promise<Audited> =>
  audited(JSON.stringify({ ...MANIFEST, [key]: value }, null, 2));

const VALUES: readonly (readonly [key: keyof Manifest, good: readonly unknown[], bad: readonly unknown[]])[] = [
  [
    'id',
    ['com.example', 'a.b', 'org.example.my-app', 'org.example.my_app2', `a.${'b'.repeat(63)}`],
    [
      '',
      'com',
      'com.',
      '.com',
      'com..example',
      '1com.example',
      'com.1example',
      'com.ex ample',
      'com.éx',
      'com.-a',
      'com.a-',
      `a.${'b'.repeat(64)}`,
      `a${'.bcdefghi'.repeat(18)}`,
    ],
  ],
  [
    'version',
    ['0.1', '1.0.0', '10.20.30.40', '2024.11'],
    ['', '1', '1.', '.1', '1.0.0.0.0', '01.0', '1.0-beta', 'v1.0', '1.0 ', '1.９', `1.${'9'.repeat(10)}`],
  ],
  ['minHostVersion', ['1.0'], ['1', 'latest']],
  ['versionCode', [1, 2_100_000_000, Number.MAX_SAFE_INTEGER], [0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1, 1e300]],
  [
    'name',
    ['N', 'Notizen für Ürün 📝', 'ملاحظات\u200f'],
    ['', '  ', 'a\u0000b', 'a\nb', 'a\u202eb', 'a\ud800', 'N'.repeat(51)],
  ],
  ['description', ['', 'Two\nlines.', 'd'.repeat(4000)], ['a\u0007', 'd'.repeat(4001)]],
  ['category', ['productivity'], ['c'.repeat(51), '\u2066x']],
  ['entry', ['index.html'], ['Index.html', '/index.html', 'app/index.html']],
];

for (const [key, good, bad] of VALUES)
  test(key, async () => {
    for (const value of good) {
      const { manifest, findings } = await withValue(key, value);
      assert.equal(findings, [], JSON.stringify(value));
      assert.is(manifest?.[key], value);
    }
    for (const value of bad) {
      const { manifest, findings } = await withValue(key, value);
      assert.is(findings.length, 1, JSON.stringify(value));
      assert.is(findings[0].type, 'error');
      assert.is(manifest?.[key], undefined, JSON.stringify(value));
    }
  });

test('each key of the wrong type is reported at its value, and the rest is still read', async () => {
  for (const key of Object.keys(MANIFEST)) {
    const { manifest, findings } = await withValue(key, { wrong: true });
    const lines = JSON.stringify({ ...MANIFEST, [key]: { wrong: true } }, null, 2).split('\n');
    const line = lines.findIndex((text) => text.includes(`"${key}":`));
    assert.equal(
      findings.map((finding) => [finding.code, finding.line, finding.column]),
      [['manifest_wrong_type', line + 1, lines[line].indexOf('{') + 1]],
      key,
    );
    assert.is(manifest?.[key === 'id' ? 'name' : 'id'], key === 'id' ? MANIFEST.name : MANIFEST.id);
  }
});

test('only an object is a manifest', async () => {
  for (const text of ['[]', '"x"', '1', 'null', 'true']) {
    const { manifest, findings } = await audited(text);
    assert.is(manifest, undefined);
    assert.equal(
      findings.map(({ code }) => code),
      ['manifest_wrong_type'],
    );
  }
  assert.equal(
    (await audited('')).findings.map(({ code }) => code),
    ['manifest_syntax'],
  );
});

test('the intended word is suggested', async () => {
  const describe = async (key: string, value: unknown): Promise<string> =>
    (await withValue(key, value)).findings[0].message;
  assert.match(await describe('minHostversion', '1.0'), 'Did you mean "minHostVersion"?');
  assert.match(await describe('permissions', ['device']), /Known: storage/);
  assert.match(await describe('permissions', ['Camera']), 'Did you mean "camera"?');
  assert.not.match(await describe('somethingElse', 1), 'Did you mean');
});

test('format and size of a picture are read from its first bytes', () => {
  const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108004000800301220002110103', 'hex');
  const webp = (chunk: string, rest: string): Buffer =>
    Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${chunk}`, 'latin1'), Buffer.from(rest, 'hex')]);
  assert.equal(pictureOf(Buffer.from(png(7))), { format: 'PNG', size: { width: 7, height: 7 } });
  assert.equal(pictureOf(jpeg), { format: 'JPEG', size: { width: 128, height: 64 } });
  assert.equal(pictureOf(webp('VP8 ', '000000000000009d012a40008000')), {
    format: 'WebP',
    size: { width: 64, height: 128 },
  });
  assert.equal(pictureOf(webp('VP8L', '000000002f3fc01f00000000000000')), {
    format: 'WebP',
    size: { width: 64, height: 128 },
  });
  assert.equal(pictureOf(webp('VP8X', '0a000000000000003f00007f0000')), {
    format: 'WebP',
    size: { width: 64, height: 128 },
  });
  assert.is(pictureOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), undefined);
  for (const whole of [Buffer.from(png(7)), jpeg, webp('VP8X', '0a000000000000003f00007f0000')])
    for (let cut = 0; cut < whole.length; cut++) pictureOf(whole.subarray(0, cut));
});

test('an id in upper case is read in lower case, with a warning', async () => {
  const { manifest, findings } = await withValue('id', 'Com.Example.Notes');
  assert.is(manifest?.id, 'com.example.notes');
  assert.equal(
    findings.map(({ code, type }) => `${code} ${type}`),
    ['manifest_id_case warning'],
  );
});

test.run();
