/** What the forms of keys send, and the lines that they show. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  curlLine,
  DOMAIN_AREAS,
  describeScopes,
  EXPIRIES,
  expiryTime,
  toScopes,
} from '../../../admin-api/dashboard/keys/new-key.ts';
import { bindKey, nsupdateLines, transferLine } from '../../../admin-api/dashboard/keys/tsig-lines.ts';

test('scopes follow from the chosen access, and a restricted key has none of the account', () => {
  const access = { dns: 'write', proxy: 'read', packages: 'none', account: 'write' } as const;
  assert.equal(toScopes(access), ['dns', 'proxy:read', 'account']);
  assert.equal(toScopes(access, DOMAIN_AREAS), ['dns', 'proxy:read']);
});

test('scopes are described in words', () => {
  assert.is(describeScopes(['dns', 'proxy', 'packages', 'account']), 'Everything');
  assert.is(describeScopes(['dns:read', 'proxy']), 'DNS (only read), Proxy');
  assert.is(describeScopes(['unheard']), 'unheard');
});

test('the expiry is a time in UTC', () => {
  const now = Date.UTC(2030, 0, 1, 12);
  assert.is(expiryTime('never', '', now), null);
  assert.is(expiryTime('30', '', now), '2030-01-31 12:00:00');
  const end = new Date('2030-05-06T23:59:59').toISOString().slice(0, 19).replace('T', ' ');
  assert.is(expiryTime('date', '2030-05-06', now), end);
  assert.is(expiryTime('date', 'nonsense', now), 'nonsense');
  assert.is(EXPIRIES[0].value, 'never');
});

test('the curl line asks for something that the key may read', () => {
  const line = (scopes: readonly string[], id: number | null = null) => curlLine('https://a.test', 'wp_1', scopes, id);
  assert.is(line(['dns:read']), 'curl -H "Authorization: Bearer wp_1" \'https://a.test/api/v1/domains\'');
  assert.match(line(['account']), /\/api\/v1\/account'$/);
  assert.match(line(['packages:read']), /\/api\/dev\/apps'$/);
  assert.match(line(['proxy'], 7), /\/api\/v1\/domains\/7\/proxy'$/);
  assert.match(line(['proxy']), /\/domains\/ID\/proxy'$/);
});

test('lines for programs that use a TSIG key', () => {
  const key = { name: 'k.example', algorithm: 'hmac-sha256', secret: 'c2VjcmV0' };
  const example = { server: 'ns1.test', zone: 'a.example', record: 'test.a.example. 300 A 192.0.2.1' };
  assert.match(nsupdateLines(key, example), /^nsupdate -y hmac-sha256:k\.example:c2VjcmV0 <<'EOF'\n/);
  assert.match(nsupdateLines(key, example), /\nzone a\.example\nupdate add test\.a\.example\. 300 A 192/);
  assert.is(
    transferLine(key, 'ns1.test', 'a.example'),
    'dig @ns1.test -y hmac-sha256:k.example:c2VjcmV0 a.example AXFR',
  );
  assert.match(bindKey(key), /^key "k\.example" \{\n {4}algorithm hmac-sha256;\n {4}secret "c2VjcmV0";\n\};$/);
});

test.run();
