/** A daemon with many domains, whose data folder is made once and kept in BENCH_DIR. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerProcess } from '../dns/process.ts';
import { Daemon } from '../dns/waypost.ts';

export const PORT = 8481;
export const ORIGIN_PORT = 8469;

export const workFolder = process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench');

export interface ManySites {
  readonly sites: number;
  /** Of each site. */
  readonly rules: number;
  /** Whether the rules of each site differ from those of all others. */
  readonly areOwn?: boolean;
  /** Certificates that the daemon keeps ready; undefined: its own default. */
  readonly kept?: number | undefined;
}

/**
 * With so many sites. The first start compiles all answers for the daemon's settings: it is not the
 * one that counts.
 */
export async function prepareDaemon({ sites, rules, areOwn = false, kept }: ManySites): Promise<Daemon> {
  const folder = join(workFolder, `sites-${sites}${rules === 0 ? '' : `-${rules}`}${areOwn ? '-own' : ''}`);
  const daemon = new Daemon(folder, 5958, 8958, {
    WAYPOST_DNS_WORKERS: '1',
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${PORT}`,
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.1/32',
    // All load comes from one address.
    WAYPOST_EDGE_MAX_CONNECTIONS_PER_ADDRESS: '10000',
    ...(kept === undefined ? {} : { WAYPOST_EDGE_MAX_CERTIFICATES: String(kept) }),
  });
  const stamp = `${folder}.made`;
  if (existsSync(stamp)) return daemon;
  process.stderr.write(`making ${sites} sites\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const program = fileURLToPath(new URL('./many-sites-data.js', import.meta.url));
  const figures = [sites, rules, Number(areOwn), ORIGIN_PORT].map(String);
  execFileSync(process.execPath, [program, folder, ...figures], { stdio: 'inherit' });
  await (await daemon.start(`${folder}.log`)).stop();
  writeFileSync(stamp, '');
  return daemon;
}

/**
 * Megabytes of its own: without the pages of the store's file, which the system keeps as long as
 * no other process needs their memory.
 */
export function ownMegabytes(server: ServerProcess): number {
  const text = readFileSync(`/proc/${server.pid}/smaps_rollup`, 'latin1');
  const kilobytes = ['Pss_Anon', 'Pss_Shmem'].map((name) =>
    Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1]),
  );
  return (kilobytes[0] + kilobytes[1]) / 1024;
}
