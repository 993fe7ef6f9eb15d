/** The list of revoked certificates, and what it keeps. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { X509Crl } from '@peculiar/x509';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { integerOf, revocationList, revoke } from '../../../core/cluster/revocation-list.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

test('a serial number is a positive integer in as few bytes as possible', () => {
  for (const [serial, bytes] of [
    ['7f', '7f'],
    ['80', '0080'],
    ['9eee3e80', '009eee3e80'],
    ['007f00', '7f00'],
    ['00', '00'],
    ['abc', '0abc'],
    ['0000ff', '00ff'],
  ])
    assert.is(integerOf(serial), bytes);
});

test('the list has every serial number that was ever revoked, and others may read it', async () => {
  const revoked = join(temporaryFolder('revocation'), 'revoked');
  const files = { revoked };
  const serials = ['7fe0', '80ff', '0c', 'ff00ff00ff00ff00ff00ff00ff00ff00'];
  assert.ok(await revoke(files, []));
  assert.not(await revoke(files, []));
  assert.ok(await revoke(files, serials.slice(0, 2)));
  assert.ok(await revoke(files, serials.slice(2)));
  assert.not(await revoke(files, serials.slice(1, 3)), 'nothing new');
  for (const name of ['list.crl', 'serials', 'etcd.environment']) {
    const { mode } = statSync(join(revoked, name));
    assert.is(mode & 0o777, 0o644);
  }
  assert.match(readFileSync(join(revoked, 'etcd.environment'), 'utf8'), /^ETCD_CLIENT_CRL_FILE=.*list\.crl$/m);
  const { entries } = new X509Crl(readFileSync(revocationList(files)));
  assert.equal(entries.map(({ serialNumber }) => integerOf(serialNumber)).sort(), serials.map(integerOf).sort());
  removeFolder(join(revoked, '..'));
});

test.run();
