/**
 * The set of paths in a package. Rejects duplicates, paths that differ only by case or accent
 * encoding, and a file at the path of a folder.
 */
import { type Findings, wholeFile } from '../findings.ts';
import { shown } from './shown.ts';

interface Known {
  readonly path: string;
  readonly folder: boolean;
  /** The archive has an entry for it; it is not only the parent of an entry. */
  readonly named: boolean;
}

/**
 * Key that is equal for names that a file system may treat as equal: without case, or with
 * normalized accents. Upper case is applied twice, because ẞ becomes SS only by way of ß.
 */
const folded = (path: string): string =>
  path.normalize('NFD').toUpperCase().toLowerCase().toUpperCase().normalize('NFC');

export class PathSet {
  readonly #known = new Map<string, Known>();

  constructor(private readonly findings: Findings) {}

  /** False: the path conflicts with another; a finding is added. `path` has no trailing slash. */
  add(path: string, folder: boolean): boolean {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
      if (!this.#put({ path: path.slice(0, slash), folder: true, named: false }, path)) return false;
    return this.#put({ path, folder, named: true }, path);
  }

  #put(entry: Known, of: string): boolean {
    const key = folded(entry.path);
    const before = this.#known.get(key);
    if (before === undefined) {
      this.#known.set(key, entry);
      return true;
    }
    const at = wholeFile(shown(of));
    if (before.folder !== entry.folder)
      this.findings.add('archive_file_folder_conflict', at, `${shown(entry.path)} is a file and a folder, too.`);
    else if (before.path !== entry.path)
      this.findings.add(
        'archive_name_collision',
        at,
        `${shown(entry.path)} and ${shown(before.path)} are the same name on systems that do not tell case or accents apart.`,
      );
    else if (before.named && entry.named)
      this.findings.add('archive_duplicate_name', at, 'The archive has this name twice.');
    else {
      if (entry.named) this.#known.set(key, entry);
      return true;
    }
    return false;
  }
}
