/** Failed connections in messages: of an authority to us, and of ours to its directory. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DirectoryUnreachable } from '../../../../edge/certificates/acme/problem.ts';
import { refusedChallenge } from '../../../../edge/certificates/acme/sentences.ts';
import { openTransport } from '../../../../edge/certificates/acme/transport.ts';
import { freePort } from '../../../support/ports.ts';

const test = suite('messages of failed orders');

/** Details of problems as Boulder, Pebble and others write them. */
const DETAILS: readonly (readonly [detail: string, place: string])[] = [
  [
    '203.0.113.5: Fetching http://a.test/.well-known/acme-challenge/x: Connection refused',
    '80 over IPv4 (203.0.113.5)',
  ],
  [
    'During secondary validation: 203.0.113.5: Fetching http://a.test/.well-known/acme-challenge/x: Connection refused',
    '80 over IPv4 (203.0.113.5)',
  ],
  ['2001:db8::5: Fetching http://a.test/x: Timeout during connect', '80 over IPv6 (2001:db8::5)'],
  ['203.0.113.5: Fetching https://a.test/x: Connection refused', '443 over IPv4 (203.0.113.5)'],
  ['203.0.113.5: Fetching https://a.test:8443/x: Connection refused', '8443 over IPv4 (203.0.113.5)'],
  ['Get "http://a.test:5002/x": dial tcp 192.0.2.7:5002: connect: connection refused', '5002 over IPv4 (192.0.2.7)'],
  ['dial tcp [2001:db8::7]:80: connect: connection refused', '80 over IPv6 (2001:db8::7)'],
  ['Fetching http://192.0.2.9/x: Connection refused', '80'],
  ['Connection refused at 12:30:59', '80'],
  ['version 300.300.300.300', '80'],
  ['', '80'],
];
for (const [detail, place] of DETAILS)
  test(`an authority that could not connect: ${detail}`, () => {
    const { code, message } = refusedChallenge('a.test', { type: 'connection', detail });
    assert.is(code, 'connection');
    const quote = detail === '' ? '' : ` (its message: ${detail})`;
    assert.ok(
      message.startsWith(`The certificate authority could not connect to a.test on port ${place}${quote}. `),
      message,
    );
  });

test('a directory that refuses the connection: port, address and family of each attempt', async () => {
  const transport = openTransport(undefined, new AbortController().signal);
  const port = await freePort();
  const reasonAt = async (host: string): Promise<string> => {
    const error: unknown = await transport
      .request(`https://${host}:${port}/dir`, 'GET')
      .catch((reason: unknown) => reason);
    assert.instance(error, DirectoryUnreachable);
    return (error as Error).message;
  };
  assert.is(await reasonAt('127.0.0.1'), `127.0.0.1:${port}: connection refused on port ${port} over IPv4 (127.0.0.1)`);
  assert.match(await reasonAt('localhost'), new RegExp(`connection refused on port ${port} over IPv4 .127.0.0.1.`));
  await transport.close();
});

test.run();
