/**
 * Determines which account holds the id of an app. A package without an accepted version holds it
 * only during its audit and review. Otherwise rejected packages would block the ids of others.
 */
import { StateError } from '../../../core/base/errors.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { appsOf, uploadsOf } from '../../../core/store/package-reads.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { type App, apps, isOver, reports, uploads } from '../../../core/store/rows.ts';

/** Whether another account may take the id: no version was accepted, and none is examined. */
export const isReleased = (reader: Reader, app: App): boolean =>
  app.approvedCode === 0 &&
  app.suspended === null &&
  uploadsOf(reader, app.id, null).every(({ state }) => isOver(state));

/** Deletes a released app with its packages and their reports. */
export function deleteReleased(draft: Draft, app: App): void {
  for (const upload of uploadsOf(draft, app.id, null)) {
    draft.delete(uploads, upload);
    draft.delete(reports, { uploadId: upload.id, findings: NOTHING });
  }
  draft.delete(apps, app);
}

/**
 * The app that makes room for a new one: null below the limit; at the limit, the one whose id was
 * released for longest. Throws StateError `app_limit`. `maxApps` 0: no limit.
 */
export function appToReplace(reader: Reader, accountId: Id, maxApps: number): App | null {
  const own = maxApps === 0 ? [] : appsOf(reader, accountId, null, maxApps);
  if (own.length < maxApps || maxApps === 0) return null;
  const released = own.filter((app) => isReleased(reader, app)).sort((a, b) => a.updatedAt - b.updatedAt);
  if (released.length > 0) return released[0];
  throw new StateError('app_limit', `The account has ${maxApps} apps, which is the limit.`);
}

const NOTHING = Buffer.alloc(0);
