/** Decisions of owners and reviewers on packages and apps. */
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { uploadOf } from '../../../core/store/package-reads.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { type App, apps, type Upload, type UploadState } from '../../../core/store/rows.ts';
import { change } from '../../change/change.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import type { Context } from '../../http/route.ts';
import { nowSeconds } from '../../http/time.ts';
import { anyApp } from './owned.ts';
import { move, type StepReason } from './states.ts';
import { viewApp, viewUploadBrief } from './view.ts';

/** Actions in the audit log by state. */
const ACTIONS = {
  approved: 'package.approve',
  published: 'package.publish',
  rejected: 'package.reject',
  suspended: 'package.suspend',
  withdrawn: 'package.withdraw',
} as const satisfies Partial<Record<UploadState, string>>;

/** `find` throws HttpError 404. Throws StateError. */
export function changeUploadState(
  services: Services,
  context: Context<Caller>,
  find: (reader: Reader) => Upload,
  state: keyof typeof ACTIONS,
  why: StepReason = {},
) {
  const work = (draft: Draft) => {
    const moved = advance(services, draft, find(draft), state, { ...why, by: context.caller.account.username });
    return {
      action: ACTIONS[state],
      accountId: moved.accountId,
      target: moved.id,
      detail: { app_id: moved.appId, version_code: moved.versionCode, ...(why.reason && { reason: why.reason }) },
      createResponse: () => ({ upload: viewUploadBrief(moved) }),
    };
  };
  // Uploads of its developer must not delay the end of a package.
  return change(services, context, work, { isUrgent: state === 'suspended' });
}

function advance({ config }: Services, draft: Draft, upload: Upload, state: UploadState, why: StepReason): Upload {
  const moved = move(draft, upload, state, why);
  return state === 'approved' && config.packages.publish === 'automatic' ? move(draft, moved, 'published') : moved;
}

/** Suspends and blocks an app with its approved and published packages. Throws HttpError 404. */
export function suspendApp(services: Services, context: Context<Caller>, id: string, reason: string) {
  const { username: by } = context.caller.account;
  const work = (draft: Draft) => {
    const app = anyApp(draft, id);
    for (const current of [app.current.published, app.current.approved]) {
      const upload = current === null ? undefined : uploadOf(draft, current);
      if (upload !== undefined) move(draft, upload, 'suspended', { by, reason });
    }
    return put(draft, { ...anyApp(draft, id), suspended: reason }, 'app.suspend', { reason });
  };
  return change(services, context, work, { isUrgent: true });
}

/**
 * Allows uploads to an app again. Suspended packages stay suspended until each is approved. Throws
 * HttpError 404.
 */
export function reinstateApp(services: Services, context: Context<Caller>, id: string) {
  return change(services, context, (draft) => {
    const app = anyApp(draft, id);
    return { ...put(draft, { ...app, suspended: null }, 'app.reinstate', {}), unchanged: app.suspended === null };
  });
}

function put(draft: Draft, app: App, action: string, detail: Readonly<Record<string, unknown>>) {
  const row = { ...app, updatedAt: nowSeconds() };
  draft.put(apps, row);
  return {
    action,
    accountId: row.accountId,
    target: row.id,
    detail: { app_id: row.id, ...detail },
    createResponse: () => ({ app: viewApp(draft, row) }),
  };
}
