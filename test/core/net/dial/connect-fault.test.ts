import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connectFault, describeConnectFault } from '../../../../core/net/dial/connect-fault.ts';

const test = suite('core/net/dial/connect-fault');

const withCode = (code: string) => Object.assign(new Error(code), { code });

test('an address without a route is unreachable, and is not called refused', async () => {
  // Linux rejects TCP connections to the broadcast address with ENETUNREACH at once.
  const error = await new Promise<Error>((resolve) => connect(9, '255.255.255.255').on('error', resolve));
  assert.is(connectFault(error), 'unreachable');
  assert.is(describeConnectFault(error), 'no route to the address (ENETUNREACH)');
});

test('each kind of failure has its own fault', () => {
  for (const [code, fault] of [
    ['ECONNREFUSED', 'refused'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ETIMEDOUT', 'timed out'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timed out'],
    ['ECONNRESET', 'closed'],
    ['ENOTFOUND', 'unresolved'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', undefined],
  ] as const)
    assert.is(connectFault(withCode(code)), fault, code);
  assert.is(connectFault(new TypeError('fetch failed', { cause: withCode('ECONNREFUSED') })), 'refused');
});

test('of several addresses, one without a route does not hide the answer of another', () => {
  const of = (...codes: string[]) => new AggregateError(codes.map(withCode));
  assert.is(connectFault(of('ENETUNREACH', 'ECONNREFUSED')), 'refused');
  assert.is(connectFault(of('ENETUNREACH', 'ETIMEDOUT')), 'timed out');
  assert.is(connectFault(of('ENETUNREACH', 'EHOSTUNREACH')), 'unreachable');
  assert.is(describeConnectFault(of('ENETUNREACH', 'ECONNREFUSED')), 'connection refused (ENETUNREACH, ECONNREFUSED)');
});

test.run();
