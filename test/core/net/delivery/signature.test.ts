/** Signatures, checked as a receiver does with another implementation of HMAC-SHA256. */
import { webcrypto } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatSecret, formatSignatures, newSecret } from '../../../../core/net/delivery/signature.ts';

const test = suite('core/net/delivery/signature');

test('the example of Standard Webhooks', () => {
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
  assert.is(formatSignatures([key], message), 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a receiver with Web Crypto accepts it, and only with the right secret, id, time and body', async () => {
  const { subtle } = webcrypto;
  const secrets = [newSecret(), newSecret()];
  const message = { id: 'msg_1_2', timestamp: 1_700_000_000, body: '{"type":"records.changed","name":"ä"}' };
  const header = formatSignatures(secrets, message);
  const verify = async (secret: string, { id, timestamp, body }: typeof message): Promise<boolean> => {
    const raw = Uint8Array.from(atob(secret.slice('whsec_'.length)), (c) => c.charCodeAt(0));
    const key = await subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    const data = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
    const valid = await Promise.all(
      header.split(' ').map((part) => {
        const bytes = Uint8Array.from(atob(part.slice('v1,'.length)), (c) => c.charCodeAt(0));
        return subtle.verify('HMAC', key, bytes, data);
      }),
    );
    return valid.includes(true);
  };
  const [current, previous] = secrets.map(formatSecret);
  assert.is(await verify(current, message), true);
  assert.is(await verify(previous, message), true, 'after a rotation');
  assert.is(await verify(formatSecret(newSecret()), message), false);
  for (const change of [{ id: 'msg_1_3' }, { timestamp: 1_700_000_001 }, { body: '{}' }])
    assert.is(await verify(current, { ...message, ...change }), false);
});

test.run();
