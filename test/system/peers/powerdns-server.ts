/** PowerDNS Authoritative Server with its API and a database in SQLite: Debian's packages. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../../support/child.ts';
import { freePort } from '../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilPasses } from '../../support/until.ts';

export interface PowerDnsServer {
  /** Base URL of the API, without a path. */
  readonly url: string;
  readonly key: string;
  readonly dnsPort: number;
  close(): Promise<void>;
}

const KEY = 'key-of-a-test';
const SCHEMA = '/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql';

export async function startPowerDnsServer(): Promise<PowerDnsServer> {
  const folder = temporaryFolder('powerdns');
  const database = join(folder, 'zones.sqlite3');
  const made = startChild('/usr/bin/sqlite3', [database, `.read ${SCHEMA}`], process.env);
  if ((await made.ended()) !== 0) throw new Error(`sqlite3 has failed: ${made.output()}`);
  const port = await freePort();
  const dnsPort = await freePort();
  const settings = {
    ...{ launch: 'gsqlite3', 'gsqlite3-database': database, 'gsqlite3-dnssec': 'yes' },
    'gsqlite3-pragma-synchronous': 0,
    ...{ 'local-address': '127.0.0.1', 'local-port': dnsPort, 'socket-dir': folder },
    ...{ api: 'yes', 'api-key': KEY, 'webserver-address': '127.0.0.1', 'webserver-port': port },
    ...{ 'webserver-loglevel': 'none', 'security-poll-suffix': '', 'zone-cache-refresh-interval': 0 },
    ...{ daemon: 'no', guardian: 'no', 'disable-syslog': 'yes', 'receiver-threads': 1, 'distributor-threads': 1 },
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, 'pdns.conf'), lines.join(''));
  const child = startChild('/usr/sbin/pdns_server', [`--config-dir=${folder}`], process.env);
  const url = `http://127.0.0.1:${port}`;
  await untilPasses(async () => {
    const answer = await fetch(`${url}/api/v1/servers`, { headers: { 'x-api-key': KEY } });
    if (answer.status !== 200) throw new Error(`pdns_server: ${answer.status} ${child.output()}`);
  });
  return {
    url,
    key: KEY,
    dnsPort,
    async close() {
      await child.stop();
      removeFolder(folder);
    },
  };
}
