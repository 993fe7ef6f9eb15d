/** Finds the packages that the store shows. */
import { appOf, uploadOf } from '../../../../core/store/package-reads.ts';
import type { Reader } from '../../../../core/store/reader.ts';
import type { Listing, Upload } from '../../../../core/store/rows.ts';
import { HttpError } from '../../../http/errors.ts';
import { isAppId } from '../owned.ts';

export interface Published {
  readonly upload: Upload;
  readonly listing: Listing;
  /** In seconds since 1970. */
  readonly publishedAt: number;
}

/** The published package of an app, as this node has applied it; undefined: there is none. */
export function publishedOf(reader: Reader, appId: string): Published | undefined {
  const app = isAppId(appId) ? appOf(reader, appId) : undefined;
  if (app === undefined || app.current.published === null || app.suspended !== null) return undefined;
  const upload = uploadOf(reader, app.current.published);
  // Uploads of earlier versions have no listing.
  const listing = upload?.listing ?? null;
  if (upload?.state !== 'published' || listing === null) return undefined;
  if (!reader.hasAccount(app.accountId)) return undefined;
  const publishedAt = upload.history.findLast(({ state }) => state === 'published')?.at ?? upload.updatedAt;
  return { upload, listing, publishedAt };
}

/** Throws HttpError 404. */
export function requirePublished(reader: Reader, appId: string): Published {
  const published = publishedOf(reader, appId);
  if (published !== undefined) return published;
  throw new HttpError(404, 'no_such_app', 'The store has no app with this id.');
}
