/** What decides on new domains, with settings of a test. */

import { loadConfig } from '../../core/config/index.ts';
import { type AdmissionSettings, DomainAdmission } from '../../core/upkeep/domains/admission.ts';

/** `limit`: of the plan of test accounts; 0: none. */
export function admissionOf(settings: Partial<AdmissionSettings>, limit = 0): DomainAdmission {
  return new DomainAdmission({ ...loadConfig({ env: {} }), plans: { free: limit }, ...settings } as AdmissionSettings);
}
