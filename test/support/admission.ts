/** Admission of new domains, with settings of a test. */

import { loadConfig } from '../../core/config/index.ts';
import { type AdmissionSettings, DomainAdmission } from '../../core/upkeep/domains/admission.ts';

/** `limit`: maximum number of domains in the plan of test accounts; 0: unlimited. */
export function admissionOf(settings: Partial<AdmissionSettings>, limit = 0): DomainAdmission {
  return new DomainAdmission({ ...loadConfig({ env: {} }), plans: { free: limit }, ...settings } as AdmissionSettings);
}
