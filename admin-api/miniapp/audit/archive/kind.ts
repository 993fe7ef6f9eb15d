/**
 * Determines whether an entry is a file or a folder. The trailing slash of its name, DOS
 * attributes, Unix mode and extra fields must agree.
 */
import { type Findings, wholeFile } from '../findings.ts';
import type { Entry } from './central-directory.ts';
import { type FileKind, kindOfExtra, kindOfMode } from './extra-fields.ts';

const DOS_VOLUME = 0x08;
const DOS_FOLDER = 0x10;
const SLASH = 0x2f;

export const kindOfName = (name: Buffer): 'file' | 'folder' => (name.at(-1) === SLASH ? 'folder' : 'file');

/** Undefined: neither a file nor a folder, or the sources disagree; a finding is added. */
export function kindOf(entry: Entry, shown: string, findings: Findings): 'file' | 'folder' | undefined {
  const kind = kindOfName(entry.name);
  const dos = (entry.attributes & DOS_VOLUME) !== 0 ? 'special' : (entry.attributes & DOS_FOLDER) !== 0 && 'folder';
  const kinds = [kindOfMode(entry.attributes >>> 16), kindOfExtra(entry.extra), dos || undefined];
  const other = kinds.find((stated): stated is FileKind => stated !== undefined && stated !== kind);
  const at = wholeFile(shown);
  if (other === 'link') findings.add('archive_symlink', at, 'It is a link to another file.');
  else if (other === 'special')
    findings.add('archive_special_file', at, 'It is neither a file nor a folder, but a device or the like.');
  else if (other !== undefined)
    findings.add('archive_special_file', at, `By its name it is a ${kind}, by its attributes a ${other}.`);
  else if (kind === 'folder' && entry.size > 0)
    findings.add('archive_special_file', at, 'It is a folder, and has content.');
  else return kind;
  return;
}
