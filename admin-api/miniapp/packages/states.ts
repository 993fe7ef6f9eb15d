/** The states of a package, the allowed transitions, and their effects on the app. */

import { StateError } from '../../../core/base/errors.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { appOf, uploadOf } from '../../../core/store/package-reads.ts';
import {
  type App,
  apps,
  CURRENT_STATES,
  type CurrentState,
  type Upload,
  type UploadState,
  type UploadStep,
  uploads,
} from '../../../core/store/rows.ts';
import { nowSeconds } from '../../http/time.ts';

/** For each state, the states from which a transition is allowed. */
const ALLOWED_FROM: Readonly<Record<UploadState, readonly UploadState[]>> = {
  pending: [],
  scanning: ['pending'],
  rejected: ['scanning', 'in_review', 'approved'],
  in_review: ['scanning'],
  // From `suspended`: a suspension can be reverted.
  approved: ['scanning', 'in_review', 'suspended'],
  published: ['approved'],
  superseded: ['scanning', 'in_review', 'approved', 'published'],
  suspended: ['approved', 'published'],
  withdrawn: ['pending', 'scanning', 'in_review', 'approved', 'published'],
};

export type StepReason = Partial<Pick<UploadStep, 'by' | 'reason' | 'codes'>>;

export const newStep = (state: UploadState, { by = null, reason = null, codes = [] }: StepReason = {}): UploadStep => ({
  state,
  at: nowSeconds(),
  by,
  reason,
  codes,
});

/**
 * Moves an upload to a new state, and updates its app. Returns the new row. Throws StateError
 * `wrong_state`, `version_superseded` or `app_suspended`.
 */
export function move(draft: Draft, upload: Upload, state: UploadState, why?: StepReason): Upload {
  if (upload.state === state) throw new StateError('wrong_state', `The package is already ${formatState(state)}.`);
  if (!ALLOWED_FROM[state].includes(upload.state))
    throw new StateError(
      'wrong_state',
      `The package is ${formatState(upload.state)}; it cannot become ${formatState(state)}.`,
    );
  const app = appOf(draft, upload.appId);
  if (app === undefined) throw new Error('an upload has no app');
  if (app.suspended !== null && (state === 'approved' || state === 'published'))
    throw new StateError('app_suspended', `The app is suspended: ${app.suspended}`);
  if ((state === 'approved' || state === 'published') && !draft.hasAccount(app.accountId))
    throw new StateError('wrong_state', 'The account of the package was deleted; the package will be deleted, too.');
  if (state === 'approved' && isOutdated(app, upload))
    throw new StateError('version_superseded', 'A later version of the app has already been approved.');
  const step = newStep(state, why);
  const moved: Upload = {
    ...upload,
    state,
    history: [...upload.history, step],
    claim: state === 'scanning' ? upload.claim : null,
    updatedAt: step.at,
  };
  draft.put(uploads, moved);
  draft.put(apps, followed(app, moved));
  for (const id of supersededIds(draft, app, moved)) {
    const other = uploadOf(draft, id);
    if (other !== undefined) move(draft, other, 'superseded', { reason: `Version ${moved.version} has replaced it.` });
  }
  return moved;
}

/** Whether a later version of the app was approved. */
export const isOutdated = (app: App, { versionCode }: Upload): boolean => versionCode < app.approvedCode;

function followed(app: App, { id, state, versionCode, updatedAt }: Upload): App {
  const current = { ...app.current };
  for (const slot of CURRENT_STATES) {
    if (slot === state) current[slot] = id;
    else if (current[slot] === id) current[slot] = null;
  }
  const approvedCode = state === 'approved' ? Math.max(app.approvedCode, versionCode) : app.approvedCode;
  return { ...app, current, approvedCode, updatedAt };
}

/**
 * Ids of the packages that a new state supersedes: that in the same state, and an older one in
 * review.
 */
function supersededIds(draft: Draft, { current }: App, { id, state, versionCode }: Upload): Id[] {
  const ids: (Id | null)[] = isCurrent(state) ? [current[state]] : [];
  if (state === 'approved' && current.in_review !== null) {
    const reviewed = uploadOf(draft, current.in_review);
    if (reviewed !== undefined && reviewed.versionCode < versionCode) ids.push(reviewed.id);
  }
  return ids.filter((other) => other !== null && other !== id) as Id[];
}

const isCurrent = (state: UploadState): state is CurrentState => CURRENT_STATES.some((current) => current === state);

/** The name of a state in messages. */
const formatState = (state: UploadState): string => state.replace('_', ' ');
