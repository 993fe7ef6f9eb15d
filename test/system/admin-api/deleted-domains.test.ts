/**
 * Deleted domains with real daemons: they are not served, survive crashes, and come back whole, on
 * one node and through another node of a cluster.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../support/daemon.ts';
import { queryTcp } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { until, untilIs } from '../../support/until.ts';
import { startCluster } from '../cluster/rig.ts';

const test = suite('deleted domains');
const ZONE = 'deleted.example';
const DELETED = '/api/v1/domains/deleted';

type Asked = readonly [code: number, types: readonly number[]];

/** The code and the types of the records of a response with signatures. */
async function ask(port: number, name: string, type: number): Promise<Asked> {
  const edns = { size: 1232, version: 0, do: true };
  const query = encodeQuery({ name: parseName(`${name}.`), type, class: CLASS_IN, edns }, 1);
  const { rcode, answer } = decodeMessage((await queryTcp(port, [query]))[0]);
  return [rcode, answer.map((record) => record.type)];
}

/** Creates a signed zone with a record, and resolves when both are served. */
async function createSigned(api: ApiClient, port: number): Promise<string> {
  const id = await api.createDomain(ZONE);
  await api.createRecord(id, 'www', 'A', '192.0.2.1');
  const { status, text } = await api.call('PUT', `/api/v1/domains/${id}/dnssec`, { enabled: true });
  assert.is(status, 200, text);
  await untilIs(() => ask(port, `www.${ZONE}`, TYPE.A), SIGNED);
  return id;
}

const SIGNED: Asked = [RCODE.NOERROR, [TYPE.A, TYPE.RRSIG]];
const REFUSED: Asked = [RCODE.REFUSED, []];

const idsIn = async (api: ApiClient): Promise<unknown> =>
  ((await api.call('GET', DELETED)).body.domains as { id: number }[]).map(({ id }) => String(id));

test('a domain that was deleted before a crash is restored with its signatures after the start', async () => {
  const daemon = await startDaemon();
  const { api, dnsPort } = daemon;
  try {
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await createSigned(api, dnsPort);
    assert.is((await api.call('DELETE', `/api/v1/domains/${id}`)).status, 200);
    assert.equal(await ask(dnsPort, `www.${ZONE}`, TYPE.A), REFUSED);
    await daemon.kill();
    await daemon.start();
    assert.equal(await ask(dnsPort, `www.${ZONE}`, TYPE.A), REFUSED);
    assert.equal(await idsIn(api), [id]);
    const restored = await api.call('POST', `${DELETED}/${id}/restore`, {});
    assert.is(restored.status, 200, restored.text);
    assert.equal(await ask(dnsPort, `www.${ZONE}`, TYPE.A), SIGNED);
    await daemon.kill();
    await daemon.start();
    assert.equal(await ask(dnsPort, `www.${ZONE}`, TYPE.A), SIGNED);
    assert.equal(await idsIn(api), []);
  } finally {
    await daemon.close();
  }
});

test('a domain that was deleted for good leaves no rows', async () => {
  const daemon = await startDaemon();
  const { api, dnsPort } = daemon;
  const entries = async (table: string): Promise<number> => {
    const { text } = await api.call('GET', '/metrics');
    return Number(new RegExp(`^waypost_store_entries\\{table="${table}"\\} (\\d+)`, 'm').exec(text)?.[1]);
  };
  try {
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await createSigned(api, dnsPort);
    assert.is((await api.call('DELETE', `/api/v1/domains/${id}?permanent=true`)).status, 200);
    await until(async () => (await entries('deleted_domains')) === 0, 'the last row is deleted');
    for (const table of ['records', 'zones', 'history', 'dnssec']) assert.is(await entries(table), 0, table);
  } finally {
    await daemon.close();
  }
});

test('nodes of a cluster agree about a deleted domain, and any of them restores it', async () => {
  const why = whyNotPrograms('etcd');
  if (why !== null) return console.log(`skipped: deleted domains in a cluster, ${why}`);
  const rig = await startCluster(2);
  try {
    const [a, b] = rig.nodes;
    const ports = rig.nodes.map(({ dnsPort }) => dnsPort);
    const id = await createSigned(a.api, a.dnsPort);
    assert.is((await a.api.call('DELETE', `/api/v1/domains/${id}`)).status, 200);
    for (const port of ports) await untilIs(() => ask(port, `www.${ZONE}`, TYPE.A), REFUSED);
    await untilIs(() => idsIn(b.api), [id]);
    const restored = await b.api.call('POST', `${DELETED}/${id}/restore`, {});
    assert.is(restored.status, 200, restored.text);
    for (const port of ports) await untilIs(() => ask(port, `www.${ZONE}`, TYPE.A), SIGNED);
    for (const { api } of rig.nodes) await untilIs(() => idsIn(api), []);
    const serials = await Promise.all(
      ports.map(async (port) => {
        const query = encodeQuery({ name: parseName(`${ZONE}.`), type: TYPE.SOA, class: CLASS_IN }, 1);
        return Buffer.from((await queryTcp(port, [query]))[0]).toString('hex');
      }),
    );
    assert.is(serials[0], serials[1]);
  } finally {
    await rig.close();
  }
});

test.run();
