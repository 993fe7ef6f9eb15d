/**
 * Two nodes over one log whose settings change one after the other: serials are the same at both
 * all the time, and all else in the end.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import type { EtcdJournal } from '../../../../core/journal/etcd/contract.ts';
import { openEtcdJournal } from '../../../../core/journal/etcd/etcd-journal.ts';
import { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import { answersAreCurrent, rebuildAnswers } from '../../../../core/journal/upkeep/rebuild.ts';
import { startRenumbering } from '../../../../core/journal/upkeep/renumber.ts';
import { type Environment, openEnvironment } from '../../../../core/store/environment.ts';
import { buildIndex } from '../../../../core/store/index/build.ts';
import { domains, proxies, records } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import type { ZoneSettings } from '../../../../core/zone/compile/settings.ts';
import { addressRecord, DEFAULTS, dump, newDomain, newProxy } from '../../../core/journal/fixture.ts';
import { whyNotPrograms } from '../../../support/programs.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';
import { startEtcd } from '../../peers/etcd.ts';

const CHANGED = { ...DEFAULTS, expire: 77, cluster: { ipv4: ['192.0.2.81'], ipv6: [] } };
const ZONES = ['one.test.', 'two.test.', 'three.test.'].map((apex) => newDomain(apex));

/** A node that can be started again with its data. */
class Node {
  readonly folder = temporaryFolder('settings');
  readonly gateway: EtcdGateway;
  environment!: Environment;
  journal!: EtcdJournal;

  constructor(endpoint: string) {
    this.gateway = new EtcdGateway({ endpoints: [endpoint], timeout: 2000 });
  }

  /** As the daemon does. */
  async start(settings: ZoneSettings): Promise<void> {
    this.environment = openEnvironment(this.folder);
    const { environment, gateway } = this;
    if (!answersAreCurrent(environment, settings)) await rebuildAnswers(environment, settings);
    const index = await buildIndex(environment, this.folder, 4 << 20);
    this.journal = openEtcdJournal({
      ...{ environment, index, gateway, history: 1000, zoneSettings: settings },
      ...{ prefix: '/settings/', deadline: 3000, interval: 200 },
    });
    await this.journal.catchUp();
    const { journal } = this;
    const log = createLogger({ level: 'warn', format: 'text', write: (line) => assert.unreachable(line) });
    await startRenumbering({ environment, journal, settings, tasks: singleNodeTasks(), log }).done;
  }

  async stop(): Promise<void> {
    await this.journal.close();
    await this.environment.close();
  }

  async again(settings: ZoneSettings): Promise<void> {
    await this.stop();
    await this.start(settings);
  }

  async end(): Promise<void> {
    await this.stop();
    await this.gateway.close();
    removeFolder(this.folder);
  }

  serials(): number[] {
    const reader = new StoreReader(this.environment);
    return ZONES.map(({ id }) => reader.zoneState(id).serial);
  }

  async write(name: string): Promise<void> {
    await write(this.environment, this.journal, 'test', (draft) => {
      for (const domain of ZONES) draft.put(records, addressRecord(domain, name));
    });
  }
}

async function level(node: Node, other: Node): Promise<void> {
  await until(
    () => node.journal.head === other.journal.head,
    () => `they are at ${node.journal.head} and ${other.journal.head}`,
  );
  for (const { environment } of [node, other]) environment.root.resetReadTxn();
}

test('settings that change at one node after the other', async () => {
  const etcd = await startEtcd();
  const [item, other] = [new Node(etcd.endpoint), new Node(etcd.endpoint)];
  await item.start(DEFAULTS);
  await other.start(DEFAULTS);
  await write(item.environment, item.journal, 'test', (draft) => {
    for (const domain of ZONES) draft.put(domains, domain);
    draft.put(proxies, newProxy(ZONES[0]));
  });
  await item.write('a');
  await level(item, other);
  assert.equal(dump(other.environment), dump(item.environment));
  const shared = ['rows3', 'rows4', 'rows17', 'zones', 'usage', 'journal'];
  const isLevel = async (): Promise<void> => {
    await level(item, other);
    assert.equal(dump(other.environment, shared), dump(item.environment, shared));
  };
  const first = item.serials();

  // 1. One has new settings, the other follows with its old ones; both write.
  await item.again(CHANGED);
  await isLevel();
  const second = other.serials();
  assert.ok(second.every((serial, i) => serial > first[i]));
  await other.write('b');
  await level(item, other);
  await item.write('c');
  await isLevel();

  // 2. A start with the settings that the node had raises nothing, whatever those of the other are.
  const { head } = item.journal;
  await item.again(CHANGED);
  await other.again(DEFAULTS);
  assert.is(other.journal.head, head);
  await isLevel();

  // 3. The other has them, too: who took a zone from it comes once more.
  const third = item.serials();
  await other.again(CHANGED);
  await isLevel();
  assert.ok(other.serials().every((serial, i) => serial > third[i]));
  assert.equal(dump(other.environment), dump(item.environment));

  // 4. What was applied is what is made of the rows again.
  const applied = dump(item.environment);
  await rebuildAnswers(item.environment, CHANGED);
  assert.equal(dump(item.environment), applied);
  for (const node of [item, other]) await node.end();
  await etcd.stop();
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: settings of several nodes, ${why}`);
