/**
 * Limits the memory of processes with a control group (Linux, version 1 or 2). The kernel kills a
 * process that exceeds the limit.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';
const TRIES = 50;

export interface MemoryGroup {
  /** Arguments that run the following command within the group. */
  readonly prefix: readonly [command: string, ...args: string[]];
  /** Bytes in use, and their peak. */
  used(): number;
  most(): number;
  /** Processes that the kernel killed for exceeding the limit. */
  kills(): number;
  /** Removes the group. Call it after all its processes have ended. */
  remove(): void;
}

interface Files {
  readonly parent: string;
  readonly limit: string;
  readonly used: string;
  readonly most: string;
  readonly kills: string;
}

const V1: Files = {
  parent: join(ROOT, 'memory'),
  limit: 'memory.limit_in_bytes',
  used: 'memory.usage_in_bytes',
  most: 'memory.max_usage_in_bytes',
  kills: 'memory.oom_control',
};
const V2: Files = {
  parent: ROOT,
  limit: 'memory.max',
  used: 'memory.current',
  most: 'memory.peak',
  kills: 'memory.events',
};

/** Returns a string, the reason, if no group can be created. */
export function memoryGroup(bytes: number): MemoryGroup | string {
  const files = existsSync(join(V1.parent, V1.limit)) || existsSync(join(V1.parent, V1.used)) ? V1 : V2;
  const folder = join(files.parent, `waypost-test-${process.pid}-${Math.random().toString(36).slice(2)}`);
  try {
    if (files === V2) writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+memory');
    mkdirSync(folder);
    writeFileSync(join(folder, files.limit), String(bytes));
  } catch (error) {
    return `no control group for memory can be made (${(error as Error).message})`;
  }
  const read = (name: string): string => readFileSync(join(folder, name), 'latin1');
  return {
    prefix: ['sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh'],
    used: () => Number(read(files.used)),
    most: () => Number(read(files.most)),
    kills: () => Number(/^oom_kill (\d+)$/m.exec(read(files.kills))?.[1] ?? 0),
    remove() {
      // An ended process remains in its group for a moment.
      for (let i = 0; ; i++) {
        try {
          rmdirSync(folder);
          return;
        } catch (error) {
          if (i === TRIES) throw error;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
        }
      }
    },
  };
}
