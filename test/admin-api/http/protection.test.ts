import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HttpError } from '../../../admin-api/http/errors.ts';
import { assertAccepted } from '../../../admin-api/http/protection.ts';
import type { HttpRequest } from '../../../admin-api/http/transport.ts';

const request = (headers: Record<string, string> = {}): HttpRequest =>
  ({ header: (name: string) => headers[name] }) as unknown as HttpRequest;
const SMALL = request({ 'content-length': '65536' });
const LARGE = request({ 'content-length': '65537' });
const CHUNKED = request({ 'transfer-encoding': 'chunked' });

function codeOf(...parameters: Parameters<typeof assertAccepted>): string {
  try {
    assertAccepted(...parameters);
    return 'accepted';
  } catch (error) {
    const { status, code, headers } = error as HttpError;
    return `${status} ${code} ${headers['Retry-After']}`;
  }
}

test('a read-only node refuses writes with a token; reads, sign-ins and checks are accepted', () => {
  const protection = { storage: { isReadOnly: true }, refusesLargeBodies: false };
  const write = { method: 'POST', scope: 'dns' } as const;
  assert.is(codeOf(protection, SMALL, write), '507 disk_full 30');
  assert.is(codeOf(protection, SMALL, { ...write, method: 'DELETE' }), '507 disk_full 30');
  assert.is(codeOf(protection, LARGE, { ...write, method: 'GET' }), 'accepted');
  assert.is(codeOf(protection, LARGE, { ...write, scope: null }), 'accepted');
  assert.is(codeOf(protection, LARGE, { ...write, changes: false }), 'accepted');
});

test('an overloaded node refuses large bodies, and those of unknown length', () => {
  const protection = { storage: { isReadOnly: false }, refusesLargeBodies: true };
  const write = { method: 'PUT', scope: 'dns' } as const;
  assert.is(codeOf(protection, SMALL, write), 'accepted');
  assert.is(codeOf(protection, request(), write), 'accepted');
  assert.is(codeOf(protection, LARGE, write), '503 overloaded 30');
  assert.is(codeOf(protection, CHUNKED, write), '503 overloaded 30');
  assert.is(codeOf({ ...protection, refusesLargeBodies: false }, LARGE, write), 'accepted');
});

test.run();
