/**
 * Which certificate a server name gets, that it is the same object until it is another one, and
 * that memory is bounded.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import {
  automaticCertificates,
  certificates,
  domains,
  furtherCertificates,
  proxies,
  records,
  rsaCertificates,
  UPLOADED_SLOT,
} from '../../../core/store/rows.ts';
import type { TlsCertificate } from '../../../edge/http/tls/certificate.ts';
import { addressRecord, newDomain, newProxy } from '../../core/journal/fixture.ts';
import { automaticRow, makeCertificate, makeRsaCertificate, ownRow, type SitesRig, withSites } from './rig.ts';

const domain = newDomain('site.test.');
const otherDomain = newDomain('beside.test.');

const change = async ({ environment, journal }: SitesRig, work: (draft: Draft) => void): Promise<void> => {
  await write(environment, journal, 'test', (draft) => work(draft));
};

const serialOf = (served: TlsCertificate | undefined): string | undefined =>
  served && new X509Certificate(served.cert).serialNumber;

const setUp = (rig: SitesRig): Promise<void> =>
  change(rig, (draft) => {
    for (const zone of [domain, otherDomain]) {
      draft.put(domains, zone);
      draft.put(proxies, newProxy(zone));
      draft.put(records, addressRecord(zone, '@'));
      draft.put(records, addressRecord(zone, 'www'));
    }
  });

test('an RSA certificate beside another one of its names, and the first stays the same object', () =>
  withSites(async (rig) => {
    const { sites, secrets } = rig;
    await setUp(rig);
    const [first, second] = [makeCertificate(['site.test', '*.site.test']), makeCertificate(['a.b.site.test'])];
    const rsa = makeRsaCertificate(['site.test', '*.site.test']);
    await change(rig, (draft) => {
      draft.put(automaticCertificates, automaticRow(secrets, domain, first));
      draft.put(furtherCertificates, {
        ...automaticRow(secrets, domain, second),
        slot: 1,
        renewAt: 1,
        directory: null,
      });
    });
    const before = sites.certificateFor('www.site.test');
    assert.is(before?.alternative, undefined);
    await change(rig, (draft) =>
      draft.put(rsaCertificates, { ...automaticRow(secrets, domain, rsa), slot: 0, renewAt: 1, directory: null }),
    );
    const served = sites.certificateFor('www.site.test');
    assert.is(served, before);
    assert.is(serialOf(served?.alternative), new X509Certificate(rsa.pem).serialNumber);
    assert.is(served?.alternative, sites.certificateFor('site.test')?.alternative, 'the same object');
    assert.is(sites.certificateFor('a.b.site.test')?.alternative, undefined, 'it covers no name of that one');
    // An uploaded certificate has its own, not that of the ordered one.
    const own = makeCertificate(['www.site.test']);
    await change(rig, (draft) => draft.put(certificates, ownRow(secrets, domain, own)));
    assert.is(sites.certificateFor('www.site.test')?.alternative, undefined);
    const beside = makeRsaCertificate(['www.site.test']);
    await change(rig, (draft) => {
      const row = { ...ownRow(secrets, domain, beside), names: beside.names };
      draft.put(rsaCertificates, { ...row, slot: UPLOADED_SLOT, renewAt: 1, directory: null });
    });
    const alternative = sites.certificateFor('www.site.test')?.alternative;
    assert.is(serialOf(alternative), new X509Certificate(beside.pem).serialNumber);
    assert.match(alternative!.key, /PRIVATE KEY/);
  }));

test('an ordered RSA certificate is not served while acme.also_rsa is off; an uploaded one is', () =>
  withSites(
    async (rig) => {
      const { sites, secrets } = rig;
      await setUp(rig);
      const [ordered, uploaded] = [makeCertificate(['site.test']), makeCertificate(['site.test'])];
      const beside = { slot: 0, renewAt: 1, directory: null };
      await change(rig, (draft) => {
        draft.put(automaticCertificates, automaticRow(secrets, domain, ordered));
        const rsa = makeRsaCertificate(['site.test']);
        draft.put(rsaCertificates, { ...automaticRow(secrets, domain, rsa), ...beside });
      });
      const served = sites.certificateFor('site.test');
      assert.is(serialOf(served), new X509Certificate(ordered.pem).serialNumber);
      assert.is(served?.alternative, undefined);
      const rsa = makeRsaCertificate(['site.test']);
      await change(rig, (draft) => {
        draft.put(certificates, ownRow(secrets, domain, uploaded));
        const row = { ...ownRow(secrets, domain, rsa), names: rsa.names };
        draft.put(rsaCertificates, { ...row, ...beside, slot: UPLOADED_SLOT });
      });
      assert.is(serialOf(sites.certificateFor('site.test')?.alternative), new X509Certificate(rsa.pem).serialNumber);
    },
    [],
    false,
  ));

test('further certificates serve their names, and the others stay the same objects when one is renewed', () =>
  withSites(async (rig) => {
    const { sites, secrets } = rig;
    await setUp(rig);
    const middle = makeCertificate(['middle.test']).pem;
    const [first, second, third, renewed] = [
      makeCertificate(['site.test', '*.site.test']),
      makeCertificate(['www.shop.site.test']),
      makeCertificate(['*.dev.site.test']),
      makeCertificate(['*.dev.site.test']),
    ];
    const further = (slot: number, made: typeof first, chain = '') => ({
      ...automaticRow(secrets, domain, { ...made, pem: made.pem + chain }),
      ...{ slot, renewAt: 1, directory: null },
    });
    await change(rig, (draft) => {
      draft.put(automaticCertificates, automaticRow(secrets, domain, first));
      draft.put(furtherCertificates, further(1, second));
      draft.put(furtherCertificates, further(2, third, middle));
    });
    const serialOfPem = (pem: string): string => new X509Certificate(pem).serialNumber;
    const ofName = (name: string): string | undefined => serialOf(sites.certificateFor(name));
    assert.is(ofName('www.site.test'), serialOfPem(first.pem));
    assert.is(ofName('www.shop.site.test'), serialOfPem(second.pem));
    assert.is(ofName('a.dev.site.test'), serialOfPem(third.pem));
    assert.is(ofName('a.b.c.site.test'), undefined);
    const before = sites.certificateFor('www.shop.site.test');
    await change(rig, (draft) => draft.put(furtherCertificates, further(2, renewed)));
    assert.is(ofName('a.dev.site.test'), serialOfPem(renewed.pem));
    assert.is(sites.certificateFor('www.shop.site.test'), before);
    await change(rig, (draft) => draft.delete(furtherCertificates, further(1, second)));
    assert.is(ofName('www.shop.site.test'), undefined);
  }));

test("the customer's own certificate if it covers the name, else the ordered one, exact or wildcard; none for others", () =>
  withSites(async (rig) => {
    const { sites, secrets } = rig;
    await setUp(rig);
    const automatic = makeCertificate(['site.test', '*.site.test']);
    const own = makeCertificate(['site.test', 'shop.site.test', '*.deep.site.test']);
    const ofName = (name: string): string | undefined => serialOf(sites.certificateFor(name));
    assert.is(ofName('site.test'), undefined);
    assert.is(sites.siteOf('www.site.test')?.hasCertificate, false);
    await change(rig, (draft) => draft.put(automaticCertificates, automaticRow(secrets, domain, automatic)));
    const ordered = new X509Certificate(automatic.pem).serialNumber;
    for (const name of ['site.test', 'www.site.test', 'any.site.test']) assert.is(ofName(name), ordered, name);
    for (const name of ['a.deep.site.test', 'beside.test', 'test', 'xsite.test', '*.site.test', '', 'a b.site.test'])
      assert.is(ofName(name), undefined, name);
    assert.is(sites.siteOf('www.site.test')?.hasCertificate, true);
    await change(rig, (draft) => draft.put(certificates, ownRow(secrets, domain, own)));
    const brought = new X509Certificate(own.pem).serialNumber;
    for (const name of ['site.test', 'shop.site.test', 'a.deep.site.test']) assert.is(ofName(name), brought, name);
    assert.is(ofName('www.site.test'), ordered, 'the own one is not for it');
    assert.ok(sites.isShared('site.test', 'x.deep.site.test'));
    assert.not(sites.isShared('site.test', 'www.site.test'));
    assert.ok(sites.isShared('www.site.test', 'other.site.test'));
    await change(rig, (draft) => draft.delete(certificates, ownRow(secrets, domain, own)));
    assert.is(ofName('site.test'), ordered);
    assert.is(ofName('a.deep.site.test'), undefined);
    await change(rig, (draft) => draft.put(proxies, newProxy(domain, false)));
    assert.is(ofName('site.test'), undefined, 'the proxy is off');
    assert.equal(rig.events, []);
  }));

test('the same object until the certificate changes; its key is decrypted', () =>
  withSites(async (rig) => {
    const { sites, secrets } = rig;
    await setUp(rig);
    const [first, second] = [makeCertificate(['site.test']), makeCertificate(['site.test'])];
    await change(rig, (draft) => draft.put(certificates, ownRow(secrets, domain, first)));
    const served = sites.certificateFor('site.test')!;
    createSecureContext(served);
    assert.is(sites.certificateFor('site.test'), served);
    const row = ownRow(secrets, domain, first);
    await change(rig, (draft) => draft.put(records, addressRecord(domain, 'new')));
    await change(rig, (draft) => draft.put(proxies, { ...newProxy(domain), originHost: 'other.example.net' }));
    assert.is(sites.siteOf('site.test')?.origin.host, 'other.example.net');
    assert.is(sites.certificateFor('site.test'), served);
    // The same certificate, its key sealed again: it cannot be told from another one without
    // opening it.
    await change(rig, (draft) => draft.put(certificates, row));
    await change(rig, (draft) => draft.put(certificates, ownRow(secrets, domain, second)));
    const other = sites.certificateFor('site.test');
    assert.is.not(other, served);
    assert.is(serialOf(other), new X509Certificate(second.pem).serialNumber);
  }));

test('it is served with its chain, shared by equal ones, exactly as stored', () =>
  withSites(async (rig) => {
    const { sites, secrets } = rig;
    await setUp(rig);
    const [own, other, middle] = ['site.test', 'beside.test', 'middle.test'].map((name) => makeCertificate([name]));
    const words = `Subject: somebody\n${own.pem}`;
    await change(rig, (draft) => {
      draft.put(certificates, { ...ownRow(secrets, domain, own), chain: own.pem + middle.pem });
      draft.put(automaticCertificates, automaticRow(secrets, otherDomain, { ...other, pem: other.pem + middle.pem }));
    });
    const [first, second] = ['site.test', 'beside.test'].map((name) => sites.certificateFor(name)!);
    for (const [shown, made] of [[first, own] as const, [second, other] as const]) {
      assert.equal(shown.leaf, new X509Certificate(made.pem).raw);
      assert.is(new X509Certificate(shown.cert.slice(0, -middle.pem.length)).serialNumber, serialOf(shown));
      assert.is(shown.chain, middle.pem.trim());
      assert.is(createPrivateKey(shown.key).type, 'private');
      assert.ok(new X509Certificate(shown.cert).checkPrivateKey(createPrivateKey(shown.key)));
    }
    await change(rig, (draft) => draft.put(certificates, { ...ownRow(secrets, domain, own), chain: words }));
    assert.is(sites.certificateFor('site.test')?.cert, words);
    assert.equal(rig.events, []);
  }));

test('an expired one is served and logged once; one whose key cannot be decrypted is replaced by the ordered one', () =>
  withSites(async (rig) => {
    const { sites, secrets } = rig;
    await setUp(rig);
    const old = makeCertificate(['site.test'], { from: -10, to: -1 });
    await change(rig, (draft) => draft.put(certificates, ownRow(secrets, domain, old, 1000)));
    for (let i = 0; i < 3; i++)
      assert.is(serialOf(sites.certificateFor('site.test')), new X509Certificate(old.pem).serialNumber);
    assert.equal(rig.events, ['site.test expired']);
    // Sealed for another domain.
    const stolen = { ...ownRow(secrets, domain, old), sealedKey: ownRow(secrets, otherDomain, old).sealedKey };
    const ordered = makeCertificate(['site.test']);
    await change(rig, (draft) => {
      draft.put(certificates, stolen);
      draft.put(automaticCertificates, automaticRow(secrets, domain, ordered));
    });
    for (let i = 0; i < 3; i++)
      assert.is(serialOf(sites.certificateFor('site.test')), new X509Certificate(ordered.pem).serialNumber);
    assert.is(rig.events.length, 2, 'events once');
    assert.match(rig.events[1], /Cannot decrypt/);
    // No certificate at all.
    await change(rig, (draft) => draft.put(certificates, { ...stolen, chain: 'no PEM' }));
    assert.is(serialOf(sites.certificateFor('site.test')), new X509Certificate(ordered.pem).serialNumber);
    assert.is(rig.events.length, 3);
  }));

test('visitors are served for some minutes after the proxy is turned off, as resolvers cache the addresses', () =>
  withSites(async (rig) => {
    const { sites } = rig;
    await setUp(rig);
    const off = async (secondsAgo: number): Promise<number> => {
      const disabledAt = Math.floor(Date.now() / 1000) - secondsAgo;
      await change(rig, (draft) => draft.put(proxies, { ...newProxy(domain, false), disabledAt }));
      return (disabledAt + 600) * 1000;
    };
    await off(1);
    assert.is(sites.siteOf('www.site.test')?.domain, 'site.test');
    await off(601);
    assert.is(sites.siteOf('www.site.test'), undefined);
    const end = await off(300);
    const { now } = Date;
    try {
      Date.now = () => end - 50;
      assert.is(sites.siteOf('www.site.test')?.domain, 'site.test');
      Date.now = () => end + 1;
      // What was kept of it ends by itself, 50 ms later.
      while (sites.siteOf('www.site.test') !== undefined) await sleep(5);
    } finally {
      Date.now = now;
    }
  }));

test('a site has the settings of its proxy; without an origin and a public address it is unreachable', () =>
  withSites(async (rig) => {
    const { sites } = rig;
    await setUp(rig);
    const expected = {
      domainId: String(domain.id),
      domain: 'site.test',
      origin: { host: 'origin.example.net', port: 443, protocol: 'https' },
      hasCertificate: false,
      hsts: '',
      heuristics: 'static',
      sendsForwarded: true,
      isLenient: false,
      documents: null,
    };
    const proxy = { ...newProxy(domain), originHost: 'origin.example.net' };
    await change(rig, (draft) => draft.put(proxies, proxy));
    assert.equal(sites.siteOf('site.test'), expected);
    await change(rig, (draft) => draft.put(proxies, { ...proxy, hstsMaxAge: 0 }));
    assert.equal(sites.siteOf('site.test'), { ...expected, hsts: 'max-age=0' });
    const everywhere = { hstsMaxAge: 31_536_000, hstsIncludeSubdomains: true, hstsPreload: true };
    await change(rig, (draft) => draft.put(proxies, { ...proxy, ...everywhere }));
    assert.is(sites.siteOf('site.test')?.hsts, 'max-age=31536000; includeSubDomains; preload');
    await change(rig, (draft) => draft.put(proxies, { ...proxy, ...everywhere, hstsMaxAge: null }));
    assert.is(sites.siteOf('site.test')?.hsts, '');
    await change(rig, (draft) => draft.put(proxies, { ...proxy, heuristicFreshness: true }));
    assert.equal(sites.siteOf('site.test'), { ...expected, heuristics: 'all' }, 'a row of an earlier version');
    await change(rig, (draft) => draft.put(proxies, { ...proxy, heuristicFreshness: true, heuristics: 'off' }));
    assert.equal(sites.siteOf('site.test'), { ...expected, heuristics: 'off' });
    await change(rig, (draft) => draft.put(proxies, { ...proxy, forwardedHeader: false }));
    assert.equal(sites.siteOf('site.test'), { ...expected, sendsForwarded: false });
    await change(rig, (draft) => draft.put(proxies, { ...proxy, lenientResponses: true }));
    assert.equal(sites.siteOf('site.test'), { ...expected, isLenient: true });
    await change(rig, (draft) => draft.put(proxies, newProxy(domain)));
    const nowhere = { host: 'site.test', addresses: [], port: 443, protocol: 'https' };
    assert.equal(sites.siteOf('site.test'), { ...expected, origin: nowhere });
    assert.is(sites.domainIdOf('x.site.test'), domain.id);
    assert.is(sites.domainIdOf('x.nowhere.test'), undefined);
  }));

test('more domains than are cached: each is correct, also after eviction', () =>
  withSites(async (rig) => {
    const { sites } = rig;
    const many = Array.from({ length: 5000 }, (_, i) => newDomain(`d${i}.test.`));
    await change(rig, (draft) => {
      for (const made of many) {
        draft.put(domains, made);
        draft.put(proxies, { ...newProxy(made), originHost: 'a.example.net' });
        draft.put(records, addressRecord(made, '@'));
      }
    });
    for (let i = 0; i < many.length; i++) assert.is(sites.siteOf(`d${i}.test`)?.origin.host, 'a.example.net');
    const isChanged = (i: number): boolean => i % 10 === 0;
    await change(rig, (draft) => {
      for (const [i, made] of many.entries())
        if (isChanged(i)) draft.put(proxies, { ...newProxy(made), originHost: 'b.example.net' });
    });
    for (let i = 0; i < many.length; i++)
      assert.is(sites.siteOf(`d${i}.test`)?.origin.host, `${isChanged(i) ? 'b' : 'a'}.example.net`, `d${i}`);
  }));

test.run();
