/**
 * `node many-sites-data.js FOLDER COUNT RULES OWN PORT`: a data folder of a daemon that is not
 * running, with so many domains, each with the proxy on, a certificate and key of its own, and so
 * many rules. OWN is 1 if rules of one domain differ from those of all others. The origin is on
 * PORT of 127.0.0.1.
 */

import { join } from 'node:path';
import { openSecrets } from '../../core/base/secrets.ts';
import { parseName } from '../../core/dns/wire/name.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import { write } from '../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../core/journal/embedded-journal.ts';
import { openEnvironment } from '../../core/store/environment.ts';
import { IndexWriter } from '../../core/store/index/writer.ts';
import { siteDocuments } from '../../core/store/rows/site-documents.ts';
import { automaticCertificates, domains, PRIMARY, proxies, records } from '../../core/store/rows.ts';
import { certificate, ecKey, pemOfKey } from '../../test/support/certificate.ts';
import { newId } from '../../test/support/ids.ts';
import { apexOf } from './many-sites-names.ts';
import { siteRules } from './site-rules.ts';

const [folder, ...figures] = process.argv.slice(2);
const [count, rules, areOwn, originPort] = figures.map(Number);
/** Domains of one commit. */
const AT_ONCE = 500;
const DAYS = 90;

const environment = openEnvironment(folder);
const secrets = openSecrets(join(folder, 'secret.key'));
// The daemon compiles all answers again for its own settings when it first starts.
const zoneSettings = {
  nameservers: ['ns1.bench.test', 'ns2.bench.test'],
  hostmaster: 'hostmaster.bench.test',
  ...{ refresh: 3600, retry: 600, expire: 86_400, minimum: 60, soaTtl: 240, nsTtl: 300 },
  cluster: { ipv4: ['192.0.2.1'], ipv6: [] },
};
const journal = openEmbeddedJournal({ environment, index: new IndexWriter(64 << 20), zoneSettings, history: 1 });

// As of an authority: each site's by one that stands between it and the root.
const [root, between] = [ecKey(), ecKey()];
const issuer = { name: 'Bench Issuing Authority', key: between };
const issuing = certificate({ ...issuer, issuer: { name: 'Bench Root', key: root }, ca: true });
const now = Math.floor(Date.now() / 1000);

for (let first = 0; first < count; first += AT_ONCE)
  await write(environment, journal, 'bench', (draft) => {
    for (let i = first; i < Math.min(first + AT_ONCE, count); i++) {
      const name = apexOf(i);
      const key = ecKey();
      const apex = parseName(`${name}.`);
      const id = newId();
      const [times, dnsNames] = [{ createdAt: now, updatedAt: now }, [name, `*.${name}`]];
      draft.insert(domains, { id, accountId: 0, apex, createdAt: now, kept: null, ...PRIMARY });
      for (const owner of [apex, parseName('www', apex)])
        draft.insert(records, {
          ...{ id: newId(), domainId: id, name: owner, type: TYPE.A, ttl: 300, proxied: null, ...times },
          rdata: Uint8Array.of(198, 51, 100, 7),
        });
      const [sslIssuedAt, sslExpiresAt] = [now, now + DAYS * 86_400];
      draft.insert(proxies, {
        ...{ domainId: id, enabled: true, originHost: '127.0.0.1', originPort, originProtocol: 'http' },
        ...{ sslStatus: 'active', sslIssuedAt, sslExpiresAt, sslError: null, orderRequestedAt: null, ...times },
      });
      if (rules > 0)
        draft.insert(siteDocuments, {
          ...{
            domainId: id,
            kind: 'rules',
            revision: 1,
            updatedAt: now,
            content: siteRules(rules, areOwn * i * rules),
          },
        });
      draft.insert(automaticCertificates, {
        domainId: id,
        chain: certificate({ name, key, issuer, dnsNames, to: DAYS }) + issuing,
        sealedKey: secrets.seal(Buffer.from(pemOfKey(key)), `automatic-certificate:${id}`).toString('base64'),
        names: dnsNames,
        ...{ notBefore: now, notAfter: sslExpiresAt, createdAt: now },
      });
    }
  });
await journal.close();
await environment.close();
