/** Which certificate covers each proxied name of a domain, and which names none covers. */

import { X509Certificate } from 'node:crypto';
import { CoveredNames } from '../../../core/site/tls/covered-names.ts';
import { type HostSource, scanProxiedHosts } from '../../../core/site/tls/proxied-hosts.ts';
import { isRefusalOf } from '../../../core/site/tls/refused-names.ts';
import type { Reader } from '../../../core/store/reader.ts';
import {
  type AutomaticCertificate,
  type Certificate,
  type Domain,
  type ProxyConfig,
  UPLOADED_SLOT,
} from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import { formatTime } from '../../http/time.ts';
import { issuerOf } from './issuer.ts';

export interface CoveringCertificate {
  readonly source: 'automatic' | 'uploaded';
  readonly names: readonly string[];
  readonly key_type: 'ecdsa' | 'rsa';
  readonly issuer: string | null;
  readonly issued_at: string;
  readonly expires_at: string;
  readonly hosts: readonly string[];
}

export interface UncoveredName {
  readonly name: string;
  readonly why: string;
  readonly next_attempt_at: string | null;
}

export interface Coverage {
  readonly certificates: readonly CoveringCertificate[];
  readonly uncovered: readonly UncoveredName[];
  readonly warnings: readonly string[];
}

/** Maximum names, hosts of a certificate and uncovered names in a response. */
const MAX_LISTED = 100;
/** Maximum names in a warning. */
const MAX_SHOWN = 20;

interface Stored {
  readonly source: CoveringCertificate['source'];
  readonly row: Certificate | AutomaticCertificate;
  readonly covered: CoveredNames;
  readonly isRsa: boolean;
  readonly hosts: string[];
}

/**
 * `reader`: during a change its draft, so that new certificates count. `row`: the proxy settings
 * after the change. Records are those that are committed.
 */
export async function findCoverage(
  source: HostSource & Pick<Services, 'config'>,
  reader: Reader,
  domain: Domain,
  { enabled }: ProxyConfig,
): Promise<Coverage> {
  const stored = storedCertificates(reader, domain, source.config.acme.alsoRsa);
  const uncovered: string[] = [];
  let count = 0;
  // An ordered certificate is not renewed next to an uploaded one, so it does not count.
  const isUploaded = stored.some((certificate) => certificate.source === 'uploaded');
  const counting = stored.filter((certificate) => !isUploaded || certificate.source === 'uploaded');
  const isCovered = (host: string): boolean => counting.some(({ covered }) => covered.covers(host));
  const holderOf = (host: string) => stored.find(({ covered }) => covered.covers(host));
  if (enabled || stored.length > 0)
    await scanProxiedHosts(source, domain, {
      isWanted: (host) => !isCovered(host) || holderOf(host)!.hosts.length < MAX_LISTED,
      visit(host) {
        const holder = holderOf(host);
        if (holder !== undefined && holder.hosts.length < MAX_LISTED) {
          holder.hosts.push(host);
          const { source: from } = holder;
          const isBeside = (each: Stored): boolean => each.isRsa && each.source === from && each.covered.covers(host);
          if (!holder.isRsa) stored.find(isBeside)?.hosts.push(host);
        }
        if (isCovered(host)) return;
        if (++count <= MAX_LISTED) uncovered.push(host);
      },
    });
  const refused = isUploaded || !enabled ? [] : (reader.acmeOrder(domain.id)?.refused ?? []);
  const why = isUploaded ? NOT_IN_UPLOADED : enabled ? TO_BE_ORDERED : PROXY_OFF;
  return {
    certificates: stored.map(viewStored),
    uncovered: uncovered.map((name) => {
      const refusal = refused.find((each) => isRefusalOf(each.name, name));
      const next_attempt_at = refusal === undefined ? null : formatTime(refusal.retryAt);
      return { name, why: refusal?.why ?? why, next_attempt_at };
    }),
    warnings: stored.length === 0 || count === 0 ? [] : [warningOf(uncovered, count, isUploaded)],
  };
}

const NOT_IN_UPLOADED =
  'The uploaded certificate does not cover the name. Upload one that does, or delete it to get automatic ones.';
const TO_BE_ORDERED = 'A certificate for the name is ordered automatically.';
const PROXY_OFF = 'A certificate for the name is ordered when the proxy is turned on.';

/** In the order in which the edge selects them, without those that it does not serve. */
function storedCertificates(reader: Reader, { id }: Domain, servesOrderedRsa: boolean): Stored[] {
  const uploaded = reader.certificate(id);
  const automatic = reader.automaticCertificate(id);
  const rsa = reader.rsaCertificates(id);
  const open = (source: Stored['source'], row: Stored['row']): Stored => {
    const { names, isRsa } = factsOf(row);
    return { source, row, covered: names, isRsa, hosts: [] };
  };
  const beside = (isOfUploaded: boolean) =>
    isOfUploaded || servesOrderedRsa ? rsa.filter(({ slot }) => (slot === UPLOADED_SLOT) === isOfUploaded) : [];
  return [
    ...(uploaded === undefined ? [] : [uploaded, ...beside(true)]).map((row) => open('uploaded', row)),
    ...(automatic === undefined ? [] : [automatic]).map((row) => open('automatic', row)),
    ...[...reader.furtherCertificates(id), ...beside(false)].map((row) => open('automatic', row)),
  ];
}

function factsOf({ names, chain }: Certificate): { readonly names: CoveredNames; readonly isRsa: boolean } {
  try {
    const leaf = new X509Certificate(chain);
    return {
      names: names === undefined ? CoveredNames.read(leaf.subjectAltName) : CoveredNames.of(names),
      isRsa: leaf.publicKey.asymmetricKeyType === 'rsa',
    };
  } catch {
    return { names: CoveredNames.of(names ?? []), isRsa: false };
  }
}

function viewStored({ source, row, covered, isRsa, hosts }: Stored): CoveringCertificate {
  return {
    source,
    names: covered.list().slice(0, MAX_LISTED),
    key_type: isRsa ? 'rsa' : 'ecdsa',
    issuer: issuerOf(row.chain),
    issued_at: formatTime(row.notBefore),
    expires_at: formatTime(row.notAfter),
    hosts,
  };
}

function warningOf(names: readonly string[], count: number, isUploaded: boolean): string {
  const rest = count > MAX_SHOWN ? ` and ${count - MAX_SHOWN} more` : '';
  const shown = `${names.slice(0, MAX_SHOWN).join(', ')}${rest}`;
  return isUploaded
    ? `The certificate does not cover ${shown}: browsers warn visitors of these names while the proxy is on.`
    : `No certificate covers ${shown} yet: browsers warn visitors of these names until one is issued.`;
}
