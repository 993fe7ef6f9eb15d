import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpError } from '../../../admin-api/http/errors.ts';
import { RateLimit } from '../../../admin-api/http/rate-limit.ts';

function limited(limit: RateLimit, key: string): boolean {
  try {
    limit.take(key, {});
    return false;
  } catch (error) {
    assert.instance(error, HttpError);
    return true;
  }
}

test('allows the quota at once, and then its rate', () => {
  let now = 0;
  const limit = new RateLimit('t', 10, 100, () => now);
  for (let i = 0; i < 10; i++) assert.not.ok(limited(limit, 'a'));
  assert.ok(limited(limit, 'a'));
  assert.not.ok(limited(limit, 'b'));
  now = 10;
  assert.not.ok(limited(limit, 'a'));
  assert.ok(limited(limit, 'a'));
  now = 1_000_000;
  for (let i = 0; i < 10; i++) assert.not.ok(limited(limit, 'a'));
  assert.ok(limited(limit, 'a'));
});

test('the headers have the remaining requests and the time to retry', () => {
  let now = 0;
  const limit = new RateLimit('t', 2, 100, () => now);
  const headers: Record<string, string> = {};
  limit.take('a', headers);
  assert.equal(headers, { 'RateLimit-Policy': '"t";q=2;w=100', RateLimit: '"t";r=1;t=50' });
  limit.take('a', headers);
  now = 20;
  try {
    limit.take('a', headers);
    assert.unreachable();
  } catch (error) {
    assert.is((error as HttpError).headers['Retry-After'], '30');
  }
});

test('0 means no limit and no header', () => {
  const limit = new RateLimit('t', 0, 100);
  const headers: Record<string, string> = {};
  for (let i = 0; i < 1000; i++) limit.take('a', headers);
  assert.equal(headers, {});
});

test('memory is limited, and active clients are not evicted', () => {
  const limit = new RateLimit('t', 5, 1e9, () => 0);
  for (let i = 0; i < 120_000; i++) {
    if (i % 20_000 === 0 && i < 100_000) assert.not.ok(limited(limit, 'busy'));
    limit.take(`k${i}`, {});
  }
  assert.ok(limited(limit, 'busy'));
});

test.run();
