/** Reads from a package what the store shows of it. */
import type { PackageFile } from '../audit/content.ts';
import { MOST_BYTES } from '../audit/manifest/icon.ts';
import { pictureOf } from '../audit/manifest/image.ts';
import type { Manifest } from '../audit/manifest/manifest.ts';
import type { FoundIcon, PackageFacts } from './audit-task.ts';

const TYPES = { PNG: 'image/png', JPEG: 'image/jpeg', WebP: 'image/webp' } as const;

export function readListing(manifest: Manifest): PackageFacts['listing'] {
  const { name, description = null, category = null, minHostVersion, permissions, background } = manifest;
  if (name === undefined || minHostVersion === undefined) return null;
  const backgroundPermissions = background?.enabled ? background.permissions : [];
  return { name, description, category, minHostVersion, permissions, backgroundPermissions };
}

/** The type is that of the content, so that no other content is served as an image. */
export async function readIcon(file: PackageFile | undefined): Promise<FoundIcon | null> {
  if (file === undefined || file.size > MOST_BYTES) return null;
  const bytes = await file.read();
  const picture = bytes === undefined || bytes.length > MOST_BYTES ? undefined : pictureOf(bytes);
  if (bytes === undefined || picture?.size === undefined) return null;
  return { type: TYPES[picture.format], bytes: Uint8Array.from(bytes) };
}
