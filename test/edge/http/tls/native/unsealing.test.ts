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

test('sealed data opens for its context only, and not with any changed byte', () => {
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

test('data that is too large is refused, and the next one opens', () => {
  assert.throws(() => quick.unseal(secrets.seal(Buffer.alloc(100_000), 'a'), 'a'), /too large/);
  assert.equal([...quick.unseal(secrets.seal(Buffer.of(1, 2), 'a'), 'a')], [1, 2]);
});

/** Times that a round opens something. */
const TIMES = 50_000;
/** A context of OpenSSL takes this and more. */
const CONTEXT_BYTES = 200;
test('nothing remains of opened data', () => {
  const sealed = secrets.seal(Buffer.alloc(3000), 'a');
  assertLeavesLess(TIMES * CONTEXT_BYTES, () => {
    for (let i = 0; i < TIMES; i++) quick.unseal(sealed, 'a');
  });
});

test.run();
