/** For stress.test.ts: prints what a process finds under stress, and goes on until it is killed. */
import { execFileSync } from 'node:child_process';
import { beginStress, stressed } from '../../runner/stress.ts';

const PROBE = `
  const { closeSync, fsyncSync, openSync, rmSync } = require('node:fs');
  const path = require('node:path').join(require('node:os').tmpdir(), 'waypost-sync-' + process.pid);
  const file = openSync(path, 'w');
  const started = performance.now();
  fsyncSync(file);
  const syncMs = performance.now() - started;
  closeSync(file);
  rmSync(path);
  console.log(JSON.stringify({ cores: require('node:os').availableParallelism(), syncMs }));`;

beginStress();
const [command, ...args] = stressed([process.execPath, '-e', PROBE]);
process.stdout.write(execFileSync(command, args));
setInterval(() => {}, 1_000);
