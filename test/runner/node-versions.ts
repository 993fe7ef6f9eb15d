/**
 * `npm run test:node [-- [--tier TIER] [PATTERN]]`: runs the unit tests, or those of another tier,
 * on every other supported version of Node.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { nodeBinary, otherVersions } from './node-binary.ts';

const RUNNER = join(import.meta.dirname, 'run.js');
const given = process.argv.slice(2);
const args = given.includes('--tier') ? given : ['--tier', 'unit', ...given];
const failed: number[] = [];

for (const major of otherVersions()) {
  const program = nodeBinary(major);
  const { stdout: version } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  process.stdout.write(`\nNode ${version}`);
  if (spawnSync(program, [RUNNER, ...args], { stdio: 'inherit' }).status !== 0) failed.push(major);
}
if (failed.length > 0) process.stdout.write(`\nFailed on Node ${failed.join(', ')}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
