/** All rows, in the order of their sections, and how they are run: a few connections at a time. */
import type { Row, Target } from './row.ts';
import { DEFINITIONS } from './rows/definitions.ts';
import { ENDING } from './rows/ending.ts';
import { FIELDS } from './rows/fields.ts';
import { FRAMES } from './rows/frames.ts';
import { HPACK } from './rows/hpack.ts';
import { MESSAGES } from './rows/messages.ts';
import { STARTING } from './rows/starting.ts';
import { STREAMS } from './rows/streams.ts';
import { TUNNELS } from './rows/tunnels.ts';
import { WINDOWS } from './rows/windows.ts';

export const ROWS: readonly Row[] = [
  ...STARTING,
  ...FRAMES,
  ...STREAMS,
  ...DEFINITIONS,
  ...WINDOWS,
  ...MESSAGES,
  ...FIELDS,
  ...TUNNELS,
  ...ENDING,
  ...HPACK,
];

export const titleOf = (row: Row): string => `RFC ${row.section.replace(' ', ' section ')}: ${row.says}`;

/** What a row threw; undefined: all is as it should be. */
export type Verdict = Error | undefined;

const AT_A_TIME = 8;

/** Begins to run `rows`; the verdict of each, in their order. None of these promises rejects. */
export function runRows(rows: readonly Row[], target: Target, isLenient: boolean): readonly Promise<Verdict>[] {
  const settle: ((verdict: Verdict) => void)[] = [];
  const verdicts = rows.map((_, i) => new Promise<Verdict>((done) => (settle[i] = done)));
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < rows.length) {
      const i = next++;
      const failure = await rows[i].run(target, isLenient).catch((error: unknown) => error);
      settle[i](failure === undefined ? undefined : failure instanceof Error ? failure : new Error(String(failure)));
    }
  };
  for (let i = 0; i < AT_A_TIME; i++) void work();
  return verdicts;
}
