/**
 * What the origin behind the proxies holds, and nginx as that origin: on the core of the load, over
 * plain HTTP.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerProcess } from '../dns/process.ts';
import { LOAD_CORE } from '../dns/servers.ts';
import type { Tools } from './contender.ts';
import { nginxSettings } from './nginx.ts';
import { installed } from './servers.ts';

/** Nothing that anybody would compress. The first may be kept by caches, the others not. */
export const FILES = { hit: '/hit.webp', fresh: '/fresh.webp', big: '/big.webp' } as const;
/** Like `fresh`, for visitors whom DECISION lets pass. */
export const MEMBERS = { path: '/members/', file: '/members/fresh.webp' } as const;
/** A server that decides about requests, which lets everybody pass. */
export const DECISION = { path: '/decision', user: 'remote-user' } as const;
const SMALL = 2000;
export const BIG = 10 * 1024 * 1024;
/** Takes what is put there. */
export const SINK = '/sink/upload';

/** The file to upload. */
export const uploadOf = (work: string): string => join(folderOf(work), 'big.webp');

const folderOf = (work: string): string =>
  existsSync('/dev/shm') ? '/dev/shm/waypost-bench-origin' : join(work, 'edge-files');

/** Resolves to who stops it. Throws an Error where nginx is not installed. */
export async function startNginxOrigin({ work, originPort }: Tools): Promise<() => Promise<void>> {
  const folder = folderOf(work);
  for (const name of ['sink', MEMBERS.path]) mkdirSync(join(folder, name), { recursive: true });
  for (const path of [FILES.hit, FILES.fresh, MEMBERS.file]) writeFileSync(join(folder, path), randomBytes(SMALL));
  writeFileSync(join(folder, FILES.big), randomBytes(BIG));
  const file = join(work, 'edge-origin.conf');
  writeFileSync(file, settings(folder, originPort));
  const origin = new ServerProcess(installed('nginx'), ['-p', folder, '-c', file], join(work, 'edge-origin.log'));
  await new Promise((resolve) => setTimeout(resolve, 300));
  origin.assertAlive();
  origin.pin(LOAD_CORE);
  return () => origin.stop();
}

const settings = (folder: string, port: number): string =>
  nginxSettings(
    folder,
    folder,
    `  types { image/webp webp; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    root ${folder};
    location = ${FILES.hit} { add_header cache-control "public, max-age=86400"; }
    location / { add_header cache-control no-store; }
    location /sink/ { dav_methods PUT; }
    location = ${DECISION.path} { add_header ${DECISION.user} alice always; return 204; }
  }
`,
  );
