/** Which certificate a connection gets, and for which hosts it may be used. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ServedCertificates } from '../../../edge/gateway/served-certificates.ts';
import type { TlsCertificate } from '../../../edge/http/tls/certificate.ts';
import { pemOfKey } from '../../support/certificate.ts';
import { makeCertificate } from '../sites/rig.ts';

const made = (...names: string[]): TlsCertificate => {
  const { pem, key } = makeCertificate(names);
  return { cert: pem, key: pemOfKey(key) };
};
const ADMIN = made('admin.test');
const SITE = made('site.test', '*.site.test');
const FILE = made('default.test', 'www.site.test');

const isOfSite = (name: string): boolean => /^(?:[a-z]+\.)?site\.test$/.test(name);
const sites = {
  certificateFor: (name: string) => (isOfSite(name) ? SITE : undefined),
  isShared: (name: string, host: string) => isOfSite(name) && isOfSite(host),
};
const open = (more: Partial<ConstructorParameters<typeof ServedCertificates>[0]> = {}) =>
  new ServedCertificates({
    ...{ sites, adminHosts: new Set(['admin.test']), admin: ADMIN, defaultFile: null, defaultName: undefined },
    ...more,
  });

test('without a default, only known names get a certificate', () => {
  const served = open();
  assert.is(served.certificateFor('www.site.test'), SITE);
  assert.is(served.certificateFor('admin.test'), ADMIN);
  for (const name of ['', 'else.test']) assert.is(served.certificateFor(name), undefined);
  assert.ok(served.isShared('site.test', 'www.site.test'));
  assert.not(served.isShared('admin.test', 'site.test'));
  assert.not(served.isShared('', 'site.test'));
});

test('a default from files: for no name and unknown names, and for the hosts that it covers', () => {
  const served = open({ defaultFile: FILE });
  for (const name of ['', 'else.test', '127.0.0.1']) assert.is(served.certificateFor(name), FILE);
  assert.is(served.certificateFor('www.site.test'), SITE);
  assert.ok(served.isShared('', 'www.site.test'));
  assert.not(served.isShared('', 'site.test'), 'the file does not cover it');
  assert.not(served.isShared('site.test', 'default.test'), 'a known name has its own certificate');
});

test('a default by name: the certificate of a site or of the admin hosts', () => {
  const bySite = open({ defaultName: 'site.test' });
  for (const name of ['', 'else.test']) assert.is(bySite.certificateFor(name), SITE);
  assert.ok(bySite.isShared('', 'site.test'));
  assert.ok(bySite.isShared('else.test', 'www.site.test'));
  assert.not(bySite.isShared('', 'admin.test'));
  const byAdmin = open({ defaultName: 'admin.test' });
  assert.is(byAdmin.certificateFor(''), ADMIN);
  assert.ok(byAdmin.isShared('', 'admin.test'));
  assert.not(byAdmin.isShared('', 'site.test'));
  assert.is(open({ defaultName: 'gone.test' }).certificateFor(''), undefined, 'it has none at present');
});

test.run();
