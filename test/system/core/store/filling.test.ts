/**
 * A restart with many zones: the nameserver answers before the index is filled, always with what
 * the store has.
 */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../../support/daemon.ts';
import { depth } from '../../../support/depth.ts';
import { UdpClient } from '../../../support/dns-client.ts';
import { fillStore } from '../../../support/large-store.ts';
import { decodeMessage, encodeQuery } from '../../../support/message.ts';
import { freePort } from '../../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';

const ZONES = depth({ quick: 5000, moderate: 20_000, full: 20_000 });
/**
 * Starts until one has answered before its index was filled: the machine may have stopped this
 * process.
 */
const STARTS = 20;
/** Milliseconds until a query is sent again while no nameserver listens. */
const RETRY_MS = 20;

/** Names an answer: its code and the number of its records; null: none came. */
type Ask = (name: string, type?: number) => Promise<string | null>;

function askOver(client: UdpClient): Ask {
  let id = 0;
  return async (name, type = TYPE.A) => {
    id = (id + 1) & 0xffff;
    const packet = encodeQuery({ name: parseName(name), type, class: CLASS_IN }, id);
    const response = await client.query(packet, RETRY_MS, 1);
    if (response === null) return null;
    const { rcode, answer } = decodeMessage(response);
    return `${rcode} ${answer.length}`;
  };
}

/** The first answer for a name, however long the nameserver takes. */
async function answerOf(ask: Ask, name: string, type?: number): Promise<string> {
  let answer: string | null = null;
  await until(async () => {
    answer = await ask(name, type);
    return answer !== null;
  }, `an answer for ${name}`);
  return answer!;
}

const EXISTS = `${RCODE.NOERROR} 1`;
const NOT_OURS = `${RCODE.REFUSED} 0`;

async function metricOf({ api }: Daemon, name: string): Promise<number> {
  const { text } = await api.call('GET', '/metrics');
  return text
    .split('\n')
    .filter((line) => line.startsWith(name) && !line.startsWith('#'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test(`a daemon with ${ZONES} zones answers before its index is filled`, async () => {
  const folder = temporaryFolder('filling');
  const dataDir = join(folder, 'data');
  await fillStore(dataDir, ZONES, 1);
  const port = await freePort();
  const client = await UdpClient.connect(port);
  const ask = askOver(client);
  let isEarly = false;
  for (let start = 0; start < STARTS && !isEarly; start++) {
    let isFilled = false;
    let zone = start;
    const answers = new Set<string | null>();
    const asking = (async () => {
      while (!isFilled) {
        zone = (zone + 4241) % ZONES;
        answers.add(await ask(`host-0.zone-${zone}.example.`));
      }
    })();
    const daemon = await startDaemon({ WAYPOST_DATA_DIR: dataDir, WAYPOST_DNS_LISTEN: `127.0.0.1:${port}` });
    try {
      await daemon.api.logIn('admin', ADMIN_PASSWORD);
      // Changes while the index is filled, and after.
      for (let i = 0; i < 5; i++) {
        const apex = `new-${start}-${i}.example`;
        assert.is(await answerOf(ask, apex, TYPE.SOA), NOT_OURS);
        const id = await daemon.api.createDomain(apex);
        assert.is(await answerOf(ask, apex, TYPE.SOA), EXISTS);
        const json = { name: 'www', type: 'A', content: '192.0.2.9', ttl: 300 };
        await daemon.api.call('POST', `/api/v1/domains/${id}/records`, json);
        assert.is(await answerOf(ask, `www.${apex}`), EXISTS);
        await daemon.api.call('DELETE', `/api/v1/domains/${id}`);
        assert.is(await answerOf(ask, `www.${apex}`), NOT_OURS);
        if (i === 3) await until(async () => (await metricOf(daemon, 'waypost_index_complete')) === 1);
      }
      isFilled = true;
      await asking;
      answers.delete(null);
      assert.equal([...answers], [EXISTS]);
      assert.match(daemon.child.output(), /index filled/);
      assert.is(await metricOf(daemon, 'waypost_index_names_in_store'), 0);
      // All names fit the index, so only answers before it was filled came from the store.
      isEarly = (await metricOf(daemon, 'waypost_dns_store_reads_total')) > 0;
    } finally {
      isFilled = true;
      await daemon.close();
    }
  }
  client.close();
  removeFolder(folder);
  assert.ok(isEarly, 'no answer came before the index was filled');
});

test.run();
