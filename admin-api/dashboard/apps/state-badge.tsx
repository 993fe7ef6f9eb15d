/** A badge with the state of a package. */
import type { UploadBrief } from '../api/views.ts';
import { TEXTS } from '../texts.ts';

type State = UploadBrief['status'];

const TONES: Partial<Record<State, string>> = {
  approved: 'badge-good',
  published: 'badge-good',
  rejected: 'badge-bad',
  suspended: 'badge-bad',
  in_review: 'badge-warning',
};

export function StateBadge({ state }: { readonly state: State }) {
  return <span class={`badge ${TONES[state] ?? ''}`}>{TEXTS.apps.states[state]}</span>;
}

/** Whether the audit is pending or running. */
export const isInAudit = (state: State): boolean => state === 'pending' || state === 'scanning';
