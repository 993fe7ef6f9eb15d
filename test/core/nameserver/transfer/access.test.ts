/** Who may transfer a zone: by address, and by what a key may read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TransferAccess } from '../../../../core/nameserver/transfer/responder.ts';
import type { HeldKey } from '../../../../core/store/tsig-keys/keyring.ts';
import { newDomain } from '../../journal/fixture.ts';

const test = suite('access to transfers');
const DOMAIN = newDomain('zone.test.');
const OTHER = newDomain('other.test.');

test('listed addresses by family; an IPv4-mapped prefix is an IPv4 prefix, as for clients', () => {
  const allows = (prefix: string, address: string): boolean =>
    new TransferAccess([prefix]).allows(DOMAIN, address, null);
  assert.ok(allows('192.0.2.0/24', '192.0.2.7'));
  assert.not(allows('192.0.2.0/24', '192.0.3.7'));
  assert.not(allows('192.0.2.0/24', '2001:db8::1'));
  assert.ok(allows('2001:db8::/32', '2001:db8::1'));
  assert.not(allows('::/0', '192.0.2.7'));
  assert.ok(allows('::ffff:192.0.2.0/120', '192.0.2.7'));
  assert.not(allows('::ffff:192.0.2.0/120', '192.0.3.7'));
});

test('addresses of one zone', () => {
  const access = new TransferAccess(['192.0.2.1/32'], ({ id }) =>
    id === DOMAIN.id ? ['192.0.2.2', '2001:db8::/32'] : [],
  );
  const allowed = (domain: typeof DOMAIN): string[] =>
    ['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1'].filter((address) => access.allows(domain, address, null));
  assert.equal(allowed(DOMAIN), ['192.0.2.1', '192.0.2.2', '2001:db8::1']);
  assert.equal(allowed(OTHER), ['192.0.2.1']);
});

test("a key reads the zones of its account, or those it lists; an administrator's key reads all", () => {
  const access = new TransferAccess([]);
  const allows = (row: object, account: object, domain = DOMAIN): boolean =>
    access.allows(domain, '192.0.2.7', {
      row: { scopes: ['dns:read'], domains: null, ...row },
      account: { id: DOMAIN.accountId, role: 'user', ...account },
    } as unknown as HeldKey);
  assert.ok(allows({}, {}));
  assert.ok(allows({ scopes: ['dns'] }, { role: 'viewer' }));
  assert.not(allows({ scopes: ['account'] }, {}));
  assert.not(allows({}, { id: 'another' }));
  assert.ok(allows({}, { id: 'another', role: 'admin' }));
  assert.not(allows({ domains: [OTHER.id] }, {}));
  assert.not(allows({ domains: [OTHER.id] }, { id: 'another', role: 'admin' }));
  assert.ok(allows({ domains: [DOMAIN.id] }, {}));
});

test.run();
