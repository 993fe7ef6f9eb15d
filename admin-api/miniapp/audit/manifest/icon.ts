/**
 * Checks the icon of an app. SVG is not allowed: the icon is shown outside the sandbox, and SVG can
 * contain scripts.
 */
import type { PackageFile } from '../content.ts';
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

interface Picture {
  readonly format: 'PNG' | 'JPEG' | 'WebP';
  /** Pixels; undefined: the size is not at its expected position. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/**
 * Detects PNG, JPEG and WebP, the formats of icons, by their first bytes. Undefined: another
 * format.
 */
export function pictureOf(bytes: Buffer): Picture | undefined {
  if (bytes.subarray(0, 8).equals(PNG)) return { format: 'PNG', size: pngSize(bytes) };
  if (bytes.length >= 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff)
    return { format: 'JPEG', size: jpegSize(bytes) };
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP')
    return { format: 'WebP', size: webpSize(bytes) };
  return;
}

/** IHDR is the first chunk (PNG 11.2.2). */
function pngSize(bytes: Buffer): Picture['size'] {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Skips segments up to the start of a frame (ITU-T T.81 B.2.2). */
function jpegSize(bytes: Buffer): Picture['size'] {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1];
    if (marker === 0xff) {
      at++;
      continue;
    }
    // C4 and CC define tables, C8 is reserved; the other markers from C0 to CF start frames.
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return;
}

/** Lossy, lossless or extended format (RFC 9649 2.5 to 2.7). */
function webpSize(bytes: Buffer): Picture['size'] {
  if (bytes.length < 30) return;
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (chunk === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  return;
}
