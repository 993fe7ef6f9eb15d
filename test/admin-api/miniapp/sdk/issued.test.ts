/** The table of issued SDKs, their files, and which SDKs an audit accepts. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ISSUED_SDKS, issuedPath } from '../../../../admin-api/miniapp/sdk/issued.ts';
import { readIssued } from '../../../../admin-api/miniapp/sdk/issued-files.ts';
import { trustedSdks } from '../../../../admin-api/miniapp/sdk/trust.ts';

const SOURCES = fileURLToPath(new URL('../../../../../admin-api/miniapp/sdk/', import.meta.url));
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const numbers = (version: string): number => {
  const [major, minor, patch] = version.split('.').map(Number);
  return major * 1e6 + minor * 1e3 + patch;
};

test('the table has the hash of every file, and the files are found at run time', () => {
  for (const { version, sha256 } of ISSUED_SDKS) {
    const script = readFileSync(join(SOURCES, issuedPath(version, 'host-sdk.js')));
    assert.is(hashOf(script), sha256, `admin-api/miniapp/sdk/issued.ts has another hash for SDK ${version}`);
    const files = readIssued(version);
    assert.ok(files.script.equals(script), version);
    assert.ok(files.typings.equals(readFileSync(join(SOURCES, issuedPath(version, 'host-sdk.d.ts')))), version);
    assert.ok(script.includes(version), `host-sdk.js of ${version} names its version`);
  }
});

test('versions are semantic, newest first, and each has files of its own', () => {
  const versions = ISSUED_SDKS.map(({ version }) => version);
  for (const version of versions) assert.match(version, /^\d+\.\d+\.\d+$/);
  assert.equal(
    versions.map(numbers),
    versions.map(numbers).sort((a, b) => b - a),
  );
  assert.is(new Set(ISSUED_SDKS.map(({ sha256 }) => sha256)).size, versions.length);
  assert.is(issuedPath('0.0.1', 'host-sdk.js'), 'releases/host-sdk-0.0.1.js');
  assert.is(issuedPath('0.0.1', 'host-sdk.d.ts'), 'releases/host-sdk-0.0.1.d.ts');
  assert.throws(() => readIssued('../../../package.json'), /There is no SDK/);
});

const ISSUED = ['3.0.0', '2.0.0', '1.0.0'].map((version) => ({ version, sha256: hashOf(Buffer.from(version)) }));
const OWN = { version: 'own', sha256: hashOf(Buffer.from('own')) };

const states = (withdrawnSdks: readonly string[]) =>
  trustedSdks({ sdks: [OWN], withdrawnSdks }, ISSUED).map(
    ({ version, isWithdrawn, newest }) => `${version}${isWithdrawn ? ' withdrawn' : ''}${newest ? ` < ${newest}` : ''}`,
  );

test('issued SDKs are trusted until they are withdrawn, by version or hash, and older ones name the newest', () => {
  assert.equal(states([]), ['3.0.0', '2.0.0 < 3.0.0', '1.0.0 < 3.0.0', 'own']);
  assert.equal(states(['3.0.0']), ['3.0.0 withdrawn', '2.0.0', '1.0.0 < 2.0.0', 'own']);
  assert.equal(states([ISSUED[1].sha256, 'own']), [
    '3.0.0',
    '2.0.0 withdrawn < 3.0.0',
    '1.0.0 < 3.0.0',
    'own withdrawn',
  ]);
  assert.equal(
    trustedSdks().map(({ version }) => version),
    ISSUED_SDKS.map(({ version }) => version),
  );
});

test.run();
