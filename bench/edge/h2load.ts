/** Drives a server by h2load on the other core. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { LOAD_CORE } from '../dns/servers.ts';
import type { Contender } from './contender.ts';
import { type Measured, measure } from './measured.ts';
import { BROWSER_HEADERS, HOST } from './requests.ts';

const run = promisify(execFile);

export interface Shape {
  readonly connections: number;
  /** Requests out on each. */
  readonly streams: number;
  readonly path: string;
  /** A file that is sent as the body of a PUT. */
  readonly upload?: string;
  /** A file with a gRPC message that is sent as the body of a POST. */
  readonly grpc?: string;
  /** Over HTTP/1.1. */
  readonly http1?: boolean;
}

export function h2loadVersion(): string | null {
  const { stdout, error } = spawnSync('h2load', ['--version'], { encoding: 'utf8' });
  return error === undefined ? stdout.trim() : null;
}

export function driveH2load(server: Contender, shape: Shape, seconds: number): Promise<Measured> {
  const { connections, streams, path, upload, grpc, http1 } = shape;
  const args = [
    ...['-D', String(seconds), '-c', String(connections), '-m', String(streams), '-t', '1'],
    // What a browser opens: 6 MB a stream, 15 MB a connection (Chrome).
    ...['-w', '22', '-W', '23'],
    `--connect-to=127.0.0.1:${server.port}`,
    ...BROWSER_HEADERS.flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(http1 ? ['--h1'] : []),
    ...(grpc === undefined ? [] : ['-d', grpc, '-H', 'content-type: application/grpc', '-H', 'te: trailers']),
    ...(upload === undefined ? [] : ['-d', upload, '-H', ':method: PUT']),
    `https://${HOST}:${server.port}${path}`,
  ];
  return measure(server, async () => {
    const { stdout } = await run('taskset', ['-c', String(LOAD_CORE), 'h2load', ...args], { maxBuffer: 16 << 20 });
    const [, done, succeeded] = /requests: \d+ total, \d+ started, (\d+) done, (\d+) succeeded/.exec(stdout) ?? [];
    const status = /status codes: (\d+) 2xx/.exec(stdout)?.[1];
    if (done === undefined || status === undefined) throw new Error(`h2load said:\n${stdout}`);
    return { requests: Number(done), wrong: Number(done) - Math.min(Number(succeeded), Number(status)) };
  });
}
