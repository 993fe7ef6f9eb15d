/** Messages of the API in the words of the dashboard. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureOf } from '../../../admin-api/dashboard/failure.ts';
import { wordMessage } from '../../../admin-api/dashboard/wording.ts';

test('a fault of a field has its label and what to enter', () => {
  const origin = '"origin" is missing; it must be a string, a public IPv4 or IPv6 address or a host name.';
  assert.is(wordMessage({ message: origin, pointer: '/origin' }), 'Origin: enter a host name or address.');
  const fields = '"rules/0/match/path" must be a string, an expression.';
  assert.is(
    wordMessage({ message: fields, pointer: '/rules/0/match/path' }),
    'Rules › 1 › match › path: must be an expression.',
  );
  const long = '"urls" has 900 items; the maximum is 500. It must be a list.';
  assert.is(
    wordMessage({ message: long, pointer: '/urls' }),
    'URLs: has 900 items; the maximum is 500. It must be a list.',
  );
});

test('a fault of a record names no position in the batch', () => {
  const message = '"post/0/priority" must be a whole number from 0 to 65535.';
  assert.is(wordMessage({ message, pointer: '/post/0/priority' }), 'Priority: enter a number from 0 to 65535.');
});

test('fields in other messages have their labels, and requests are left out', () => {
  const loop = 'It would loop. Set "proxied" to false on the records of "example".';
  assert.is(wordMessage({ message: loop }), 'It would loop. Set “Proxy” to false on the records of "example".');
  const plan = 'The plan "free" allows 5 domains (quotas.free_domains); with this change there would be 6.';
  assert.is(
    wordMessage({ message: plan, pointer: '/domain' }),
    'The plan "free" allows 5 domains; with this change there would be 6.',
  );
  const begun = { code: 'totp_enabled', message: 'DELETE /api/v1/account/totp turns them off.' };
  assert.is(wordMessage(begun), 'One-time codes are on already. Turn them off first.');
});

test('the details of a failure are worded like the failure', () => {
  const detail = { message: '"port" must be a whole number.', pointer: '/port' };
  const error = { code: 'validation', ...detail, details: [detail, { message: 'Other.' }] };
  const { message, details } = failureOf(422, { error });
  assert.is(message, 'Port: enter a number from 1 to 65535.');
  assert.equal(
    details.map((fault) => fault.message),
    ['Port: enter a number from 1 to 65535.', 'Other.'],
  );
});

test.run();
