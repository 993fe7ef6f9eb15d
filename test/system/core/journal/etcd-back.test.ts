/**
 * An etcd that has gone back, as with an older backup: its revisions come again, and what they
 * stood for does not.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { request } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UnavailableError } from '../../../../core/base/errors.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import type { EtcdJournal } from '../../../../core/journal/etcd/contract.ts';
import { openEtcdJournal } from '../../../../core/journal/etcd/etcd-journal.ts';
import { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import { accounts } from '../../../../core/store/rows.ts';
import { DEFAULTS, newAccount, type Store, withStore } from '../../../core/journal/fixture.ts';
import { whyNotPrograms } from '../../../support/programs.ts';
import { type EtcdMember, startEtcd } from '../../peers/etcd.ts';

/** Before one etcd, then before another; a watch stays where it is. */
async function startSwitch(first: EtcdMember) {
  const at = { endpoint: first.endpoint };
  const server = createServer((from, to) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of from) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const answer = await request(at.endpoint + from.url, { method: 'POST', body });
      to.writeHead(answer.statusCode);
      await pipeline(answer.body, to);
    })().catch(() => to.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { at, stop, gateway: new EtcdGateway({ endpoints: [`http://127.0.0.1:${port}`], timeout: 2000 }) };
}

interface Node extends Store {
  readonly journal: EtcdJournal;
  readonly lost: [string, boolean][];
}

function withNode(gateway: EtcdGateway, work: (node: Node) => Promise<void>): Promise<void> {
  const lost: Node['lost'] = [];
  return withStore(
    async ({ environment, index }, history) => {
      const journal = openEtcdJournal({
        ...{ environment, index, history, gateway, zoneSettings: DEFAULTS },
        // The look next to the watch would find out, too.
        ...{ prefix: '/back/', deadline: 1000, interval: 60_000 },
        events: { onTrouble: () => {}, onLost: (...reported) => lost.push(reported) },
      });
      await journal.catchUp();
      return journal;
    },
    async (store) => work(Object.assign(store, { lost }) as Node),
  );
}

const put = ({ environment, journal }: Node): Promise<unknown> =>
  write(environment, journal, 'test', (draft) => draft.put(accounts, newAccount()));

/** What becomes of a node with three entries when etcd has so many, others. */
async function back(entries: number, check: (node: Node, error: Error) => void): Promise<void> {
  const members = [await startEtcd(), await startEtcd()];
  const { at, stop, gateway } = await startSwitch(members[0]);
  const other = new EtcdGateway({ endpoints: [members[1].endpoint], timeout: 2000 });
  try {
    await withNode(gateway, async (node) => {
      for (let i = 0; i < 3; i++) await put(node);
      await withNode(other, async (stranger) => {
        for (let i = 0; i < entries; i++) await put(stranger);
        at.endpoint = members[1].endpoint;
        const error = await put(node).then(
          () => new Error('it was written behind what this node does not have'),
          (cause: unknown) => cause as Error,
        );
        check(node, error);
        assert.is(node.journal.head, 3);
        await put(stranger);
        assert.is(stranger.journal.head, entries + 1, 'nothing has come in between');
      });
    });
  } finally {
    stop();
    await Promise.all([gateway.close(), other.close(), ...members.map((member) => member.stop())]);
  }
}

test('with the revision that a node knows and another entry behind it, nothing is written', () =>
  back(3, ({ journal, lost }, error) => {
    assert.instance(error, UnavailableError);
    assert.is((error as UnavailableError).code, 'node_lost');
    assert.match(String(journal.lost), /an older backup.*move waypost\.mdb/);
    assert.equal(
      lost.map(([, isCurable]) => isCurable),
      [false],
      "what only this node has is not given up for another's by itself",
    );
  }));

test('with fewer entries than a node has, nothing is written', () =>
  back(1, ({ journal, lost }, error) => {
    assert.is((error as UnavailableError).code, 'node_lost');
    assert.match(String(journal.lost), /at entry 3, but the log in etcd ends at 1.*cluster init/);
    assert.is(lost.length, 1);
  }));

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: an etcd that has gone back, ${why}`);
