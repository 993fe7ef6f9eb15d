import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, WaypostError } from '../../../core/base/errors.ts';
import { openSecrets } from '../../../core/base/secrets.ts';
import fc from '../../support/fc.ts';
import { temporaryFolder } from '../../support/temp.ts';

const test = suite('core/base/secrets');
const folder = temporaryFolder('secrets');
let count = 0;

const fresh = (): string => join(folder, `key-${count++}`);
function keyFile(text: string, mode = 0o600): string {
  const file = fresh();
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const KEY_A = Buffer.alloc(32, 1);
const KEY_B = Buffer.alloc(32, 2);
const KEY_C = Buffer.alloc(32, 3);
const base64 = (key: Buffer): string => key.toString('base64');

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.instance(error, WaypostError);
    return (error as WaypostError).code;
  }
  throw new assert.Assertion({
    message: 'nothing was thrown',
    details: '',
    generated: false,
    operator: 'is',
    expects: 0,
    actual: 0,
  });
}

test('sealed data can be unsealed with its context', () => {
  const secrets = openSecrets(fresh());
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (plain, context) => {
      const sealed = secrets.seal(plain, context);
      assert.is(sealed.length, plain.length + 33);
      assert.equal([...secrets.unseal(sealed, context)], [...plain]);
    }),
  );
});

test('sealed data cannot be unsealed with another context', () => {
  const secrets = openSecrets(fresh());
  const sealed = secrets.seal(Buffer.from('key'), 'certificate:1');
  for (const context of ['certificate:2', '', 'certificate:1 ', 'certificate:'])
    assert.is(
      codeOf(() => secrets.unseal(sealed, context)),
      'unsealable',
      context,
    );
});

test('a change of any bit and any truncation are detected', () => {
  const secrets = openSecrets(fresh());
  const sealed = secrets.seal(Buffer.from('a private key'), 'c');
  for (let at = 0; at < sealed.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[at] ^= 1 << bit;
      assert.is(
        codeOf(() => secrets.unseal(changed, 'c')),
        'unsealable',
        `byte ${at}, bit ${bit}`,
      );
    }
    assert.is(
      codeOf(() => secrets.unseal(sealed.subarray(0, at), 'c')),
      'unsealable',
      `cut at ${at}`,
    );
    assert.is(
      codeOf(() => secrets.unseal(sealed.subarray(at + 1), 'c')),
      'unsealable',
      `begins at ${at + 1}`,
    );
  }
  assert.is(
    codeOf(() => secrets.unseal(Buffer.concat([sealed, Buffer.of(0)]), 'c')),
    'unsealable',
  );
});

test('a view of a larger buffer is read at its offset', () => {
  const secrets = openSecrets(fresh());
  const sealed = secrets.seal(Buffer.from('abc'), 'c');
  const shared = new Uint8Array(sealed.length + 20);
  shared.set(sealed, 7);
  const plain = secrets.unseal(shared.subarray(7, 7 + sealed.length), 'c');
  assert.is(plain.toString(), 'abc');
  assert.is(plain.buffer.byteLength, plain.length, 'the buffer is not part of a pool');
});

test('the same text is sealed differently each time, and the result does not contain it', () => {
  const secrets = openSecrets(fresh());
  const plain = Buffer.from('-----BEGIN PRIVATE KEY-----');
  const seen = new Set(Array.from({ length: 1000 }, () => secrets.seal(plain, 'c').toString('hex')));
  assert.is(seen.size, 1000);
  for (const sealed of seen) assert.not(sealed.includes(plain.toString('hex')));
});

test('a key file is created once: private, on one line, without leftover files', () => {
  const inner = join(folder, 'made');
  mkdirSync(inner);
  const file = join(inner, 'secret.key');
  const sealed = openSecrets(file).seal(Buffer.from('x'), 'c');
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.match(readFileSync(file, 'utf8'), /^[A-Za-z0-9+/]{43}=\n$/);
  assert.equal(readdirSync(inner), ['secret.key']);
  assert.is(openSecrets(file).unseal(sealed, 'c').toString(), 'x');
});

test('a key may be base64, base64url or hexadecimal, with surrounding spaces and empty lines', () => {
  const sealed = openSecrets(keyFile(base64(KEY_A))).seal(Buffer.from('x'), 'c');
  for (const text of [
    `${base64(KEY_A)}\n`,
    `${KEY_A.toString('base64url')}\n`,
    KEY_A.toString('hex'),
    `  ${KEY_A.toString('hex').toUpperCase()} \r\n\n`,
  ])
    assert.is(openSecrets(keyFile(text)).unseal(sealed, 'c').toString(), 'x', JSON.stringify(text));
});

test('rotation: the previous key unseals data until all is sealed again', () => {
  const before = openSecrets(keyFile(base64(KEY_A)));
  const sealed = before.seal(Buffer.from('x'), 'c');
  assert.not(before.isStale(sealed));
  const rotated = openSecrets(keyFile(`${base64(KEY_B)}\n${base64(KEY_A)}\n`));
  assert.ok(rotated.isStale(sealed));
  const anew = rotated.seal(rotated.unseal(sealed, 'c'), 'c');
  assert.not(rotated.isStale(anew));
  const after = openSecrets(keyFile(base64(KEY_B)));
  assert.is(after.unseal(anew, 'c').toString(), 'x');
  assert.is(
    codeOf(() => after.unseal(sealed, 'c')),
    'unsealable',
  );
  assert.is(
    codeOf(() => openSecrets(keyFile(base64(KEY_C))).unseal(anew, 'c')),
    'unsealable',
  );
});

test('a file that others can read is rejected with instructions', () => {
  for (const mode of [0o640, 0o604, 0o620, 0o610, 0o644, 0o666, 0o777]) {
    const file = keyFile(base64(KEY_A), mode);
    assert.throws(
      () => openSecrets(file),
      (error: unknown) => {
        assert.instance(error, ConfigError);
        const { code, message } = error as ConfigError;
        return code === 'bad_key_file' && message.includes(`chmod 600 ${file}`) && message.includes(mode.toString(8));
      },
    );
  }
  for (const mode of [0o600, 0o400]) openSecrets(keyFile(base64(KEY_A), mode));
});

test('an invalid key file is rejected, and the error does not contain its content', () => {
  const cases = [
    '',
    '\n\n',
    base64(KEY_A).slice(4),
    `${base64(KEY_A)}AAAA`,
    KEY_A.toString('hex').slice(2),
    'hunter2',
    `${base64(KEY_A)}\nhunter2`,
    `${base64(KEY_A)}\n${base64(KEY_B)}\n${base64(KEY_C)}`,
    `${base64(KEY_A)}\n${KEY_A.toString('hex')}`,
    'ü'.repeat(43),
  ];
  for (const text of cases) {
    const file = keyFile(text);
    try {
      openSecrets(file);
    } catch (error) {
      assert.instance(error, ConfigError, text);
      const { code, message } = error as ConfigError;
      assert.is(code, 'bad_key_file');
      assert.not(/hunter2|AQEB|0101/.test(message), message);
      assert.is(readFileSync(file, 'utf8'), text, 'the file is unchanged');
      continue;
    }
    assert.unreachable(JSON.stringify(text));
  }
});

test('a path that cannot be read or created is reported', () => {
  assert.is(
    codeOf(() => openSecrets(folder)),
    'bad_key_file',
  );
  const missing = join(folder, 'none', 'secret.key');
  assert.is(
    codeOf(() => openSecrets(missing)),
    'bad_key_file',
  );
  assert.not(existsSync(missing));
});

test('a dangling symbolic link is not followed to create a key', () => {
  const link = fresh();
  symlinkSync(join(folder, 'gone'), link);
  assert.is(
    codeOf(() => openSecrets(link)),
    'bad_key_file',
  );
  assert.not(existsSync(join(folder, 'gone')));
});

test.run();
