/** What a figure was measured on, as a Markdown list. `node dist/bench/machine.js` prints it. */
import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';
import { pathToFileURL } from 'node:url';
import { readOptions } from './options.ts';

export function revision(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    return (
      git('rev-parse', '--short', 'HEAD') +
      (git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes')
    );
  } catch {
    return 'unknown';
  }
}

/** `versions`: further programs of the run, each as it names itself. */
export function describeMachine(versions: readonly string[] = []): string {
  const cores = cpus();
  return [
    `- ${new Date().toISOString().slice(0, 10)}, revision ${revision()}`,
    `- ${cores.length} × ${cores[0]?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB`,
    `- Linux ${release()}, Node ${process.version}`,
    ...versions.map((version) => `- ${version}`),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  readOptions({ command: 'node dist/bench/machine.js', about: 'What a figure was measured on.', options: {} });
  process.stdout.write(`${describeMachine()}\n`);
}
