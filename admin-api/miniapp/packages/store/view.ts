/** Converts published packages from rows to responses. */
import { formatTime } from '../../../http/time.ts';
import { STORE } from '../paths.ts';
import { POLICY_REFERENCE } from '../policy.ts';
import type { Signature } from './keys.ts';
import type { Published } from './published.ts';

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
