/** Where the package is in the folder of a developer. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

const MANIFEST = 'manifest.json';
/** What `waypost pkg init` puts the package into, with sources and settings around it. */
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
