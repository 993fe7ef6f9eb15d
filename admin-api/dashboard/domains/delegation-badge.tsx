/** A badge with the state of a delegation. */
import type { ListedDomain } from '../api/views.ts';
import { TEXTS } from '../texts.ts';

export type DelegationState = ListedDomain['delegation'];

const CLASSES: Readonly<Record<DelegationState, string>> = {
  live: 'badge badge-good',
  partial: 'badge badge-bad',
  elsewhere: 'badge',
  none: 'badge',
  unknown: 'badge badge-quiet',
};

export function DelegationBadge({ state }: { readonly state: DelegationState }) {
  const { short, long } = TEXTS.delegation.states[state];
  return (
    <span class={CLASSES[state]} title={long}>
      {short}
    </span>
  );
}
