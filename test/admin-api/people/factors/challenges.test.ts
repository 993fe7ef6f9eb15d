/** Challenges of passkeys: every node with the key file accepts them, for their purpose. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CHALLENGE_LIFETIME, newChallenge, readChallenge } from '../../../../admin-api/people/factors/challenges.ts';
import { openSecrets, type Secrets } from '../../../../core/base/secrets.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { later } from '../../contract/store.ts';

const [FIRST, SECOND] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const SIGN_IN = { accountId: null, rpId: 'localhost' };

const test = suite<{ folder: string }>('admin-api/people/factors/challenges');
test.before((context) => {
  context.folder = temporaryFolder('keys');
});
test.after(({ folder }) => removeFolder(folder));

/** As a node with these keys. */
function secretsOf(folder: string, ...keys: readonly string[]): Secrets {
  const file = join(folder, `${keys.length}-${keys[0].slice(0, 4)}.key`.replaceAll('/', '_'));
  writeFileSync(file, keys.join('\n'), { mode: 0o600 });
  return openSecrets(file);
}

test('another node accepts it, also while the key is rotated', ({ folder }) => {
  const before = secretsOf(folder, FIRST);
  const challenge = newChallenge(before, SIGN_IN);
  assert.is.not(newChallenge(before, SIGN_IN), challenge);
  const valid = readChallenge(secretsOf(folder, FIRST), SIGN_IN, challenge);
  assert.match(valid?.nonce ?? '', /^[0-9a-f]{44}$/);
  assert.equal(readChallenge(secretsOf(folder, SECOND, FIRST), SIGN_IN, challenge), valid);
  assert.is(readChallenge(secretsOf(folder, SECOND), SIGN_IN, challenge), null);
});

test('it is for one account and one host, or for the sign-in', ({ folder }) => {
  const secrets = secretsOf(folder, FIRST);
  const purposes = [
    SIGN_IN,
    { accountId: null, rpId: 'admin.example.net' },
    { accountId: 1, rpId: 'localhost' },
    { accountId: 11, rpId: 'localhost' },
    { accountId: 1, rpId: '1 localhost' },
  ];
  for (const made of purposes) {
    const challenge = newChallenge(secrets, made);
    for (const read of purposes) assert.is(readChallenge(secrets, read, challenge) !== null, read === made);
  }
});

test('it expires, and no changed or malformed text is valid', async ({ folder }) => {
  const secrets = secretsOf(folder, FIRST);
  const challenge = newChallenge(secrets, SIGN_IN);
  const isValid = async (seconds: number) => later(seconds, async () => readChallenge(secrets, SIGN_IN, challenge));
  assert.is.not(await isValid(CHALLENGE_LIFETIME - 2), null);
  assert.is(await isValid(CHALLENGE_LIFETIME), null);
  const bytes = Buffer.from(challenge, 'base64url');
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i] ^= 1;
    assert.is(readChallenge(secrets, SIGN_IN, changed.toString('base64url')), null, `byte ${i}`);
  }
  for (const text of ['', 'x', `${challenge}AA`, challenge.slice(1), `${challenge}=`, bytes.toString('hex')])
    assert.is(readChallenge(secrets, SIGN_IN, text), null, text);
});

test.run();
