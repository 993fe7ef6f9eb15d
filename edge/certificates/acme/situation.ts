/** Reads what `decide` needs to know of a domain, from the store or a draft. */

import { CoveredNames } from '../../../core/site/tls/covered-names.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import {
  type AutomaticCertificate,
  type FurtherCertificate,
  type RsaCertificate,
  UPLOADED_SLOT,
} from '../../../core/store/rows.ts';
import type { Situation } from './decide.ts';
import type { HeldCertificate } from './slots.ts';
import { renewalTime } from './times.ts';

export interface StoredSituation extends Situation {
  readonly automatic: AutomaticCertificate | undefined;
  readonly further: readonly FurtherCertificate[];
  readonly rsa: readonly RsaCertificate[];
}

/** `found`: uncovered names that were found earlier. Those that are covered now do not count. */
export function situationOf(reader: Reader, domainId: Id, found: readonly string[] = []): StoredSituation {
  // A deleted domain has its rows until it is deleted for good.
  const proxy = reader.domain(domainId) === undefined ? undefined : reader.proxy(domainId);
  const automatic = reader.automaticCertificate(domainId);
  const further = reader.furtherCertificates(domainId);
  const covers = coverageOf(automatic, further);
  return {
    proxy,
    isCustom: proxy !== undefined && reader.certificate(domainId) !== undefined,
    automatic,
    further,
    rsa: reader.rsaCertificates(domainId).filter(({ slot }) => slot !== UPLOADED_SLOT),
    order: reader.acmeOrder(domainId),
    uncovered: found.filter((host) => !covers(host)),
  };
}

/** Whether a host is covered by one of the certificates, also an expired one. */
export function coverageOf(
  automatic: AutomaticCertificate | undefined,
  further: readonly FurtherCertificate[],
): (host: string) => boolean {
  const covered = [...(automatic === undefined ? [] : [automatic]), ...further].map(({ names }) =>
    CoveredNames.of(names),
  );
  return (host) => covered.some((names) => names.covers(host));
}

/** The automatic certificates of a domain, by slot. */
export function certificatesOf({ automatic, further, order }: StoredSituation): HeldCertificate[] {
  if (automatic === undefined) return [...further];
  const { notBefore, notAfter } = automatic;
  const renewAt = order?.renewAt ?? renewalTime(notBefore, notAfter, 0);
  return [{ ...automatic, slot: 0, renewAt, directory: order?.directory ?? null }, ...further];
}
