/** Sites over a store, informed of changes as the threads are. */
import { join } from 'node:path';
import { openSecrets, type Secrets } from '../../../core/base/secrets.ts';
import type { Exemptions } from '../../../core/net/address/index.ts';
import type { AutomaticCertificate, Certificate, Domain } from '../../../core/store/rows.ts';
import { watchSites } from '../../../edge/daemon/edge.ts';
import type { PoolTools } from '../../../edge/sites/site-pools.ts';
import { Sites } from '../../../edge/sites/sites.ts';
import { DEFAULTS, embedded, type Store, withStore } from '../../core/journal/fixture.ts';
import { certificate, ecKey, type KeyPair, pemOfKey, rsaKey } from '../../support/certificate.ts';

/** Pools that report nothing. */
export const NO_POOLS: PoolTools = {
  stickyKeys: [Buffer.alloc(32)],
  openKey: () => '',
  onEjected() {},
  onFault() {},
  onRetry() {},
  onUnusable() {},
};

export interface SitesRig extends Store {
  readonly sites: Sites;
  readonly secrets: Secrets;
  /** What was reported of certificates. */
  readonly events: string[];
}

export const withSites = (
  use: (rig: SitesRig) => Promise<void>,
  exemptions: Exemptions = [],
  servesOrderedRsa = true,
): Promise<void> =>
  withStore(embedded, async (store) => {
    const secrets = openSecrets(join(store.folder, 'secret.key'));
    const events: string[] = [];
    const sites = new Sites({
      directory: store.folder,
      zoneSettings: DEFAULTS,
      exemptions,
      documents: { pools: NO_POOLS },
      region: '',
      servesOrderedRsa,
      certificates: 2000,
      secrets,
      log: {
        expired: (domain) => events.push(`${domain} expired`),
        unusable: (domain, reason) => events.push(`${domain} ${reason}`),
      },
    });
    watchSites(store.journal, (changed) => sites.changed(structuredClone(changed)));
    try {
      await use({ ...store, sites, secrets, events });
    } finally {
      await sites.close();
    }
  });

export interface Made {
  readonly names: readonly string[];
  readonly pem: string;
  readonly key: KeyPair;
}

export const makeCertificate = (dnsNames: readonly string[], days: { from?: number; to?: number } = {}): Made =>
  makeFor(ecKey(), dnsNames, days);

export const makeRsaCertificate = (dnsNames: readonly string[]): Made => makeFor(rsaKey(2048), dnsNames, {});

function makeFor(key: KeyPair, dnsNames: readonly string[], days: { from?: number; to?: number }): Made {
  return {
    names: dnsNames,
    key,
    pem: certificate({ name: dnsNames[0].replace('*.', ''), key, dnsNames: [...dnsNames], ...days }),
  };
}

const rowOf = (
  secrets: Secrets,
  { id }: Domain,
  { pem, key }: Made,
  context: string,
  expires: number,
): Certificate => ({
  domainId: id,
  chain: pem,
  sealedKey: secrets.seal(Buffer.from(pemOfKey(key)), `${context}:${id}`).toString('base64'),
  notBefore: 0,
  notAfter: expires,
  createdAt: 0,
});

const LATER = Math.floor(Date.now() / 1000) + 86_400;

export const ownRow = (secrets: Secrets, domain: Domain, made: Made, expires = LATER): Certificate =>
  rowOf(secrets, domain, made, 'certificate', expires);

export const automaticRow = (secrets: Secrets, domain: Domain, made: Made, expires = LATER): AutomaticCertificate => ({
  ...rowOf(secrets, domain, made, 'automatic-certificate', expires),
  names: made.names,
});
