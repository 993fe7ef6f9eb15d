/**
 * Packages of several sizes, audited by Waypost and by its peer in turns: as commands, and in
 * processes that stay.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { percentile } from '../writes/statistics.ts';
import { type Measured, measureCommand } from './command.ts';
import type { Linter } from './linter.ts';
import { SIZES, writePackages } from './sources.ts';

export interface Compared {
  readonly size: string;
  readonly way: 'command' | 'in process';
  readonly own: Measured;
  /** Undefined: it isn't there. */
  readonly peer: Measured | undefined;
}

const MAIN = join(import.meta.dirname, '../../main.js');
/** Before anything counts, packages of the smallest size. */
const WARM_UP = 150;

/**
 * Of the smallest size, which takes milliseconds, each round in a process that stays has so many
 * audits.
 */
const AUDITS_A_ROUND = 20;

interface Warm {
  audit(path: string): Promise<Measured>;
  stop(): void;
}

function startWarm(...args: readonly string[]): Warm {
  const child = fork(join(import.meta.dirname, 'warm.js'), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const audit = async (path: string): Promise<Measured> => {
    child.send(path);
    const [answer] = await Promise.race([once(child, 'message'), ended]);
    if (typeof answer !== 'object') throw new Error(`The process that audits ${path} ended.`);
    return answer as Measured;
  };
  return { audit, stop: () => child.kill() };
}

function median(found: readonly Measured[]): Measured {
  const of = (key: keyof Measured) =>
    percentile(
      found.map((measured) => measured[key]),
      50,
    );
  return { seconds: of('seconds'), cpu: of('cpu') };
}

/** Yields as it measures. `sizes`: how many of them, from the smallest. */
export async function* compare(
  folder: string,
  linter: Linter | null,
  sizes: number,
  rounds: number,
): AsyncGenerator<Compared> {
  const warm = { own: startWarm(), peer: linter && startWarm(linter.module) };
  try {
    for (const { name: size, bytes } of SIZES.slice(0, sizes)) {
      const { own, sdk, extension } = await writePackages(folder, size, bytes);
      const ways = {
        command: {
          own: async () => measureCommand([process.execPath, MAIN, 'pkg', 'lint', own, '--sdk', sdk]),
          peer: linter && (async () => measureCommand([process.execPath, linter.program, extension])),
        },
        'in process': { own: () => warm.own.audit(own), peer: warm.peer && (() => warm.peer!.audit(extension)) },
      };
      if (size === SIZES[0].name)
        for (let i = 0; i < WARM_UP; i++) await Promise.all([ways['in process'].own(), ways['in process'].peer?.()]);
      for (const way of ['command', 'in process'] as const) {
        const found = { own: [] as Measured[], peer: [] as Measured[] };
        const turns = way === 'in process' && size === SIZES[0].name ? rounds * AUDITS_A_ROUND : rounds;
        for (let turn = 0; turn < turns; turn++) {
          found.own.push(await ways[way].own());
          if (ways[way].peer !== null) found.peer.push(await ways[way].peer());
        }
        yield { size, way, own: median(found.own), peer: found.peer.length === 0 ? undefined : median(found.peer) };
      }
    }
  } finally {
    warm.own.stop();
    warm.peer?.stop();
  }
}

export const COLUMNS = ['package', 'audited', 'Waypost s', 'CPU s', 'addons-linter s', 'CPU s', 'ratio', 'of CPU'];

/** The peer's time over ours, and its CPU. */
export const ratios = ({ own, peer }: Compared): { readonly time: number; readonly cpu: number } | undefined =>
  peer && { time: peer.seconds / own.seconds, cpu: peer.cpu / own.cpu };

export function cells(compared: Compared): string[] {
  const { size, way, own, peer } = compared;
  const ratio = ratios(compared);
  const shown = (value: number | undefined, unit = '') => (value === undefined ? '' : `${value.toPrecision(3)}${unit}`);
  const times = [own.seconds, own.cpu, peer?.seconds, peer?.cpu].map((value) => shown(value));
  return [size, way, ...times, shown(ratio?.time, ' ×'), shown(ratio?.cpu, ' ×')];
}
