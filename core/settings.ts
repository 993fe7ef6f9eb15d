/** What the configuration comes to in the parts that do not know it. */

import { cookieSecrets } from './answer/cookie-secret.ts';
import type { AnswerSettings } from './answer/settings.ts';
import type { Secrets } from './base/secrets.ts';
import type { Config } from './config/index.ts';
import type { ZoneSettings } from './zone/settings.ts';

/** What every zone begins with. */
export function zoneSettings({ nameservers, soa, cluster }: Config): ZoneSettings {
  const first = nameservers[0];
  const parent = first.slice(first.indexOf('.') + 1) || first;
  return {
    nameservers,
    hostmaster: soa.hostmaster ?? `hostmaster.${parent}`,
    refresh: soa.refresh,
    retry: soa.retry,
    expire: soa.expire,
    minimum: soa.minimum,
    soaTtl: soa.ttl,
    nsTtl: soa.nsTtl,
    cluster: { ipv4: cluster.ipv4, ipv6: cluster.ipv6 },
  };
}

/** What responses hold beside records. */
export function answerSettings({ dns }: Config, secrets: Secrets): AnswerSettings {
  const { cookies, cookieSecret, cookieSecretPrevious, nsid, version, identity, tcpIdleTimeout } = dns;
  const known = cookies === 'off' ? [] : cookieSecrets(secrets, cookieSecret, cookieSecretPrevious);
  return { cookies, cookieSecrets: known, nsid, version, identity, tcpIdleTimeout };
}
