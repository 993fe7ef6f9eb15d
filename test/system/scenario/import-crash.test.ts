/**
 * SIGKILL during large imports, next to other writes. After each restart the zone has all records
 * of the last import that was acknowledged, or of the one that was killed, and DNS agrees.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { depth } from '../../support/depth.ts';
import { queryAll, UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';

const KILLS = depth({ quick: 3, moderate: 5, full: 50 });
/** The import i is killed after i times so many other writes were acknowledged next to it. */
const WRITES = 4;
const RECORDS = 8000;
const ZONE = 'imported.example';

function zoneFile(variant: number): string {
  let text = '';
  for (let i = 0; i < RECORDS; i++) text += `n${i} 300 A 192.0.${variant}.${i % 250}\n`;
  return text;
}

/** The third byte of all addresses of the zone, by the API. */
async function variantsIn(daemon: Daemon, domain: string): Promise<Set<string>> {
  const { text } = await daemon.api.request('GET', `/api/v1/domains/${domain}/zonefile`);
  const addresses = text.match(/192\.0\.\d+\.\d+/g) ?? [];
  assert.is(addresses.length, RECORDS);
  return new Set(addresses.map((address) => address.split('.')[2]));
}

async function variantsOverDns(daemon: Daemon): Promise<Set<string>> {
  const client = await UdpClient.connect(daemon.dnsPort);
  try {
    const packets = Array.from({ length: 500 }, (_, i) =>
      encodeQuery({ name: parseName(`n${i * 16}.${ZONE}.`), type: TYPE.A, class: CLASS_IN }, i),
    );
    const found = new Set<string>();
    for (const response of await queryAll(client, packets, 50)) {
      if (response === null) throw new Error('no answer');
      for (const { rdata } of decodeMessage(response).answer) found.add(String(rdata[2]));
    }
    return found;
  } finally {
    client.close();
  }
}

test('after SIGKILL during an import, all of it is there or nothing', async () => {
  const daemon = await startDaemon();
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const domain = await daemon.api.createDomain(ZONE);
    const other = await daemon.api.createDomain('other.example');
    const path = `/api/v1/domains/${domain}/zonefile`;
    const put = (variant: number) => daemon.api.request('PUT', path, zoneFile(variant), 'text/dns');
    assert.is((await put(1)).status, 200);
    let current = '1';
    for (let kill = 0; kill < KILLS; kill++) {
      const variant = kill + 2;
      let isImported = false;
      const imported = put(variant).then(
        ({ status }) => {
          assert.is(status, 200);
          isImported = true;
        },
        (error: unknown) => {
          // fetch fails with TypeError when the connection breaks.
          if (!(error instanceof TypeError)) throw error;
        },
      );
      for (let w = 0; w < kill * WRITES && !isImported; w++)
        await daemon.api.createRecord(other, `w${variant}-${w}`, 'A', '192.0.2.1', 60);
      await daemon.kill();
      await imported;
      await daemon.start();
      const found = await variantsIn(daemon, domain);
      const [now] = found;
      assert.is(found.size, 1, `records of ${[...found]}`);
      assert.ok(now === String(variant) || (now === current && !isImported), `${now} after ${current} and ${variant}`);
      assert.equal(await variantsOverDns(daemon), found);
      current = now;
    }
  } finally {
    await daemon.close();
  }
});

test.run();
