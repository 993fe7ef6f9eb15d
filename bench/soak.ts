/**
 * `npm run bench:soak -- [--minutes N] [--out FOLDER]`: three nodes on one etcd under queries,
 * writes, visitors, audits, renewals and restarts, for two hours. Memory and descriptors of the
 * nodes that are not restarted must stay flat after the first 20 minutes, and each warning in the
 * logs must be in the documentation. Writes soak.csv and soak.svg.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine } from './machine.ts';
import { readOptions } from './options.ts';
import { startLoad, type Tally } from './soak/load.ts';
import { plot } from './soak/plot.ts';
import { startRig } from './soak/rig.ts';
import { csv, type Sample, sample } from './soak/samples.ts';
import { type Flatness, judge } from './soak/verdict.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SAMPLE_EVERY_MS = 10_000;
const PRINT_EVERY = 30;

const options = readOptions({
  command: 'npm run bench:soak --',
  about: 'runs a cluster for hours and judges whether its memory and descriptors stay flat',
  options: {
    minutes: { kind: 'number', help: 'how long; 120 without it' },
    out: { kind: 'text', value: 'FOLDER', help: 'folder for soak.csv and soak.svg; bench/soak without it' },
  },
});
const minutes = options.minutes ?? 120;
const folder = options.out ?? join(ROOT, 'bench/soak');
mkdirSync(folder, { recursive: true });

/** Text of each warning and error, with how often it was logged. */
function warningsIn(output: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const line of output.split('\n')) {
    if (!line.startsWith('{')) continue;
    const { level, message } = JSON.parse(line) as { level: string; message: string };
    if (level === 'warn' || level === 'error') found.set(message, (found.get(message) ?? 0) + 1);
  }
  return found;
}

function flatnessTable(rows: readonly Flatness[]): string {
  const shown = (what: string, value: number): string =>
    what.includes('memory') ? `${(value / (1 << 20)).toFixed(1)} MB` : value.toFixed(0);
  return [
    '| node | what | minutes 20 to 30 | the last 10 minutes | growth | flat |',
    '|---|---|---:|---:|---:|---|',
    ...rows.map(
      ({ node, what, first, last, growth, isFlat }) =>
        `| ${node} | ${what} | ${shown(what, first)} | ${shown(what, last)} | ${(growth * 100).toFixed(1)} % | ${isFlat ? 'yes' : 'no'} |`,
    ),
  ].join('\n');
}

const tallyTable = ({ done, failed }: Tally): string =>
  [
    '| work | done | failed |',
    '|---|---:|---:|',
    ...[...new Set([...done.keys(), ...failed.keys()])].map(
      (kind) => `| ${kind} | ${done.get(kind) ?? 0} | ${failed.get(kind) ?? 0} |`,
    ),
  ].join('\n');

const rig = await startRig();
const load = await startLoad(rig);
const samples: Sample[] = [];
const began = performance.now();
const seconds = (): number => (performance.now() - began) / 1000;
const store = (): void => {
  writeFileSync(join(folder, 'soak.csv'), csv(samples));
  writeFileSync(join(folder, 'soak.svg'), plot(samples));
};

for (let n = 1; seconds() < minutes * 60; n++) {
  await sleep(Math.max(0, n * SAMPLE_EVERY_MS - seconds() * 1000));
  for (const node of rig.nodes) {
    if (!node.isUp) continue;
    try {
      samples.push(await sample(node, seconds()));
    } catch (error) {
      // It was stopped meanwhile.
      if (node.isUp) load.tally.fail('restart', `no sample of ${node.name}: ${(error as Error).message}`);
    }
  }
  if (n % PRINT_EVERY !== 0) continue;
  store();
  const now = samples.slice(-rig.nodes.length);
  const inUse = now.map(
    ({ node, resident, descriptors }) => `${node} ${(resident / (1 << 20)).toFixed(0)} MB ${descriptors} descriptors`,
  );
  console.log(`${(seconds() / 60).toFixed(0)} min: ${inUse.join(', ')}; ${load.tally.failureCount} failures`);
}

await load.stop();
const outputs = [...load.ended, ...rig.nodes.map(({ daemon }) => daemon.child.output())];
await rig.close();
store();

const documents = ['operations', 'monitoring']
  .map((name) => readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'))
  .join(' ')
  .replace(/\s+/g, ' ');
const warnings = new Map<string, number>();
for (const output of outputs)
  for (const [text, count] of warningsIn(output)) warnings.set(text, (warnings.get(text) ?? 0) + count);
const unexplained = [...warnings].filter(([text]) => !documents.includes(text));
const verdict = ['a', 'b'].flatMap((node) => judge(samples, node));
console.log(
  `\n${describeMachine([`Soak: ${minutes} minutes`])}\n\n${flatnessTable(verdict)}\n\n${tallyTable(load.tally)}\n`,
);
for (const [text, count] of warnings) console.log(`logged ${count} times: ${text}`);
for (const [text] of unexplained) console.log(`not in the documentation: ${text}`);
const isGood = verdict.every(({ isFlat }) => isFlat) && unexplained.length === 0 && load.tally.failureCount === 0;
process.exit(isGood ? 0 : 1);
