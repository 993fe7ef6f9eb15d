/**
 * A copy of a checkout that has both texts of each mutation, the right one and the broken one. An
 * environment variable selects, in programs and threads, too: there is one build for all mutations.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutation } from './mutators.ts';

/** Numbers of the active mutations, joined by commas. */
export const ACTIVE = 'MUTANTS_ACTIVE';
/** A file to which a thread appends the number of each mutation whose code it runs. */
export const REACHED = 'MUTANTS_REACHED';

/**
 * Needs no import, so that it works in every bundle. The daemon takes variables that begin with
 * WAYPOST_ for settings.
 */
const SWITCH = `
function __mutant(id: number): boolean {
  const self = __mutant as unknown as { active?: Set<string>; reached: Set<number> };
  const { process } = globalThis as { process?: any };
  if (self.active === undefined) {
    self.active = new Set((process?.env?.${ACTIVE} ?? '').split(','));
    self.reached = new Set();
  }
  if (!self.reached.has(id)) {
    self.reached.add(id);
    const file = process?.env?.${REACHED};
    if (file) process.getBuiltinModule('node:fs').appendFileSync(file, id + '\\n');
  }
  return self.active.has(String(id));
}
`;

export interface Mutant {
  readonly id: number;
  readonly mutation: Mutation;
}

/** Clones the HEAD of `checkout` to `folder`, adds the mutations, and builds it. */
export function makeCopy(checkout: string, folder: string, mutants: readonly Mutant[]): void {
  rmSync(folder, { recursive: true, force: true });
  execFileSync('git', ['clone', '--quiet', '--shared', checkout, folder]);
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  for (const file of new Set(mutants.map(({ mutation }) => mutation.file))) {
    const path = join(folder, file);
    writeFileSync(
      path,
      instrumented(
        readFileSync(path, 'utf8'),
        mutants.filter(({ mutation }) => mutation.file === file),
      ),
    );
  }
  // The compiler reports what a broken text does to the types, and writes the files nevertheless.
  spawnSync(join(folder, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder });
  execFileSync(process.execPath, ['dist/config/build/bundle.js'], { cwd: folder, stdio: 'inherit' });
  if (!existsSync(join(folder, 'dist/main.js'))) throw new Error(`${folder} was not built`);
}

/** `mutants`: of this text. The code of one may contain that of another. */
export function instrumented(text: string, mutants: readonly Mutant[]): string {
  // From the end, so that positions stay right; what is inside another comes first.
  const order = [...mutants].sort((a, b) => b.mutation.start - a.mutation.start || a.mutation.end - b.mutation.end);
  let out = text;
  const grown = new Map<Mutant, number>();
  for (const mutant of order) {
    const { start, end, kind, to } = mutant.mutation;
    const inner = order.filter(
      (other) => grown.has(other) && other.mutation.start >= start && other.mutation.end <= end,
    );
    const stop = end + inner.reduce((sum, other) => sum + (grown.get(other) as number), 0);
    const right = out.slice(start, stop);
    const broken =
      kind === 'removal'
        ? `{ if (!__mutant(${mutant.id})) { ${right} } }`
        : `(__mutant(${mutant.id}) ? (${to}) : (${right}))`;
    out = out.slice(0, start) + broken + out.slice(stop);
    grown.set(mutant, broken.length - right.length);
  }
  return out + SWITCH;
}
