/**
 * The edge's row of a domain always matches the rows that it is derived from, and a rebuild
 * produces the same.
 */
import { X509Certificate } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { rebuildAnswers } from '../../../../core/journal/upkeep/rebuild.ts';
import { idKey } from '../../../../core/store/keys.ts';
import {
  type AutomaticCertificate,
  automaticCertificates,
  type Certificate,
  certificates,
  type Domain,
  domains,
  type FurtherCertificate,
  furtherCertificates,
  type ProxyConfig,
  proxies,
  type RsaCertificate,
  rsaCertificates,
  UPLOADED_SLOT,
} from '../../../../core/store/rows.ts';
import { chainIdOf, decodeSite, type SiteCertificateRow } from '../../../../core/store/sites.ts';
import { certificate, ecKey } from '../../../support/certificate.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { DEFAULTS, dump, embedded, newDomain, newProxy, type Store, withStore } from '../fixture.ts';

const STEPS = 150;
const key = ecKey();
const middle = certificate({ name: 'middle', key, ca: true });
const leaves = Array.from({ length: 4 }, (_, i) => certificate({ name: `${i}.test`, key, dnsNames: [`${i}.test`] }));

/** The state of one domain. */
interface Truth {
  domain: Domain;
  proxy: ProxyConfig | undefined;
  own: Certificate | undefined;
  rsa: RsaCertificate | undefined;
  automatic: AutomaticCertificate | undefined;
  further: FurtherCertificate | undefined;
}

function checkCertificate(row: SiteCertificateRow | null, truth: Certificate | undefined): void {
  assert.is(row === null, truth === undefined);
  if (row === null || truth === undefined) return;
  assert.is(row.notAfter, truth.notAfter);
  assert.equal(row.names, truth.names ?? null);
  assert.is(row.sealedKey.toString('base64'), truth.sealedKey);
  const isPlain = truth.chain.startsWith('-----BEGIN');
  assert.equal(row.leaf, isPlain ? new X509Certificate(truth.chain).raw : Buffer.alloc(0));
  const rest = isPlain ? truth.chain.slice(truth.chain.indexOf('-----END') + 25) : truth.chain;
  assert.is(row.chainId, chainIdOf(isPlain ? rest.trim() : rest));
}

function check({ environment }: Store, truths: readonly Truth[]): void {
  environment.root.resetReadTxn();
  let count = 0;
  for (const { domain, proxy, own, rsa, automatic, further } of truths) {
    const value = environment.sites.get(idKey(domain.id));
    assert.is(value === undefined, proxy === undefined);
    if (value === undefined || proxy === undefined) continue;
    count++;
    const site = decodeSite(value);
    assert.is(site.isEnabled, proxy.enabled);
    assert.is(site.disabledAt, proxy.disabledAt ?? null);
    checkCertificate(site.own[0] ?? null, own);
    // Without a certificate beside it, it serves nothing.
    const ofOwn = own === undefined || rsa?.slot !== UPLOADED_SLOT ? undefined : rsa;
    checkCertificate(site.own[1] ?? null, ofOwn);
    const beside = rsa?.slot === UPLOADED_SLOT ? undefined : rsa;
    const ordered = [automatic, further, beside].filter((row) => row !== undefined);
    assert.is(site.automatic.length, ordered.length);
    for (const [i, row] of ordered.entries()) checkCertificate(site.automatic[i], row);
  }
  assert.is([...environment.sites.getKeys({})].length, count, 'deleted domains have no row');
}

test(`after ${STEPS} changes the sites match the rows and a rebuild, seed ${SEED}`, () =>
  withStore(embedded, async (store) => {
    const { environment, journal } = store;
    const random = new Random(SEED);
    const truths: Truth[] = Array.from({ length: 4 }, (_, i) => ({
      domain: newDomain(`s${i}.test.`),
      proxy: undefined,
      own: undefined,
      rsa: undefined,
      automatic: undefined,
      further: undefined,
    }));
    await write(environment, journal, 'test', (draft) => {
      for (const { domain } of truths) draft.put(domains, domain);
    });
    const made = ({ domain }: Truth): Certificate & AutomaticCertificate => ({
      domainId: domain.id,
      chain: `${random.below(8) === 0 ? 'Words\n' : ''}${random.pick(leaves)}${random.below(2) === 0 ? '' : middle}`,
      sealedKey: Buffer.from(`sealed ${random.below(1000)}`).toString('base64'),
      names: random.pick([[], ['a.test'], ['a.test', '*.a.test']]),
      ...{ notBefore: 0, notAfter: random.below(2 ** 31), createdAt: 0 },
    });
    const changes: ((draft: Draft, truth: Truth) => void)[] = [
      (draft, truth) => {
        const isOn = random.below(2) === 0;
        truth.proxy = {
          ...newProxy(truth.domain, isOn),
          disabledAt: isOn || random.below(2) === 0 ? null : random.below(2 ** 31),
        };
        draft.put(proxies, truth.proxy);
      },
      (draft, truth) => {
        const { names, ...unnamed } = made(truth);
        truth.own = random.below(3) === 0 ? unnamed : { ...unnamed, names };
        draft.put(certificates, truth.own);
      },
      (draft, truth) => {
        if (truth.rsa !== undefined) draft.delete(rsaCertificates, truth.rsa);
        truth.rsa =
          random.below(4) === 0
            ? undefined
            : { ...made(truth), ...{ slot: random.pick([0, 1, UPLOADED_SLOT]), renewAt: 1, directory: null } };
        if (truth.rsa !== undefined) draft.put(rsaCertificates, truth.rsa);
      },
      (draft, truth) => {
        truth.automatic = made(truth);
        draft.put(automaticCertificates, truth.automatic);
      },
      (draft, truth) => {
        truth.further = { ...made(truth), slot: 1, renewAt: 0, directory: null };
        draft.put(furtherCertificates, truth.further);
      },
      (draft, truth) => {
        if (truth.further !== undefined) draft.delete(furtherCertificates, truth.further);
        truth.further = undefined;
      },
      // Encrypted with another key.
      (draft, truth) => {
        if (truth.own === undefined) return;
        truth.own = { ...truth.own, sealedKey: Buffer.from(`anew ${random.below(1000)}`).toString('base64') };
        draft.put(certificates, truth.own);
      },
      (draft, truth) => {
        if (truth.own !== undefined) draft.delete(certificates, truth.own);
        truth.own = undefined;
      },
      (draft, truth) => {
        if (truth.automatic !== undefined) draft.delete(automaticCertificates, truth.automatic);
        truth.automatic = undefined;
      },
      (draft, truth) => {
        if (truth.proxy !== undefined) draft.delete(proxies, truth.proxy);
        if (truth.own !== undefined) draft.delete(certificates, truth.own);
        if (truth.automatic !== undefined) draft.delete(automaticCertificates, truth.automatic);
        if (truth.further !== undefined) draft.delete(furtherCertificates, truth.further);
        draft.delete(domains, truth.domain);
        const domain = { ...newDomain('again.test.'), apex: truth.domain.apex };
        Object.assign(truth, {
          domain,
          proxy: undefined,
          own: undefined,
          rsa: undefined,
          automatic: undefined,
          further: undefined,
        });
        draft.put(domains, domain);
      },
    ];
    for (let step = 0; step < STEPS; step++) {
      const [change, truth] = [random.pick(changes), random.pick(truths)];
      await write(environment, journal, 'test', (draft) => change(draft, truth));
      if (step % 5 === 0) check(store, truths);
    }
    check(store, truths);
    const kept = dump(environment, ['sites']);
    // A store of another version: the rows are missing or different.
    await environment.root.transaction(() => {
      environment.sites.clearSync();
      environment.sites.put(idKey(0), Buffer.alloc(9));
    });
    await rebuildAnswers(environment, DEFAULTS);
    assert.equal(dump(environment, ['sites']), kept);
  }));

test.run();
