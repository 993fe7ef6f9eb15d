/**
 * A node that copies a store for longer than the history lasts: it gets another copy, and then
 * follows.
 */
import { createConnection, createServer, type Server } from 'node:net';
import { test } from 'uvu';
import { EtcdLog } from '../../../core/journal/etcd/shared-log.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';
import { startEtcd } from '../peers/etcd.ts';
import { credentialsIn, inviteNode } from './credentials.ts';

const HISTORY = 10;
/** So many times as much is kept for a node that joins: core/cluster/upkeep.ts. */
const JOINING = 20;
/** Bytes that pass on one connection while it is slow: less than a store. */
const PASSED = 64 << 10;

/** A link to a port, on which nothing large goes through until `open`. */
class SlowLink {
  readonly #server: Server;
  #release: () => void = () => {};
  readonly #opened = new Promise<void>((done) => {
    this.#release = done;
  });
  /** Something large waits. */
  isHolding = false;

  constructor(port: number) {
    this.#server = createServer((near) => {
      const far = createConnection({ host: '127.0.0.1', port });
      near.pipe(far);
      let bytes = 0;
      far.on('data', (piece) => {
        near.write(piece);
        bytes += piece.length;
        if (bytes <= PASSED) return;
        this.isHolding = true;
        far.pause();
        void this.#opened.then(() => far.resume());
      });
      for (const [item, other] of [[near, far] as const, [far, near] as const]) {
        item.on('error', () => {});
        item.on('close', () => other.destroy());
      }
    });
  }

  listen(port: number): Promise<void> {
    return new Promise((done) => void this.#server.listen(port, '127.0.0.1', done));
  }

  open(): void {
    this.#release();
  }

  close(): void {
    this.#server.close();
  }
}

test('a joiner that is slower than the history gets the store again, and is in sync', async () => {
  const folder = temporaryFolder('joiner');
  const credentials = credentialsIn(folder);
  const etcd = await startEtcd();
  const [listen, advertised] = [await freePort(), await freePort()];
  const link = new SlowLink(listen);
  const nodes: Daemon[] = [];
  const start = async (name: string, settings: Record<string, string>): Promise<Daemon> => {
    const own = credentials(name);
    await inviteNode(etcd.gateway, own);
    const node = await startDaemon({
      ...{ WAYPOST_ETCD_ENDPOINTS: etcd.endpoint, WAYPOST_JOURNAL_HISTORY: String(HISTORY) },
      ...{ ...own, ...settings },
    });
    nodes.push(node);
    return node;
  };
  try {
    await link.listen(advertised);
    const a = await start('a', {
      WAYPOST_PEER_LISTEN: `127.0.0.1:${listen}`,
      WAYPOST_PEER_ADVERTISE: `127.0.0.1:${advertised}`,
    });
    await a.api.logIn('admin', ADMIN_PASSWORD);
    const id = await a.api.createDomain('joined.example');
    const write = async (label: string, count: number): Promise<void> => {
      const names = Array.from({ length: count }, (_, i) => `${label}${i}`);
      while (names.length > 0)
        await Promise.all(names.splice(0, 50).map((name) => a.api.createRecord(id, name, 'A', '192.0.2.1')));
    };
    // More than is read from the log by a node without data.
    await write('before', 150);
    const joining = start('b', { WAYPOST_PEER_LISTEN: `127.0.0.1:${await freePort()}` });
    joining.catch(() => {});
    await until(() => link.isHolding, 'the store is on its way');
    const from = await headOf(a);
    await write('during', HISTORY * (JOINING + 2));
    const log = new EtcdLog(etcd.gateway, '/waypost/');
    await until(async () => (await log.read(2 ** 48 - 1)).floor > from + 1, 'the log does not reach back to the copy');
    link.open();
    const b = await joining;
    const taken = (): number => b.child.output().split('store of another node has replaced').length - 1;
    // A copy is given for five seconds: perhaps the same once more, and then another.
    await until(
      () => taken() >= 2,
      () => `it has the store once more\n${b.child.output()}`,
    );
    const isReady = (): Promise<boolean> =>
      b.api.request('GET', '/readyz').then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(isReady, () => `it is ready\n${b.child.output()}`);
    b.api.token = a.api.token;
    await until(
      async () => (await headOf(b)) === (await headOf(a)),
      () => `it has all\n${b.child.output()}`,
    );
    await until(async () => {
      const { body } = await b.api.call('POST', '/api/v1/domains', { domain: `by-b-${Date.now()}.example` });
      return (body.sync as { applied: string[] }).applied.join() === 'a,b';
    }, 'both serve what one of them writes');
  } finally {
    link.open();
    await Promise.all(nodes.map((node) => node.close()));
    link.close();
    await etcd.stop();
    removeFolder(folder);
  }
});

/** Of the last change that it has applied. */
async function headOf({ api }: Daemon): Promise<number> {
  const { text } = await api.request('GET', '/metrics');
  return Number(/^waypost_journal_sequence (\d+)$/m.exec(text)?.[1]);
}

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: a joiner that is slow, ${why}`);
