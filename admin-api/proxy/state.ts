/** Finds what the customer should know about a proxy in addition to its settings. */
import type { Domain, ProxyConfig } from '../../core/store/rows.ts';
import type { Services } from '../change/services.ts';
import { type Exposed, findExposed, MAX_EXPOSED } from './exposed.ts';
import type { OriginRules } from './origin-rules.ts';
import { NO_SURVEY, surveyNames } from './survey.ts';
import { findWarnings } from './warnings.ts';

export interface ProxyState {
  readonly exposed: readonly Exposed[];
  readonly warnings: readonly string[];
}

/** `row`: the proxy as it will be. Sends no DNS query. */
export async function findState(
  services: Services,
  rules: OriginRules,
  domain: Domain,
  row: ProxyConfig,
): Promise<ProxyState> {
  const survey = row.enabled ? await surveyNames(services, rules.allowPrivate, domain, row) : NO_SURVEY;
  const warnings = row.enabled ? await findWarnings(services, rules, domain, row, survey) : [];
  const { exposed, more } = await findExposed(services, domain, row, survey.addresses);
  return { exposed, warnings: more ? [...warnings, CUT] : warnings };
}

const CUT = `Only the first ${MAX_EXPOSED} of the records that reveal where an origin is are listed; there are more.`;
