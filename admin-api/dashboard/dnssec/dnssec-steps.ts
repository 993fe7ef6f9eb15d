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
const TO_ANOTHER_ALGORITHM: readonly Status[] = [
  'rolling_sign',
  'rolling_publish',
  'rolling_ds',
  'rolling_withdraw',
  'rolling_resign',
  'secure',
];

/** Empty: no process is running. */
export function dnssecSteps({ status, keys, next_step: nextStep, next_at: nextAt }: DnssecView): Step[] {
  const hasTwoAlgorithms = new Set(keys.map(({ algorithm }) => algorithm)).size > 1;
  const paths = hasTwoAlgorithms ? [TO_ANOTHER_ALGORITHM, ...PATHS] : PATHS;
  const path = paths.find((statuses) => statuses.indexOf(status) >= 0 && statuses.at(-1) !== status);
  if (path === undefined) return [];
  const current = path.indexOf(status);
  return path.map((step, index) => ({
    state: index < current ? 'done' : index === current ? 'now' : 'next',
    text: hasTwoAlgorithms && step === 'rolling_resign' ? TEXTS.dnssec.lastStep : TEXTS.dnssec.steps[step],
    ...(index === current && nextStep !== null ? { detail: nextStep } : {}),
    ...(index === current && nextAt !== null ? { until: nextAt } : {}),
  }));
}

/** True while no cache depends on the new key alone. */
export const mayCancel = ({ status }: DnssecView): boolean =>
  status === 'rolling_sign' || status === 'rolling_publish' || status === 'rolling_ds';

export const mayRoll = ({ status }: DnssecView): boolean => status === 'secure' || status === 'awaiting_ds';
