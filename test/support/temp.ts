/** Temporary folders, removed at the end of the tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Set<string>();
process.on('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A new empty folder, removed by `removeFolder` or at the end of the process. */
export function temporaryFolder(label: string): string {
  const folder = mkdtempSync(join(tmpdir(), `waypost-${label}-`));
  made.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  made.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}
