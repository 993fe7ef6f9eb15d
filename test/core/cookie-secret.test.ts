/** The secret of DNS cookies: configured, or a file that is made once. */
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cookieSecrets } from '../../core/cookie-secret.ts';
import { ConfigError } from '../../core/errors.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';

const test = suite<{ folder: string; file: string }>('cookie secret');

test.before.each((context) => {
  context.folder = temporaryFolder('cookie');
  context.file = join(context.folder, 'cookie.key');
});
test.after.each(({ folder }) => removeFolder(folder));

const hex = (secrets: readonly Uint8Array[]): string[] => secrets.map((one) => Buffer.from(one).toString('hex'));
const ONE = '00112233445566778899aabbccddeeff';
const OTHER = 'ffeeddccbbaa99887766554433221100';

test('configured ones need no file', ({ folder, file }) => {
  assert.equal(hex(cookieSecrets(file, ONE, undefined)), [ONE]);
  assert.equal(hex(cookieSecrets(file, ONE, OTHER)), [ONE, OTHER]);
  assert.equal(readdirSync(folder), []);
});

test('a file is made with a random one, for its owner alone, and kept', ({ folder, file }) => {
  const [made] = hex(cookieSecrets(file, undefined, undefined));
  assert.match(made, /^[0-9a-f]{32}$/);
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.equal(hex(cookieSecrets(file, undefined, OTHER)), [made, OTHER]);
  assert.equal(readdirSync(folder), ['cookie.key']);
  const [another] = hex(cookieSecrets(join(folder, 'another.key'), undefined, undefined));
  assert.is.not(another, made);
});

test('a file that others may read, or that holds no secret, is refused and not shown', ({ file }) => {
  for (const [text, mode, why] of [
    [`${ONE}\n`, 0o640, /may be used by others/],
    [`${ONE}00\n`, 0o600, /has no secret/],
    ['', 0o600, /has no secret/],
  ] as const) {
    writeFileSync(file, text);
    chmodSync(file, mode);
    assert.throws(
      () => cookieSecrets(file, undefined, undefined),
      (error: unknown) => error instanceof ConfigError && why.test(error.message) && !error.message.includes(ONE),
    );
  }
});

test.run();
