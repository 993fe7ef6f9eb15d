/**
 * Lets browsers report errors of an app's scripts. The origin of an app is opaque, so its own files
 * are cross-origin. Browsers hide errors of cross-origin scripts unless these are loaded with
 * CORS. Phones have no such rule for the files of a package.
 */
import { type DefaultTreeAdapterTypes, parse } from 'parse5';

/** Bytes. Larger pages are left as they are. */
const LARGEST = 256 * 1024;
const START = '<script'.length;
const ATTRIBUTE = Buffer.from(' crossorigin');

/** Adds `crossorigin` to the scripts of a page. */
export function showErrors(page: Buffer): Buffer {
  if (page.length > LARGEST) return page;
  // Offsets are then those of bytes. In UTF-8 no byte of a tag is part of another character.
  const document = parse(page.toString('latin1'), { sourceCodeLocationInfo: true });
  const parts: Buffer[] = [];
  let end = 0;
  for (const offset of offsetsOf(document)) {
    parts.push(page.subarray(end, offset + START), ATTRIBUTE);
    end = offset + START;
  }
  return Buffer.concat([...parts, page.subarray(end)]);
}

/** Of the tags of scripts with a file, in order. */
function offsetsOf(document: DefaultTreeAdapterTypes.Document): readonly number[] {
  const offsets: number[] = [];
  const waiting: DefaultTreeAdapterTypes.Node[] = [document];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ('childNodes' in node) for (const child of node.childNodes) waiting.push(child);
    if (node.nodeName !== 'script' || !('attrs' in node)) continue;
    const names = node.attrs.map(({ name }) => name);
    const offset = node.sourceCodeLocation?.startTag?.startOffset;
    if (offset !== undefined && names.includes('src') && !names.includes('crossorigin')) offsets.push(offset);
  }
  return offsets.sort((a, b) => a - b);
}
