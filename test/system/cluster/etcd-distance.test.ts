/** The settings of docs/several-nodes.md for members of etcd that are far apart, in a member. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT, readPage } from '../../check/docs/pages.ts';
import { type Child, startChild } from '../../support/child.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { ETCD, untilHealthy } from '../peers/etcd.ts';

type Settings = Readonly<Record<string, string>>;

/** The times in a text of lines NAME=value, which may be comments or follow one another. */
const timesIn = (text: string): Settings =>
  Object.fromEntries(
    [...text.matchAll(/\b(ETCD_(?:HEARTBEAT|ELECTION)_\w+)=(\d+)/g)].map(([, name, value]) => [name, value]),
  );

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const SOURCES: Readonly<Record<string, Settings>> = {
  'docs/several-nodes.md': timesIn(
    readPage('docs/several-nodes.md')
      .blocks.flatMap(({ lines }) => lines)
      .map(({ text }) => text)
      .join('\n'),
  ),
  'config/etcd.environment': timesIn(read('config/etcd.environment')),
  'systemd/waypost-etcd.service': timesIn(read('systemd/waypost-etcd.service')),
};

/** One member with these settings, which logs its times when it starts. */
async function startMember(settings: Settings, folder: string): Promise<{ child: Child; endpoint: string }> {
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`);
  const child = startChild(ETCD, [], {
    PATH: process.env.PATH,
    ETCD_NAME: 'member',
    ETCD_DATA_DIR: folder,
    ETCD_LOGGER: 'zap',
    ETCD_LISTEN_CLIENT_URLS: client,
    ETCD_ADVERTISE_CLIENT_URLS: client,
    ETCD_LISTEN_PEER_URLS: peer,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: peer,
    ETCD_INITIAL_CLUSTER: `member=${peer}`,
    ...settings,
  });
  return { child, endpoint: client };
}

const why = whyNotPrograms('etcd');
if (why !== null || !existsSync(ETCD)) {
  console.log(`skipped: etcd over distance, ${why}`);
  test.skip('etcd over distance', () => {});
} else {
  for (const [path, settings] of Object.entries(SOURCES))
    test(`etcd starts with the times of ${path}`, async () => {
      assert.equal(Object.keys(settings).sort(), ['ETCD_ELECTION_TIMEOUT', 'ETCD_HEARTBEAT_INTERVAL']);
      const folder = temporaryFolder('etcd-distance');
      const { child, endpoint } = await startMember(settings, folder);
      try {
        await untilHealthy(endpoint, child);
        assert.match(child.output(), `"heartbeat-interval":"${settings.ETCD_HEARTBEAT_INTERVAL}ms"`);
        const election = Number(settings.ETCD_ELECTION_TIMEOUT);
        assert.match(child.output(), new RegExp(`"election-timeout":"(?:${election}ms|${election / 1000}s)"`));
        assert.is(election, 10 * Number(settings.ETCD_HEARTBEAT_INTERVAL));
      } finally {
        await child.stop();
        removeFolder(folder);
      }
    });

  test('the files and the page name the same times', () => {
    assert.equal(SOURCES['config/etcd.environment'], SOURCES['docs/several-nodes.md']);
  });
}

test.run();
