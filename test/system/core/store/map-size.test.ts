/**
 * The map of the store grows by itself: a daemon that starts with 1 MB stores 32 times as much.
 * Writes, answers of all threads, backups and restarts go on.
 */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, runCommand, type ServingDaemon, startDaemon } from '../../../support/daemon.ts';
import { queryTcp, UdpClient } from '../../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../../support/message.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const START = 1 << 20;
/** Bytes of the map at the end. Each growth doubles it. */
const END = 32 * START;
/** Records of an import: more than the map has at the start. */
const RECORDS = 1500;
const TEXT = 'x'.repeat(200);

test('a map of 1 MB grows while zones are imported, changed and queried', async () => {
  const folder = temporaryFolder('map-size');
  const settings = {
    WAYPOST_STORE_MAP_SIZE: '1MB',
    // Most names do not fit: the DNS threads read them from the store.
    WAYPOST_DNS_INDEX_MEMORY: '1MB',
    WAYPOST_BACKUP_FOLDER: join(folder, 'backups'),
    WAYPOST_BACKUP_ENCRYPTION: 'none',
    WAYPOST_SECRETS_KEY_FILE: join(folder, 'secret.key'),
  };
  const daemon = await startDaemon(settings);
  const { api } = daemon;
  const udp = await UdpClient.connect(daemon.dnsPort);
  let queries = 0;
  const check = async (name: string, type: number, count = 1): Promise<void> => {
    queries++;
    const packet = encodeQuery({ name: parseName(name), type, class: CLASS_IN }, queries & 0xffff);
    for (const response of [await udp.query(packet), ...(await queryTcp(daemon.dnsPort, [packet]))]) {
      assert.ok(response !== null, `no answer for ${name}`);
      const { rcode, answer } = decodeMessage(response);
      assert.equal([rcode, answer.length], [RCODE.NOERROR, count], name);
    }
  };
  const checkZone = async (zone: number): Promise<void> => {
    for (const host of [0, 77, RECORDS - 1]) await check(`host-${host}.zone-${zone}.example.`, TYPE.TXT);
  };
  try {
    await api.logIn('admin', ADMIN_PASSWORD);
    const counter = await api.createDomain('counter.example');
    const sizes = new Set([await mapOf(daemon)]);
    assert.ok([...sizes][0] < 2 * START, `a map of ${[...sizes]} bytes after the start`);
    let zones = 0;
    let changes = 0;
    for (let size = START; size < END; zones++) {
      const id = await api.createDomain(`zone-${zones}.example`);
      const lines = Array.from({ length: RECORDS }, (_, i) => `host-${i} 300 IN TXT "${TEXT}"`).join('\n');
      const imported = api.call('PUT', `/api/v1/domains/${id}/zonefile`, lines, 'text/dns');
      let isImporting = true;
      const finished = imported.finally(() => {
        isImporting = false;
      });
      do {
        await api.createRecord(counter, `c${changes}`, 'A', '192.0.2.1');
        await check(`c${changes++}.counter.example.`, TYPE.A);
      } while (isImporting);
      await finished;
      await checkZone(zones);
      size = await mapOf(daemon);
      sizes.add(size);
    }
    assert.ok(sizes.size >= 5, `the map had the sizes ${[...sizes].join(', ')}`);
    for (let zone = 0; zone < zones; zone++) await checkZone(zone);
    const { code, output } = await runCommand(['backup', 'now'], daemon.env);
    assert.is(code, 0, output);
    const drill = await runCommand(['backup', 'drill', '--json'], daemon.env);
    assert.is(drill.code, 0, drill.output);
    const report = JSON.parse(drill.output.split('\n').find((line) => line.startsWith('{')) ?? '');
    assert.equal([report.ok, report.rows.records], [true, zones * RECORDS + changes], drill.output);
    await daemon.kill();
    await daemon.start();
    await api.logIn('admin', ADMIN_PASSWORD);
    for (let zone = 0; zone < zones; zone++) await checkZone(zone);
    await api.createRecord(counter, 'restarted', 'A', '192.0.2.1');
    await check('restarted.counter.example.', TYPE.A);
    const log = daemon.child.output();
    assert.not.match(log, /ERROR/, log);
  } finally {
    udp.close();
    await daemon.close();
    removeFolder(folder);
  }
});

async function mapOf({ api }: ServingDaemon): Promise<number> {
  const { text } = await api.call('GET', '/metrics');
  return Number(/^waypost_store_map_bytes (\d+)$/m.exec(text)?.[1]);
}

test.run();
