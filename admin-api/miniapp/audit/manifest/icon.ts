/**
 * Checks the icon of an app. SVG is not allowed: the icon is shown outside the sandbox, and SVG can
 * contain scripts.
 */
import type { PackageFile } from '../content.ts';
import { pictureOf } from './image.ts';
import type { ObjectReader } from './object-reader.ts';

const FORMAT_OF: Readonly<Record<string, string>> = { png: 'PNG', jpg: 'JPEG', jpeg: 'JPEG', webp: 'WebP' };
/** Pixels. A smaller icon looks blurred on every screen; a larger one has no benefit. */
const SMALLEST = 48;
const LARGEST = 1024;
/** Bytes. The store does not show larger icons. */
export const MOST_BYTES = 512 * 1024;

export async function auditIcon(
  path: string,
  files: ReadonlyMap<string, PackageFile>,
  manifest: ObjectReader,
): Promise<void> {
  const file = files.get(path);
  if (file === undefined) {
    manifest.add('icon_missing', 'icon', 'There is no such file in the package.');
    return;
  }
  const extension = /\.([^./]+)$/.exec(path)?.[1].toLowerCase() ?? '';
  const expected = Object.hasOwn(FORMAT_OF, extension) ? FORMAT_OF[extension] : undefined;
  if (expected === undefined) {
    manifest.add('icon_type', 'icon', 'An icon must be a PNG, JPEG or WebP file with its extension.');
    return;
  }
  const bytes = await file.read();
  // Unreadable; reported already.
  if (bytes === undefined) return;
  const picture = pictureOf(bytes);
  if (picture?.format !== expected) {
    const is = picture === undefined ? 'none of the formats that an icon may have' : picture.format;
    manifest.add('icon_type', 'icon', `By its extension the icon is ${expected}, by its content ${is}.`);
    return;
  }
  if (picture.size === undefined) {
    manifest.add('icon_type', 'icon', `The icon begins as ${expected}, but has no width and height.`);
    return;
  }
  const { width, height } = picture.size;
  if (width !== height || width < SMALLEST || width > LARGEST)
    manifest.add(
      'icon_size',
      'icon',
      `The icon has ${width} × ${height} pixels; it should be square, of ${SMALLEST} to ${LARGEST}.`,
    );
  if (bytes.length > MOST_BYTES)
    manifest.add('icon_size', 'icon', `The icon has ${bytes.length} bytes; it should have at most ${MOST_BYTES}.`);
}
