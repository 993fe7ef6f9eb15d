/** Describes the current DNSSEC process of a zone as steps. */
import type { DnssecView } from '../api/views.ts';
import type { Step } from '../parts/step.ts';
import { TEXTS } from '../texts.ts';

type Status = DnssecView['status'];

const PATHS: readonly (readonly Status[])[] = [
  ['signing', 'awaiting_ds', 'secure'],
  ['rolling_publish', 'rolling_ds', 'rolling_resign', 'retire', 'secure'],
  ['removing_ds', 'off'],
];

/** Empty: no process is running. */
export function dnssecSteps({ status, next_step: nextStep, next_at: nextAt }: DnssecView): Step[] {
  const path = PATHS.find((statuses) => statuses.indexOf(status) >= 0 && statuses.at(-1) !== status);
  if (path === undefined) return [];
  const current = path.indexOf(status);
  return path.map((step, index) => ({
    state: index < current ? 'done' : index === current ? 'now' : 'next',
    text: TEXTS.dnssec.steps[step],
    ...(index === current && nextStep !== null ? { detail: nextStep } : {}),
    ...(index === current && nextAt !== null ? { until: nextAt } : {}),
  }));
}

/** True while the new key does not sign the zone yet. */
export const mayCancel = ({ status }: DnssecView): boolean => status === 'rolling_publish' || status === 'rolling_ds';

export const mayRoll = ({ status }: DnssecView): boolean => status === 'secure' || status === 'awaiting_ds';
