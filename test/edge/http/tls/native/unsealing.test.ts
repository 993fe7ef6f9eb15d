/** What the edge opens by OpenSSL itself is what node:crypto opens, and nothing else. */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../../../core/base/secrets.ts';
import { quickUnsealing } from '../../../../../edge/http/tls/native/unsealing.ts';
import fc from '../../../../support/fc.ts';
import { assertLeavesLess } from '../../../../support/garbage.ts';
import { temporaryFolder } from '../../../../support/temp.ts';

const keyFile = join(temporaryFolder('unsealing'), 'key');
const secrets = openSecrets(keyFile);
const quick = openSecrets(keyFile, quickUnsealing());

test('what was sealed opens for its context; changed in any byte, or for another, it does not', () => {
  assert.ok(quickUnsealing() !== undefined);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.string(), fc.nat(), (plain, context, at) => {
      const sealed = secrets.seal(plain, context);
      const opened = quick.unseal(sealed, context);
      assert.equal([...opened], [...plain]);
      assert.throws(() => quick.unseal(sealed, `${context}.`), /encrypted for another row/);
      const changed = Buffer.from(sealed);
      changed[at % sealed.length] ^= 1;
      assert.throws(() => quick.unseal(changed, context), /Cannot decrypt/);
      quick.unseal(sealed, context);
      assert.equal([...opened], [...plain], 'it is in memory of its own');
    }),
  );
});

test('what is too large for it is refused, and what comes after it opens', () => {
  assert.throws(() => quick.unseal(secrets.seal(Buffer.alloc(100_000), 'a'), 'a'), /too large/);
  assert.equal([...quick.unseal(secrets.seal(Buffer.of(1, 2), 'a'), 'a')], [1, 2]);
});

/** Times that a round opens something. */
const TIMES = 50_000;
/** A context of OpenSSL takes this and more. */
const CONTEXT_BYTES = 200;
test('nothing stays of what was opened', () => {
  const sealed = secrets.seal(Buffer.alloc(3000), 'a');
  assertLeavesLess(TIMES * CONTEXT_BYTES, () => {
    for (let i = 0; i < TIMES; i++) quick.unseal(sealed, 'a');
  });
});

test.run();
