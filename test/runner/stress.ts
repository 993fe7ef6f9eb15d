/**
 * A slow machine (`--stress`), on which tests fail that depend on the speed of theirs. Everything
 * that the runner starts has, until it ends:
 *
 *   one core    what has several threads runs one at a time, and no CPU but this is seen
 *   busy loops  four, on the same core
 *   slow disk   each sync takes 20 ms longer, as on a disk that turns or is across a network
 *
 * Linux only; the disk needs strace(1). Nothing needs root.
 */
import { spawn, spawnSync } from 'node:child_process';
import koffi from 'koffi';

const BUSY_LOOPS = 4;
/** Twenty milliseconds in microseconds, as strace counts. */
const SYNC_DELAY = 20_000;
const SYNCS = 'fsync,fdatasync,msync,sync_file_range,sync,syncfs';
/** Bytes of a set of processors, as glibc has it (cpu_set_t). */
const CPU_SET = 128;
/** Two cores became a fifth of one: limits that only end what hangs are so many times longer. */
const SLOWDOWN = 10;
/** Ends also when the runner is killed: its parent is another process then. */
const BUSY_LOOP = `
  const runner = Number(process.argv[1]);
  while (process.ppid === runner) for (let i = 0; i < 1e7; i++);`;

let isOn = false;

export const isStressed = (): boolean => isOn;

/** By how many times limits of time are longer. */
export const slowdown = (): number => (isOn ? SLOWDOWN : 1);

/** For processes that start from now on. Throws, with the reason, if this machine cannot. */
export function beginStress(): void {
  if (process.platform !== 'linux') throw new Error('--stress needs Linux');
  if (spawnSync('strace', ['-V']).status !== 0)
    throw new Error('--stress makes the disk slow with strace; install it: sudo apt-get install strace');
  pinToOneCore();
  for (let i = 0; i < BUSY_LOOPS; i++)
    // Each has a session of its own: where the kernel shares the processor by sessions
    // (sched_autogroup_enabled in sched(7)), four loops of one session would count as one.
    spawn(process.execPath, ['-e', BUSY_LOOP, String(process.pid)], { detached: true, stdio: 'ignore' }).unref();
  isOn = true;
}

/** `command` with what slows down its disk. It keeps its process id, and its way to end. */
export function stressed(command: readonly [string, ...string[]]): [string, ...string[]] {
  if (!isOn) return [...command];
  // A filter of the kernel (--seccomp-bpf) stops the process at these calls only.
  const calls = [`trace=${SYNCS}`, `inject=${SYNCS}:delay_exit=${SYNC_DELAY}`, 'signal=none'];
  const options = ['-D', '-f', '--seccomp-bpf', '-qqq', '-o', '/dev/null', ...calls.flatMap((call) => ['-e', call])];
  return ['strace', ...options, '--', ...command];
}

/** This thread, and what it starts from now on, which inherits it (sched_setaffinity(2)). */
function pinToOneCore(): void {
  const libc = koffi.load(null);
  const core = libc.func('int sched_getcpu()')() as number;
  const set = Buffer.alloc(CPU_SET);
  set[core >> 3] = 1 << (core & 7);
  if (libc.func('int sched_setaffinity(int, size_t, void*)')(0, CPU_SET, set) !== 0)
    throw new Error(`--stress cannot pin the tests to processor ${core}`);
}
