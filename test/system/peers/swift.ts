/**
 * OpenStack Swift with its S3 API (Debian: swift-proxy, swift-account, swift-container,
 * swift-object), on loopback: an S3 service that is not ours.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../../support/child.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

export const SWIFT = '/usr/bin/swift-proxy-server';
export const SWIFT_KEYS = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
export const SWIFT_REGION = 'test-1';
const SERVERS = ['account', 'container', 'object'] as const;

export interface Swift {
  readonly endpoint: string;
  close(): Promise<void>;
}

const proxyConfig = (folder: string, port: number): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
swift_dir = ${folder}
user = root
workers = 0
[pipeline:main]
pipeline = catch_errors cache s3api tempauth bulk slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:9
[filter:s3api]
use = egg:swift#s3api
location = ${SWIFT_REGION}
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${SWIFT_KEYS.secretAccessKey} .admin
`;

const serverConfig = (name: string, folder: string, port: number): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
swift_dir = ${folder}
devices = ${folder}/devices
user = root
mount_check = false
disable_fallocate = true
workers = 0
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`;

export async function startSwift(): Promise<Swift> {
  const folder = temporaryFolder('swift');
  mkdirSync(join(folder, 'devices/d1'), { recursive: true });
  const children: Child[] = [];
  const start = (name: string): void => {
    children.push(startChild(`swift-${name}-server`, [join(folder, `${name}.conf`)], process.env));
  };
  for (const name of SERVERS) {
    const port = await freePort();
    writeFileSync(join(folder, `${name}.conf`), serverConfig(name, folder, port));
    const build = (...args: string[]): void => {
      execFileSync('swift-ring-builder', [join(folder, `${name}.builder`), ...args], { stdio: 'ignore' });
    };
    build('create', '1', '1', '1');
    build('add', `r1z1-127.0.0.1:${port}/d1`, '1');
    build('rebalance');
    start(name);
  }
  const port = await freePort();
  writeFileSync(join(folder, 'proxy.conf'), proxyConfig(folder, port));
  start('proxy');
  const endpoint = `http://127.0.0.1:${port}`;
  const close = async (): Promise<void> => {
    for (const child of children) await child.stop('SIGTERM');
    removeFolder(folder);
  };
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const status = await fetch(endpoint).then(
      (response) => response.status,
      () => 0,
    );
    // Without a signature; until all servers listen it is 503.
    if (status > 0 && status < 500) return { endpoint, close };
    if (Date.now() < deadline) continue;
    const output = children.map((child) => child.output()).join('');
    await close();
    throw new Error(`Swift does not answer:\n${output}`);
  }
}
