/** Runs one test file of a broken copy. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inheritedEnvironment } from '../../support/inherited-environment.ts';
import { removeTestFolder, testFolder } from '../test-folder.ts';

/** The seed of generated cases, so that a file that fails fails again. */
const SEED = '1';

/** `limit`: milliseconds after which the file counts as failed. */
export async function runFile(
  copy: string,
  file: string,
  depth: string,
  variables: Readonly<Record<string, string>>,
  limit: number,
): Promise<{ readonly isGreen: boolean; readonly ms: number }> {
  const started = performance.now();
  const folder = testFolder([file]);
  const child = spawn(process.execPath, [join(copy, 'dist/test/runner/files.js'), file], {
    cwd: copy,
    env: {
      ...inheritedEnvironment(),
      ...{ WAYPOST_SEED: SEED, WAYPOST_DEPTH: depth, FORCE_COLOR: '0' },
      ...(folder === undefined ? {} : { TMPDIR: folder }),
      ...variables,
    },
    stdio: 'ignore',
    detached: true,
  });
  const kill = (): void => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // All of the group have ended.
    }
  };
  process.on('exit', kill);
  const timer = setTimeout(kill, limit);
  const code = await new Promise<number | null>((done) => child.on('exit', done));
  clearTimeout(timer);
  kill();
  process.off('exit', kill);
  if (folder !== undefined) removeTestFolder(folder);
  return { isGreen: code === 0, ms: Math.round(performance.now() - started) };
}
