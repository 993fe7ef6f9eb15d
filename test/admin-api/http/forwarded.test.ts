/**
 * A request that the edge forwards has the address of its client, and counts as received over TLS.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isOverTls, withForwardedClient, withStatedClient } from '../../../admin-api/http/forwarded.ts';
import type { HttpRequest } from '../../../admin-api/http/transport.ts';

const FIELD = 'x-waypost-client';
const SECRET = 'secret-of-the-main-thread';

const requestWith = (value: string | undefined): HttpRequest => ({
  ...{ method: 'GET', path: '/', query: '', remoteAddress: '127.0.0.1' },
  signal: new AbortController().signal,
  header: (name) => (name === FIELD ? value : undefined),
  body: () => Promise.resolve(Buffer.alloc(0)),
  async *stream() {},
});

const received = (value: string | undefined): unknown[] => {
  const { remoteAddress, isSecure } = withForwardedClient(requestWith(value), { field: FIELD, secret: SECRET });
  return [remoteAddress, isSecure];
};

test('with the secret, the request is that of the client, over TLS', () => {
  assert.equal(received(`${SECRET} 192.0.2.7`), ['192.0.2.7', true]);
});

test('without the secret, nothing is trusted', () => {
  for (const value of [undefined, '', '192.0.2.7', `${SECRET}x 192.0.2.7`, `${SECRET.slice(1)} 192.0.2.7`])
    assert.equal(received(value), ['127.0.0.1', undefined]);
});

test('behind a trusted proxy, the request is that of the client that it states', () => {
  const stated = (list: string | undefined, remoteAddress = '127.0.0.1', forwarded?: string): string => {
    const request: HttpRequest = {
      ...requestWith(undefined),
      remoteAddress,
      header: (name) => (name === 'x-forwarded-for' ? list : name === 'forwarded' ? forwarded : undefined),
    };
    return withStatedClient(request, (address) => address === '127.0.0.1').remoteAddress;
  };
  assert.is(stated('198.51.100.9, 192.0.2.7'), '192.0.2.7');
  assert.is(stated('198.51.100.9, 192.0.2.7, 127.0.0.1'), '192.0.2.7');
  assert.is(stated('::ffff:192.0.2.7'), '192.0.2.7');
  assert.is(stated(undefined), '127.0.0.1');
  assert.is(stated('unknown'), '127.0.0.1');
  assert.is(stated('198.51.100.9', '192.0.2.8'), '192.0.2.8', 'not trusted');
  assert.is(stated(undefined, '127.0.0.1', 'for=198.51.100.9, for="192.0.2.7:1";proto=https'), '192.0.2.7');
  assert.is(stated('192.0.2.7', '127.0.0.1', 'for=198.51.100.9'), '192.0.2.7', 'X-Forwarded-For counts');
});

test('a proxy states TLS in X-Forwarded-Proto', () => {
  const isSecure = (scheme: string): boolean =>
    isOverTls({ header: (name) => (name === 'x-forwarded-proto' ? scheme : undefined) });
  assert.equal(['https', 'HTTPS', 'https,http', 'wss'].map(isSecure), [true, true, true, true]);
  assert.equal(['http', '', 'ftp'].map(isSecure), [false, false, false]);
});

test.run();
