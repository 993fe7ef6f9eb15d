/** Locates the package in a developer's project folder. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

const MANIFEST = 'manifest.json';
/** Folder in which `waypost pkg init` puts the package, next to sources and settings. */
export const PACKAGE_FOLDER = 'app';

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** `path`, or its folder `app` if only that has a manifest. */
export async function packageFolderOf(path: string): Promise<string> {
  const inner = join(path, PACKAGE_FOLDER);
  return !(await exists(join(path, MANIFEST))) && (await exists(join(inner, MANIFEST))) ? inner : path;
}
