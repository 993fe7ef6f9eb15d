/**
 * Small packages that are sound and without a finding but for notices, in archives of all forms
 * that are taken.
 */
import { extra, mode, type RawEntry, rawZip, u64, unicodePath } from '../../../../support/raw-zip.ts';
import { SDK } from '../corpus/small-app.ts';

const PAGE =
  '<!doctype html><link rel=stylesheet href=a.css><script src=host-sdk.js></script><script src=a/b.js></script>';
const MANIFEST = {
  ...{ id: 'com.example.notes', name: 'Notes', version: '1.0', versionCode: 1, entry: 'index.html' },
  ...{ permissions: [], minHostVersion: '1.0' },
};

const html: RawEntry = { name: 'index.html', content: PAGE };
const manifest: RawEntry = { name: 'manifest.json', content: JSON.stringify(MANIFEST) };
const script: RawEntry = { name: 'a/b.js', content: "Host.ui.toast('a');".repeat(3), attributes: mode(0o100644) };
const others: readonly RawEntry[] = [
  { name: 'host-sdk.js', content: SDK },
  { name: 'a.css', content: 'p { color: red; }' },
];

export const SOUND: readonly Buffer[] = [
  rawZip([html, manifest, script, ...others]),
  rawZip([
    ...[html, { ...manifest, method: 0 }, { name: 'a/', attributes: 0x10 }, { ...script, descriptor: true as const }],
    ...others,
  ]),
  rawZip(
    [
      ...[html, manifest, script, ...others],
      { name: 'é ü.txt', content: 'é', extra: unicodePath('é ü.txt', 'é ü.txt') },
      { name: 'empty' },
    ],
    { zip64: {}, comment: 'a comment' },
  ),
  rawZip([
    { ...html, method: 0, size: 0xffffffff, extra: extra(1, u64(PAGE.length)), local: wide(PAGE.length) },
    { ...script, comment: 'x', extra: extra(0x5455, Buffer.from([1, 0, 0, 0, 0])) },
    manifest,
    ...others,
  ]),
];

/** Local headers have both sizes in their ZIP64 field. */
function wide(size: number): Partial<RawEntry> {
  return { compressedSize: 0xffffffff, extra: extra(1, Buffer.concat([u64(size), u64(size)])) };
}
