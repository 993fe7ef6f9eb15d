/** Finds the certificates, the exposed names and the warnings of a proxy. */
import { ORIGINS } from '../../../core/site/pools/document.ts';
import type { Reader } from '../../../core/store/reader.ts';
import type { Domain, ProxyConfig } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import { type CertificateView, viewCertificate } from './certificate-view.ts';
import { type Coverage, findCoverage } from './coverage.ts';
import { type Exposed, findExposed, MAX_EXPOSED } from './exposed.ts';
import type { OriginRules } from './origin-rules.ts';
import { NO_SURVEY, surveyNames } from './survey.ts';
import { addressWarnings, findWarnings } from './warnings.ts';

export interface ProxyState {
  readonly certificate: CertificateView;
  readonly coverage: Coverage;
  readonly exposed: readonly Exposed[];
  readonly warnings: readonly string[];
}

/**
 * `row`: the proxy settings after the change. `reader`: for the certificates and the pools; during
 * a change, its draft. Sends no DNS query.
 */
export async function findState(
  services: Services,
  rules: OriginRules,
  reader: Reader,
  domain: Domain,
  row: ProxyConfig,
): Promise<ProxyState> {
  const { origins: pools } = ORIGINS.content(reader, domain.id);
  const survey = row.enabled ? await surveyNames(services, rules.allowPrivate, domain, row, pools) : NO_SURVEY;
  const coverage = await findCoverage(services, reader, domain, row);
  const warnings = row.enabled
    ? [
        ...addressWarnings(services.zoneSettings.cluster),
        ...(await findWarnings(services, rules, domain, row, survey, pools.length > 0)),
        ...coverage.warnings,
      ]
    : [];
  const { exposed, more } = await findExposed(services, domain, row, survey.addresses);
  const certificate = viewCertificate(reader, row);
  return { certificate, coverage, exposed, warnings: more ? [...warnings, CUT] : warnings };
}

const CUT = `Only the first ${MAX_EXPOSED} of the records that reveal where an origin is are listed; there are more.`;
