/**
 * What an ALIAS of another account does to a tenant's: `node dist/bench/attacks/alias.js [--main
 * FILE] [--seconds N]`. A tenant's apex is an ALIAS of a name in another zone of the tenant, which
 * the world does not see. A second account gets an ALIAS with the same target. Prints right answers
 * without and with it, and how long a change of the target takes to be answered.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../core/dns/wire/types.ts';
import { formatAddress } from '../../core/net/address/index.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../test/support/daemon.ts';
import { UdpClient } from '../../test/support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../test/support/message.ts';
import { TargetServer } from '../../test/support/target-server.ts';
import { attackOptions, printRow, probeFor, processFigures } from './stage.ts';

const TARGET = 'lb.tenant.example';
const OWNER = 'shop.example';
const ADDRESS = '198.51.101.7';
const CHANGED = '198.51.101.8';
const PATIENCE_MS = 15_000;

const { main, seconds } = attackOptions('alias', 'Adds an ALIAS with the target of another tenant.', 60);

const server = await TargetServer.start();
server.set(TARGET, { rcode: 3, negativeTtl: 5 }, { rcode: 3, negativeTtl: 5 });
const daemon = await startDaemon({ WAYPOST_ALIAS_RESOLVERS: server.address }, { main });
const dns = await UdpClient.connect(daemon.dnsPort);
let id = 0;

async function ask(): Promise<string> {
  id = (id + 1) % 65_536;
  const packet = encodeQuery({ name: parseName(`${OWNER}.`), type: TYPE.A, class: CLASS_IN }, id, false);
  const response = await dns.query(packet);
  if (response === null) throw new Error('no answer');
  return decodeMessage(response)
    .answer.filter(({ type }) => type === TYPE.A)
    .map(({ rdata }) => formatAddress(rdata))
    .join();
}

async function probe(): Promise<void> {
  if ((await ask()) !== ADDRESS) throw new Error('another answer');
}

/** Milliseconds until the answer is right. */
async function until(address: string): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < PATIENCE_MS) {
    if ((await ask()) === address) return performance.now() - start;
    await sleep(5);
  }
  return Number.POSITIVE_INFINITY;
}

const client = async (name: string): Promise<ApiClient> => {
  await daemon.api.call('POST', '/api/v1/accounts', {
    ...{ username: name, email: `${name}@example.com`, password: ADMIN_PASSWORD },
  });
  const api = new ApiClient(`http://127.0.0.1:${daemon.adminPort}`);
  await api.logIn(name, ADMIN_PASSWORD);
  return api;
};

try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const [tenant, attacker] = [await client('tenant'), await client('mallory')];
  const zone = await tenant.createDomain('tenant.example');
  const record = await tenant.createRecord(zone, 'lb', 'A', ADDRESS);
  await tenant.createRecord(await tenant.createDomain(OWNER), '@', 'ALIAS', `${TARGET}.`);
  await until(ADDRESS);
  const without = await probeFor(seconds, probe);
  await attacker.createRecord(await attacker.createDomain('mallory.example'), '@', 'ALIAS', `${TARGET}.`);
  const attacked = await probeFor(seconds, probe);
  await tenant.call('PUT', `/api/v1/domains/${zone}/records/${record}`, { name: 'lb', type: 'A', content: CHANGED });
  const change = await until(CHANGED);
  const { megabytes, descriptors } = processFigures(daemon.child.pid);
  const seen = Number.isFinite(change) ? `${change.toFixed(0)} ms` : `not in ${PATIENCE_MS / 1000} s`;
  printRow('ALIAS of the target of another', without, attacked, [seen, `${megabytes} MB, ${descriptors}`]);
} finally {
  dns.close();
  await daemon.close();
  await server.close();
}
