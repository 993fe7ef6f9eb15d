/** From one node with data to a cluster of two and back, by the command line. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { ADMIN_PASSWORD, environment, runCommand, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilPasses } from '../../support/until.ts';
import { type EtcdMember, startEtcd } from '../peers/etcd.ts';

interface Context {
  etcd: EtcdMember;
  folder: string;
}

const test = suite<Context>('making a cluster');
test.before(async (context) => {
  context.etcd = await startEtcd();
  context.folder = temporaryFolder('setup');
});
test.after(async ({ etcd, folder }) => {
  await etcd.stop();
  removeFolder(folder);
});

const names = async (api: { call(method: string, path: string): Promise<{ body: object }> }): Promise<string[]> => {
  const { domains } = (await api.call('GET', '/api/v1/domains')).body as { domains: { domain: string }[] };
  return domains.map(({ domain }) => domain).sort();
};

/** The variables of a file as systemd reads it. */
const variables = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

test('a node with data, then two, then one alone', async ({ etcd, folder }) => {
  const first = await startDaemon();
  const inCluster = {
    WAYPOST_NODE_NAME: 'one',
    WAYPOST_ETCD_ENDPOINTS: etcd.endpoint,
    WAYPOST_PEER_LISTEN: `127.0.0.1:${await freePort()}`,
  };
  const ofFirst = { ...first.env, ...inCluster };
  const run = async (env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> => {
    const { code, output } = await runCommand(['cluster', ...args], env);
    assert.is(code, 0, output);
    return output;
  };
  try {
    await first.api.logIn('admin', ADMIN_PASSWORD);
    await first.api.createDomain('before.example');
    const inUse = await runCommand(['cluster', 'init'], ofFirst);
    assert.is(inUse.code, 1);
    assert.match(inUse.output, /is in use by process/);
    assert.is(await first.stop(), 0);
    assert.match(await run(ofFirst, 'init'), /the cluster starts with the \d+ changes of one/);
    assert.match(await run(ofFirst, 'init'), /already exists/);
    Object.assign(first.env, inCluster);
    await first.start();
    await first.api.createDomain('during.example');

    const invitation = join(folder, 'two.invitation');
    await run(ofFirst, 'invite', 'two', '--out', invitation);
    const ofSecond = { ...first.env, WAYPOST_DATA_DIR: join(folder, 'two') };
    // Twice, as when the terminal was closed.
    for (let i = 0; i < 2; i++)
      assert.match(
        await run(ofSecond, 'join', invitation),
        /this node is (?:already )?two.*\netcd has one voter; this node needs no member/,
      );
    const settingsOfSecond = {
      ...variables(join(folder, 'two/cluster/environment')),
      WAYPOST_DATA_DIR: join(folder, 'two'),
      WAYPOST_PEER_LISTEN: `127.0.0.1:${await freePort()}`,
    };
    const second = await startDaemon(settingsOfSecond);
    try {
      await second.api.logIn('admin', ADMIN_PASSWORD);
      assert.equal(await names(second.api), ['before.example', 'during.example']);
      const { body } = await second.api.call('POST', '/api/v1/domains', { domain: 'together.example' });
      assert.equal((body.sync as { applied: string[] }).applied, ['one', 'two']);
      const status = await run(ofFirst, 'status');
      assert.match(status, /one +serves, up to date/);
      assert.match(status, /two +serves, up to date/);
    } finally {
      await second.close();
    }
    await untilPasses(async () => {
      const { code, output } = await runCommand(['cluster', 'status'], ofFirst);
      assert.match(output, /two +writes do not wait for it, does not respond/);
      assert.is(code, 1);
    });
    assert.match(await run(ofFirst, 'remove', 'two'), /two is no longer a member/);
    assert.not.match(await run(ofFirst, 'status'), /two/);
    const back = await runCommand(['serve'], second.env);
    assert.is(back.code, 1);
    assert.match(back.output, /was removed from the cluster.*waypost cluster invite two/s);
    // Alone again: what the cluster has written stays.
    await first.stop();
    delete first.env.WAYPOST_ETCD_ENDPOINTS;
    rmSync(join(first.env.WAYPOST_DATA_DIR ?? '', 'cluster/environment'));
    await first.start();
    assert.equal(await names(first.api), ['before.example', 'during.example', 'together.example']);
    await first.api.createDomain('after.example');
  } finally {
    await first.close();
  }
});

test('refused set-ups have a reason and the next step', async ({ etcd, folder }) => {
  const env = environment({ WAYPOST_DATA_DIR: join(folder, 'three'), WAYPOST_NODE_NAME: 'three' });
  const fails = async (expected: RegExp, more: NodeJS.ProcessEnv, ...args: string[]): Promise<void> => {
    const { code, output } = await runCommand(['cluster', ...args], { ...env, ...more });
    assert.is(code, 1, output);
    assert.match(output, expected);
  };
  const here = { WAYPOST_ETCD_ENDPOINTS: etcd.endpoint };
  await fails(/etcd\.endpoints is empty\. Set the client URLs/, {}, 'init');
  for (const args of [['status'], ['remove', 'one'], ['invite', 'five']])
    await fails(/three is not in a cluster: it has no etcd\.endpoints.*next: .*WAYPOST_DATA_DIR/s, {}, ...args);
  await fails(/belongs to another cluster.*etcdctl del --prefix \/waypost\//, here, 'init');
  await fails(/127\.0\.0\.1:9/, { WAYPOST_ETCD_ENDPOINTS: 'http://127.0.0.1:9', WAYPOST_ETCD_PREFIX: '/x/' }, 'init');
  // A member of etcd on this node, and what is wrong with it.
  // On a busy machine, too, it is to say what is wrong and not that it took long.
  const own = {
    WAYPOST_DATA_DIR: join(folder, 'own'),
    WAYPOST_ETCD_PREFIX: '/own/',
    WAYPOST_ETCD_TIMEOUT: '20000',
  };
  const port = etcd.endpoint.split(':')[2];
  const at = (urls: string, ...hosts: string[]): string[] => ['init', '--etcd', urls, '--host', ...hosts];
  await fails(/without TLS.*Use https.*accept only TLS/, own, ...at('http://127.0.0.1:9', '127.0.0.1'));
  await fails(/--host localhost: one of them must be the IP address/, own, ...at('https://localhost:9', 'localhost'));
  await fails(/a b is not a host name or an address/, own, ...at('https://127.0.0.1:9', 'a b'));
  await fails(/etcd\.endpoints.*WAYPOST_ETCD_ENDPOINTS/s, own, ...at('nonsense', '127.0.0.1'));
  await fails(
    /use TLS on this port.{2}configure certificates and allow only TLS/,
    own,
    ...at(`https://127.0.0.1:${port}`, '127.0.0.1'),
  );
  const key = ecKey();
  const tls = createServer({
    key: pemOfKey(key),
    cert: certificate({ name: 'x', key, addresses: [Uint8Array.of(127, 0, 0, 1)] }),
  });
  await new Promise<void>((done) => void tls.listen(0, '127.0.0.1', done));
  const strange = `https://127.0.0.1:${(tls.address() as AddressInfo).port}`;
  await fails(/not from the authority of the cluster.*WAYPOST_ETCD_CA_FILE/s, own, ...at(strange, '127.0.0.1'));
  tls.close();
  const other = { ...here, WAYPOST_DATA_DIR: join(folder, 'four') };
  await fails(/only on the node where "waypost cluster init" was run/, other, 'invite', 'five');
  await fails(/is missing.*cluster init/, other, 'status');
  const file = join(folder, 'junk');
  await fails(/ENOENT.*\n +next: Check the path/, other, 'join', file);
  for (const [text, why] of [
    ['junk', /The invitation is invalid/],
    ['{"version":2}', /its version is not 1/],
    ['{"version":1,"name":"x"}', /it lacks "ca"/],
  ] as const) {
    writeFileSync(file, text);
    await fails(why, other, 'join', file);
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: making a cluster, ${why}`);
