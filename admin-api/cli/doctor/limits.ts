/** Limits of the process and of its control group. */
import { readFileSync } from 'node:fs';
import { availableMemory } from '../../../core/config/setting.ts';
import { type AnyCheck, check, failure, NotChecked, ok, type Verdict, warning } from './check.ts';
import type { Context } from './context.ts';
import { readNumber, readText, size } from './machine.ts';

interface FileLimit {
  /** Null: no limit. */
  readonly limit: number | null;
  /** Number of descriptors that the settings permit. */
  readonly needed: number;
  /** The source of the limit, for people. */
  readonly source: string;
}

/** Descriptors of LMDB, threads, logs and packages. */
const OTHER_FILES = 512;

export const files = check<FileLimit>({
  id: 'limits.files',
  why: 'Each connection takes a descriptor; at the limit, new visitors are refused.',
  async read(context) {
    const { edge, dns, admin } = context.config;
    const hasEdge = edge.httpListen.length + edge.httpsListen.length > 0;
    const edgeFiles = hasEdge ? edge.maxConnections + edge.originTotalConnections * edge.workers : 0;
    const needed = edgeFiles + dns.tcpMaxConnections + admin.maxConnections + OTHER_FILES;
    return { ...(await readLimit(context)), needed };
  },
  judge({ limit, needed, source }) {
    if (limit === null) return ok(`no limit (${source})`);
    const found = `${limit} files (${source}); the settings allow up to ${needed}`;
    if (limit >= needed) return ok(found);
    return warning(
      found,
      "sudo mkdir -p /etc/systemd/system/waypost.service.d && printf '[Service]\\nLimitNOFILE=1048576\\n' | sudo tee " +
        '/etc/systemd/system/waypost.service.d/files.conf && sudo systemctl daemon-reload && sudo systemctl restart waypost',
    );
  },
});

async function readLimit(context: Context): Promise<Omit<FileLimit, 'needed'>> {
  const { pid } = context;
  const ofProcess = (id: number | 'self'): number | null | undefined => {
    const match = /^Max open files\s+(\d+|unlimited)/m.exec(readText(`/proc/${id}/limits`) ?? '');
    return match === null ? undefined : match[1] === 'unlimited' ? null : Number(match[1]);
  };
  if (pid !== null) {
    const limit = ofProcess(pid);
    if (limit !== undefined) return { limit, source: 'of the daemon' };
  }
  const text = (await context.unit())?.get('LimitNOFILE');
  if (text !== undefined)
    return { limit: text === 'infinity' ? null : Number(text), source: 'LimitNOFILE of the unit' };
  const limit = ofProcess('self');
  if (limit === undefined) throw new NotChecked('this system does not show the limits of a process');
  return { limit, source: 'of this shell' };
}

interface MemoryReading {
  readonly available: number;
  readonly index: number;
  readonly cache: number;
  /** Private memory of the daemon; null: not running, or not visible. */
  readonly used: number | null;
}

/** Memory of an idle node: heaps, threads and buffers. */
const BASE_MEMORY = 300 << 20;

export const memory = check<MemoryReading>({
  id: 'limits.memory',
  why: 'A daemon that needs more than there is gets killed by the system.',
  read(context) {
    const { dns, edge } = context.config;
    const status = context.pid === null ? null : readText(`/proc/${context.pid}/status`);
    const kilobytes = ['RssAnon', 'RssShmem', 'VmSwap'].map((name) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status ?? '')?.[1] ?? Number.NaN),
    );
    const used = kilobytes.every(Number.isFinite) ? kilobytes.reduce((sum, part) => sum + part, 0) * 1024 : null;
    return { available: availableMemory(), index: dns.indexMemory, cache: edge.cacheMemory, used };
  },
  judge({ available, index, cache, used }) {
    const inUse = used === null ? '' : `; the daemon uses ${size(used)}`;
    const found = `${size(available)} of memory; dns.index_memory ${size(index)}, edge.cache_memory ${size(cache)}${inUse}`;
    const fix = 'sudoedit /etc/waypost/waypost.toml   # lower dns.index_memory and edge.cache_memory';
    if (used !== null && used > available * 0.9) return failure(found, fix);
    if (index + cache + BASE_MEMORY > available) return warning(found, fix);
    return ok(found);
  },
});

interface GroupReading {
  readonly path: string;
  /** Bytes, and processes with threads; null: no limit. */
  readonly memoryMax: number | null;
  readonly memoryUsed: number | null;
  /** Number of processes of the group that the out-of-memory killer ended. */
  readonly kills: number;
  readonly tasksMax: number | null;
  readonly tasks: number | null;
}

export const controlGroup = check<GroupReading>({
  id: 'limits.cgroup',
  why: 'The limits of the control group hold even if the machine has more memory.',
  read(context) {
    const line = /^0::(.*)$/m.exec(readText(`/proc/${context.pid ?? 'self'}/cgroup`) ?? '');
    if (line === null) throw new NotChecked('this system has no control groups of version 2');
    const folder = `/sys/fs/cgroup${line[1]}`;
    const events = readText(`${folder}/memory.events`) ?? '';
    return {
      path: line[1],
      memoryMax: readNumber(`${folder}/memory.max`),
      memoryUsed: readNumber(`${folder}/memory.current`),
      kills: Number(/^oom_kill (\d+)/m.exec(events)?.[1] ?? 0),
      tasksMax: readNumber(`${folder}/pids.max`),
      tasks: readNumber(`${folder}/pids.current`),
    };
  },
  judge({ path, memoryMax, memoryUsed, kills, tasksMax, tasks }) {
    const verdicts: Verdict[] = [];
    const limit = memoryMax === null ? 'no limit of memory' : `memory ${size(memoryUsed ?? 0)} of ${size(memoryMax)}`;
    const threads = tasksMax === null ? 'no limit of threads' : `${tasks ?? 0} of ${tasksMax} threads`;
    const raise = (setting: string): string => `sudo systemctl set-property waypost.service ${setting}`;
    if (kills > 0)
      verdicts.push(
        warning(`${path}: ${kills} processes were killed for lack of memory; ${limit}`, raise('MemoryMax=infinity')),
      );
    if (tasksMax !== null && tasks !== null && tasks > tasksMax * 0.8)
      verdicts.push(warning(`${path}: ${threads}`, raise(`TasksMax=${tasksMax * 2}`)));
    return verdicts.length > 0 ? verdicts : ok(`${path}: ${limit}, ${threads}`);
  },
});

interface SwapReading {
  /** Swapped-out bytes of the daemon; null: not running. */
  readonly swapped: number | null;
}

export const swap = check<SwapReading>({
  id: 'limits.swap',
  why: 'A query whose answer is swapped out waits for the disk.',
  read({ pid }) {
    if (pid === null) return { swapped: null };
    try {
      const match = /^VmSwap:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
      return { swapped: match === null ? null : Number(match[1]) * 1024 };
    } catch {
      throw new NotChecked('the status of the daemon cannot be read', 'sudo waypost doctor');
    }
  },
  judge({ swapped }) {
    if (swapped === null) return ok('the daemon does not run');
    const found = `${size(swapped)} of the daemon are swapped out`;
    return swapped > 64 << 20 ? warning(found, 'free -h && sudo systemctl restart waypost') : ok(found);
  },
});

export const LIMIT_CHECKS: readonly AnyCheck[] = [files, memory, controlGroup, swap];
