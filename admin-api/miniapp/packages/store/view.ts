/** Converts published packages from rows to responses. */

import { appOf, uploadOf } from '../../../../core/store/package-reads.ts';
import type { Reader } from '../../../../core/store/reader.ts';
import type { Listing, Upload } from '../../../../core/store/rows.ts';
import { HttpError } from '../../../http/errors.ts';
import { formatTime } from '../../../http/time.ts';
import { isAppId } from '../owned.ts';
import { STORE } from '../paths.ts';
import { POLICY_REFERENCE } from '../policy.ts';
import type { Signature } from './keys.ts';

/** Characters of a description in the list. */
export const SHORT_DESCRIPTION = 200;

export function viewStoreApp(
  { upload, listing, publishedAt }: Published,
  signatures: readonly Signature[],
  maxDescription = Number.POSITIVE_INFINITY,
) {
  const { appId, version, versionCode, size, sha256 } = upload;
  const { name, description, category, minHostVersion, permissions, backgroundPermissions, icon } = listing;
  return {
    app_id: appId,
    name,
    version,
    version_code: versionCode,
    description: description === null ? null : shortened(description, maxDescription),
    category,
    min_host_version: minHostVersion,
    permissions,
    background_permissions: backgroundPermissions,
    icon_url: icon === null ? null : `${STORE}/${appId}/icon`,
    package_url: `${STORE}/${appId}/package`,
    size,
    sha256,
    ...signatures[0],
    signatures,
    policy: { version: POLICY_REFERENCE.version, sha256: POLICY_REFERENCE.sha256, url: POLICY_REFERENCE.url },
    published_at: formatTime(publishedAt),
  };
}

/** By characters, so that none is cut in half. */
function shortened(description: string, max: number): string {
  if (description.length <= max) return description;
  const characters = Array.from(description.slice(0, 2 * max + 1));
  return characters.length <= max ? description : `${characters.slice(0, max).join('')}…`;
}

export interface Published {
  readonly upload: Upload;
  readonly listing: Listing;
  /** In seconds since 1970. */
  readonly publishedAt: number;
}

/**
 * Finds the packages that the store shows. The published package of an app, as this node has
 * applied it; undefined: there is none.
 */
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
