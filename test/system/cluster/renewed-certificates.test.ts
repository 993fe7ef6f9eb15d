/**
 * Three nodes, each with a member of etcd, whose authority and certificates expire soon: the daemon
 * with the key of the authority replaces them all, while every node answers DNS and takes writes.
 */
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as dns from 'dns-packet';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAuthority, signAgain } from '../../../core/cluster/authority.ts';
import { bundleOf, isIssuedBy } from '../../../core/cluster/own-certificates.ts';
import { type Child, startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD, type Daemon, environment, runCommand, startDaemon } from '../../support/daemon.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { until, untilPasses } from '../../support/until.ts';

const DAY = 86_400_000;
const MOST_DAYS = 730;
const NAMES = ['node-1', 'node-2', 'node-3'];

/** The result of `work`, as if it had been done days ago. */
async function daysAgo<T>(days: number, work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => now() - days * DAY;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

test('an authority and a certificate that expire soon are replaced without a stop', async () => {
  const folder = temporaryFolder('renewed');
  const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
  // Members of etcd connect to each other from the first address of the loopback network.
  const hostsOf = (i: number): string[] => ['--host', addresses[i], '127.0.0.1'];
  const endpoints: string[] = [];
  for (const address of addresses) {
    endpoints.push(`https://${address}:${await freePort()}`);
    // The next one is etcd's, for its own peers.
    await freePort();
  }
  const dataOf = (name: string): string => join(folder, name);
  const fileOf = (name: string, file: string): string => join(dataOf(name), 'cluster', file);
  const textOf = (name: string, file: string): string => readFileSync(fileOf(name, file), 'utf8');
  const daemons: Daemon[] = [];
  const members = new Map<string, { child: Child; readonly start: readonly string[] }>();
  let isOver = false;
  const works: Promise<void>[] = [];
  const run = async (name: string, ...args: string[]): Promise<string> => {
    const env = environment({ WAYPOST_DATA_DIR: dataOf(name), WAYPOST_NODE_NAME: name });
    const { code, output } = await runCommand(['cluster', ...args], env);
    assert.is(code, 0, output);
    return output;
  };
  const launch = ([program, ...args]: readonly string[]): Child =>
    startChild(program, [...args, '--log-level', 'error'], process.env);
  /** As the unit waypost-etcd-reload.path does. */
  const restartOnChange = async (name: string): Promise<void> => {
    const read = (): string => textOf(name, 'ca.pem') + textOf(name, 'node.pem');
    for (let before = read(); !isOver; await sleep(50)) {
      const now = read();
      const member = members.get(name);
      if (now === before || member === undefined) continue;
      before = now;
      await member.child.stop('SIGTERM');
      member.child = launch(member.start);
    }
  };
  const start = async (name: string): Promise<Daemon> => {
    const daemon = await startDaemon({
      WAYPOST_DATA_DIR: dataOf(name),
      WAYPOST_NODE_NAME: name,
      WAYPOST_ETCD_ENDPOINTS: endpoints.join(),
      WAYPOST_PEER_LISTEN: `${addresses[NAMES.indexOf(name)]}:${await freePort()}`,
    });
    daemons.push(daemon);
    // etcd may be slow to answer.
    await untilPasses(() => daemon.api.logIn('admin', ADMIN_PASSWORD));
    return daemon;
  };
  try {
    // 1. A cluster of three with an authority of 700 days ago.
    mkdirSync(join(dataOf('node-1'), 'cluster'), { recursive: true, mode: 0o700 });
    const old = await daysAgo(700, createAuthority);
    writeFileSync(fileOf('node-1', 'ca.pem'), old.certificate, { mode: 0o600 });
    writeFileSync(fileOf('node-1', 'ca.key'), old.key, { mode: 0o600 });
    const init = ['init', '--json', '--etcd', endpoints.join(), ...hostsOf(0)];
    const { etcd: first } = JSON.parse(await run('node-1', ...init)) as { etcd: { start: string[] } };
    members.set('node-1', { child: launch(first.start), start: first.start });
    await untilPasses(async () => assert.ok((JSON.parse(await run('node-1', ...init)) as { begun: boolean }).begun));
    for (const [i, name] of NAMES.slice(1).entries()) {
      const file = join(folder, `${name}.invitation`);
      await run('node-1', 'invite', name, '--out', file, ...hostsOf(i + 1));
      let step = { kind: '', add: [''], start: [''] };
      // A member of etcd needs a moment before it accepts the next one.
      await untilPasses(async () => {
        step = (JSON.parse(await run(name, 'join', file, '--json')) as { etcd: typeof step }).etcd;
        // Added by a command that ended with an error, since etcd was slow.
        if (step.kind === 'start') return;
        assert.is(step.kind, 'add');
        const added = startChild(step.add[0], step.add.slice(1), process.env);
        assert.is(await added.ended(), 0, added.output());
      });
      members.set(name, { child: launch(step.start), start: step.start });
    }
    const due = new X509Certificate(textOf('node-3', 'node.pem'));
    const soon = await daysAgo(362, () => signAgain(old, 'node-3', due));
    writeFileSync(fileOf('node-3', 'node.pem'), soon, { mode: 0o600 });
    const before = new Map(NAMES.map((name) => [name, textOf(name, 'node.pem')]));

    // 2. Writes and queries go on. The node with the key of the authority starts last.
    const [second, third] = [await start('node-2'), await start('node-3')];
    let asked = '';
    let tries = 0;
    await untilPasses(async () => {
      asked = `asked${tries++}.example`;
      await second.api.createRecord(await second.api.createDomain(asked), 'www', 'A', '192.0.2.1');
    });
    const written: string[] = [];
    const refused = new Set<number>();
    const unanswered: string[] = [];
    const write = async ({ api }: Daemon, label: string): Promise<void> => {
      for (let i = 0; !isOver; i++) {
        const domain = `${label}${i}.example`;
        const { status } = await api.request('POST', '/api/v1/domains', { domain });
        if (status === 200) written.push(domain);
        else refused.add(status);
        await sleep(50);
      }
    };
    const query = async ({ dnsPort }: Daemon): Promise<void> => {
      const client = await UdpClient.connect(dnsPort);
      const packet = dns.encode({ type: 'query', id: 7, questions: [{ name: `www.${asked}`, type: 'A' }] });
      for (; !isOver; await sleep(50)) {
        const answer = await client.query(packet, 1000, PATIENCE_MS / 1000);
        const found = answer === null ? [] : (dns.decode(Buffer.from(answer)).answers ?? []);
        if (found.length !== 1) unanswered.push(`port ${dnsPort}: ${found.length} answers`);
      }
      client.close();
    };
    works.push(...NAMES.map(restartOnChange), write(second, 'b'), write(third, 'c'), query(second), query(third));
    const holder = await start('node-1');
    works.push(write(holder, 'a'));
    const log = (): string => holder.child.output();
    await until(
      () => /the cluster has a new authority/.test(log()),
      () => `the renewal ends\n${log()}`,
    );
    for (const line of [
      /renewal: node-3 has a new certificate/,
      /step 1 of 3: node-3 trusts both authorities \(3 of 3\)/,
      /step 2 of 3: node-3 has a certificate of the new authority \(3 of 3\)/,
      /step 3 of 3: node-3 trusts the new authority alone \(3 of 3\)/,
    ])
      assert.match(log(), line);
    const count = written.length;
    await until(() => written.length > count + 5, 'writes go on');
    isOver = true;
    await Promise.all(works);

    // 3. Nothing was lost, no query was left without an answer, and no daemon started again.
    assert.equal(unanswered, []);
    assert.equal(
      [...refused].filter((status) => status !== 503),
      [],
    );
    for (const { api, child } of daemons) {
      assert.not(child.exited());
      await untilPasses(async () => {
        const { body } = await api.call('GET', '/api/v1/domains');
        const names = new Set((body.domains as unknown as { domain: string }[]).map(({ domain }) => domain));
        assert.equal(
          written.filter((domain) => !names.has(domain)),
          [],
        );
      });
    }

    // 4. All certificates are of the new authority, and live two years at most.
    const now = textOf('node-1', 'ca.pem');
    const [authority, ...others] = bundleOf(now);
    assert.is(others.length, 0);
    assert.is.not(now, old.certificate);
    for (const name of NAMES) {
      const own = new X509Certificate(textOf(name, 'node.pem'));
      assert.is(textOf(name, 'ca.pem'), now);
      assert.is.not(textOf(name, 'node.pem'), before.get(name));
      assert.ok(isIssuedBy(own, authority));
      for (const { validFrom, validTo } of [own, authority])
        assert.ok(Date.parse(validTo) - Date.parse(validFrom) <= MOST_DAYS * DAY);
      assert.ok(Date.parse(own.validTo) > Date.now() + 300 * DAY);
    }
    assert.match(await run('node-1', 'invite', 'node-4', '--out', join(folder, 'node-4')), /lets node-4 join once/);
  } finally {
    isOver = true;
    await Promise.allSettled(works);
    for (const daemon of daemons) await daemon.close();
    for (const { child } of members.values()) await child.stop('SIGKILL');
    removeFolder(folder);
  }
});

const why = whyNotPrograms('etcd', 'etcdctl');
if (why === null) test.run();
else console.log(`skipped: renewed certificates of a cluster, ${why}`);
