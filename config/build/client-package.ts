/**
 * Makes the package `waypost-client` in a folder: its code in one file, and its types. Those of the
 * API are written from the routes, which are described without a daemon.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { openApiDocument, openApiRoutes } from '../../admin-api/http/openapi/routes.ts';
import { routesOf } from '../../admin-api/miniapp/packages/index.ts';
import { apiRoutes } from '../../admin-api/routes/routes.ts';
import { clientTypes } from './client-types.ts';

const TYPES = `/** Client of the REST API of Waypost. */
import type { ApiRoute } from './api.js';
import type { ClientOptions, WaypostClient } from './types/client/client.js';

export type * from './api.js';
export type { ErrorBody, ErrorDetail } from './types/http/client.js';
export { type ClientOptions, WaypostError } from './types/client/client.js';

export type Client = WaypostClient<ApiRoute>;

/** A client of the API. Its calls are typed by their method and path. */
export declare function createClient(options?: ClientOptions): Client;
`;

/** Stands for the services of a daemon: descriptions of routes only read texts and numbers of it. */
const nothing: never = new Proxy(() => {}, {
  get(_, key) {
    if (key === Symbol.toPrimitive) return () => '1';
    return key === Symbol.iterator ? Array.prototype[Symbol.iterator].bind([]) : nothing;
  },
  apply: () => nothing,
  construct: () => nothing,
}) as never;

export async function writeClientPackage(root: string, out: string): Promise<void> {
  const sources = join(root, 'admin-api/client');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await build({
    entryPoints: { index: join(sources, 'client.ts') },
    outdir: out,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'warning',
  });
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/lib/tsc.js'), '-p', sources], {
    stdio: 'inherit',
  });
  const parts = { services: nothing, signIn: nothing, packages: routesOf(nothing, nothing) };
  const routes = apiRoutes(new Proxy(parts as never, { get: (own, name) => own[name] ?? nothing }));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  writeFileSync(
    join(out, 'api.d.ts'),
    clientTypes(openApiDocument([...routes, ...openApiRoutes(routes, version)], { version })),
  );
  writeFileSync(join(out, 'index.d.ts'), TYPES);
  const manifest = JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8')) as object;
  writeFileSync(join(out, 'package.json'), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
  copyFileSync(join(sources, 'README.md'), join(out, 'README.md'));
}
