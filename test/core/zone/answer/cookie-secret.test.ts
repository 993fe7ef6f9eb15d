/**
 * The secrets of DNS cookies: configured, or derived from the key file, so that all nodes have the
 * same.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets, type Secrets } from '../../../../core/base/secrets.ts';
import { chooseCookieSecrets } from '../../../../core/zone/answer/settings.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const hex = (secrets: readonly Uint8Array[]): string[] => secrets.map((secret) => Buffer.from(secret).toString('hex'));
const ONE = '00112233445566778899aabbccddeeff';
const OTHER = 'ffeeddccbbaa99887766554433221100';

function open(...keys: readonly number[]): Secrets {
  const folder = temporaryFolder('cookie');
  try {
    const file = join(folder, 'secret.key');
    writeFileSync(file, keys.map((key) => Buffer.alloc(32, key).toString('base64')).join('\n'), { mode: 0o600 });
    return openSecrets(file);
  } finally {
    removeFolder(folder);
  }
}

test('configured secrets are used unchanged', () => {
  assert.equal(hex(chooseCookieSecrets(open(1), ONE, undefined)), [ONE]);
  assert.equal(hex(chooseCookieSecrets(open(1), ONE, OTHER)), [ONE, OTHER]);
});

test('otherwise they are derived from the key file alone', () => {
  const [first] = hex(chooseCookieSecrets(open(1), undefined, undefined));
  assert.match(first, /^[0-9a-f]{32}$/);
  assert.equal(hex(chooseCookieSecrets(open(1), undefined, undefined)), [first]);
  const [two] = hex(chooseCookieSecrets(open(2), undefined, undefined));
  assert.is.not(two, first);
  // During a rotation of the key, older cookies are valid.
  assert.equal(hex(chooseCookieSecrets(open(2, 1), undefined, undefined)), [two, first]);
  assert.equal(hex(chooseCookieSecrets(open(2, 1), undefined, OTHER)), [two, OTHER]);
  assert.equal(hex(chooseCookieSecrets(open(2, 1), ONE, undefined)), [ONE, first]);
});

test('secrets for other purposes differ', () => {
  const secrets = open(1);
  assert.is.not(hex(secrets.derive('DNS cookies', 16))[0], hex(secrets.derive('something else', 16))[0]);
  assert.not.equal(Buffer.alloc(32, 1).subarray(0, 16), secrets.derive('DNS cookies', 16)[0]);
});

test.run();
