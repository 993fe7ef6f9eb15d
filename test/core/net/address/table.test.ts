import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import {
  contains,
  isDocumentation,
  mayConnect,
  parseAddress,
  parsePrefix,
  privateOrigin,
  readHost,
} from '../../../../core/net/address/index.ts';
import { IPV4_RANGES, IPV6_RANGES, PLATFORM_SERVICES } from '../../../../core/net/address/special.ts';
import type { Row } from './row.ts';
import { TABLE } from './table.ts';

/** What a check without resolving says: the canonical host, or throws. */
function check(text: string): string {
  const host = readHost(text);
  if (host.kind === 'name') return host.name;
  const verdict = mayConnect(host.bytes);
  if (!verdict.public) privateOrigin(`The address ${host.canonical}`, verdict.reason);
  return host.canonical;
}

function outcome(text: string): Row {
  try {
    return { text, verdict: 'public', reason: check(text) };
  } catch (error) {
    assert.instance(error, InvalidError, `${JSON.stringify(text)} threw ${error}`);
    const { code, message, pointer } = error as InvalidError;
    assert.is(pointer, '/origin');
    assert.ok(code === 'private_origin' || code === 'invalid_origin', code);
    return { text, verdict: code === 'private_origin' ? 'private' : 'invalid', reason: message };
  }
}

test('every row has its verdict and its reason', () => {
  for (const { text, verdict, reason } of TABLE) {
    const got = outcome(text);
    assert.is(got.verdict, verdict, `${JSON.stringify(text)}: ${got.reason}`);
    if (verdict === 'public') assert.is(got.reason, reason === '' ? text : reason);
    else {
      assert.is.not(reason, '', text);
      for (const part of reason.split('…'))
        assert.ok(got.reason.includes(part), `${JSON.stringify(text)}: "${got.reason}" lacks "${part}"`);
    }
  }
});

test('the table has enough texts, each once', () => {
  assert.is(new Set(TABLE.map(({ text }) => text)).size, TABLE.length);
  assert.ok(TABLE.length >= 180);
  assert.ok(TABLE.filter(({ verdict }) => verdict === 'public').length >= 40);
});

test('every refused range decides some row of the table', () => {
  const messages = TABLE.map(({ text }) => outcome(text).reason);
  for (const { prefix, public: open } of [...IPV4_RANGES, ...IPV6_RANGES])
    if (!open)
      assert.ok(
        messages.some((message) => message.includes(prefix.text)),
        prefix.text,
      );
});

test('the documentation networks are those of RFC 5737 and RFC 3849, to their first and last addresses', () => {
  const isInside = (text: string): boolean => isDocumentation(parseAddress(text)!);
  for (const inside of [
    ...['192.0.2.0', '192.0.2.255', '198.51.100.0', '198.51.100.255', '203.0.113.0', '203.0.113.255'],
    ...['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])
    assert.ok(isInside(inside), inside);
  for (const outside of [
    ...['192.0.1.255', '192.0.3.0', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '10.0.0.1'],
    ...['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::', '3fff::1', '::192.0.2.1', '::ffff:192.0.2.1'],
  ])
    assert.not(isInside(outside), outside);
});

test('every platform service is in public space, and has its source', () => {
  for (const { prefix, source } of PLATFORM_SERVICES) {
    const { bytes, bits } = parsePrefix(prefix);
    const covering = [...IPV4_RANGES, ...IPV6_RANGES].filter(
      (range) =>
        range.prefix.bytes.length === bytes.length && range.prefix.bits < bits && contains(range.prefix, bytes),
    );
    assert.ok(covering.length > 0 && covering.every((range) => range.public), prefix);
    assert.match(source, /^https:\/\/[a-z.]+\/\S+$/);
  }
});

test('messages are short and without control characters', () => {
  for (const { text } of TABLE) {
    const { verdict, reason } = outcome(text);
    if (verdict === 'public') continue;
    assert.not.match(reason, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u, JSON.stringify(text));
    assert.ok(reason.length < 400, reason);
  }
});

test('an accepted value is in canonical form, and accepted again unchanged', () => {
  for (const { text, verdict } of TABLE) if (verdict === 'public') assert.is(check(check(text)), check(text));
});

test.run();
