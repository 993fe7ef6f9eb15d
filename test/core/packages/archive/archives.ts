/** Small archives that are sound, of all forms that are taken. */
import { extra, mode, type RawEntry, rawZip, u64, unicodePath } from '../../../support/raw-zip.ts';

const html: RawEntry = { name: 'index.html', content: '<!doctype html><title>Notes</title>'.repeat(3) };
const manifest: RawEntry = { name: 'manifest.json', content: '{"id": "com.example.notes", "name": "Notes"}' };
const script: RawEntry = { name: 'a/b.js', content: 'alert(1);'.repeat(9), attributes: mode(0o100644) };

export const SOUND: readonly Buffer[] = [
  rawZip([html, manifest, script]),
  rawZip([html, { ...manifest, method: 0 }, { name: 'a/', attributes: 0x10 }, { ...script, descriptor: true }]),
  rawZip([html, { name: 'é ü.txt', content: 'é', extra: unicodePath('é ü.txt', 'é ü.txt') }, { name: 'empty' }], {
    zip64: {},
    comment: 'a comment',
  }),
  rawZip([
    { ...html, method: 0, size: 0xffffffff, extra: extra(1, u64(105)), local: wide(105) },
    { ...script, comment: 'x', extra: extra(0x5455, Buffer.from([1, 0, 0, 0, 0])) },
  ]),
];

/** Local headers have both sizes in their ZIP64 field. */
function wide(size: number): Partial<RawEntry> {
  return { compressedSize: 0xffffffff, extra: extra(1, Buffer.concat([u64(size), u64(size)])) };
}
