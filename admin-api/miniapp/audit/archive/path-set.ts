/**
 * The paths of a package together: each once, also where letters differ only by case or by how
 * accents are put together, and no file where a folder is.
 */
import { type Findings, wholeFile } from '../findings.ts';
import { shown } from './shown.ts';

interface Known {
  readonly path: string;
  readonly folder: boolean;
  /** It stands in the archive itself, and is not only the folder of something. */
  readonly named: boolean;
}

/**
 * Equal for names that a file system without case, or with one way to put accents together, takes
 * for the same. Upper case comes twice, since ẞ is only ss by way of ß.
 */
const folded = (path: string): string =>
  path.normalize('NFD').toUpperCase().toLowerCase().toUpperCase().normalize('NFC');

export class PathSet {
  readonly #known = new Map<string, Known>();

  constructor(private readonly findings: Findings) {}

  /** False: something is there already, which is a finding. The path has no `/` at its end. */
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
