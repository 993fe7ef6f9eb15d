/**
 * A cluster of two nodes and two members of etcd with mutual TLS, by what the commands print and
 * nothing else. Each node is in a network namespace of its own.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiClient } from '../../support/api-client.ts';
import { type Child, startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD, environment, MAIN, USUAL } from '../../support/daemon.ts';
import { openNetwork, type Place } from '../../support/network.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

/** A terminal on a machine. */
class Terminal {
  readonly #place: Place;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children: Child[] = [];

  constructor(host: Place, env: NodeJS.ProcessEnv) {
    this.#place = host;
    this.#env = env;
  }

  start(line: string): Child {
    const child = this.#place.inside(() => startChild('/bin/sh', ['-c', line], this.#env));
    this.#children.push(child);
    return child;
  }

  async run(line: string): Promise<{ code: number | null; output: string }> {
    const child = this.start(line);
    const code = await child.ended();
    return { code, output: child.output() };
  }

  async close(): Promise<void> {
    for (const child of this.#children.reverse()) await child.stop();
  }
}

/**
 * The command in a text that begins with `words`: commands are lines of their own, behind two
 * blanks.
 */
function command(text: string, words: string): string {
  const line = text.split('\n').find((word) => word.startsWith(`  ${words}`));
  assert.ok(line, `no "${words}" in:\n${text}`);
  // What runs until it is stopped takes the place of the shell, so that it gets the signal.
  return line.trim().replace(/^((?:\w+='[^']*' )*)(etcd|waypost)(?= .*(?:--name|serve$))/, '$1exec $2');
}

async function until(work: () => Promise<{ code: number | null; output: string }>, pattern: RegExp): Promise<string> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(200)) {
    const { code, output } = await work();
    if (code === 0 && pattern.test(output)) return output;
    assert.ok(Date.now() < deadline, output);
  }
}

test('the printed commands make a cluster that accepts writes', async () => {
  const folder = temporaryFolder('printed');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'waypost'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  chmodSync(join(bin, 'waypost'), 0o755);
  const places = openNetwork(2);
  const terminals = places.map((machine, i) => {
    const env = environment({
      ...USUAL,
      WAYPOST_DATA_DIR: join(folder, `node ${i + 1}`),
      WAYPOST_ADMIN_LISTEN: `${machine.address}:8300`,
    });
    return new Terminal(machine, { ...env, PATH: `${bin}:${process.env.PATH}` });
  });
  const [first, second] = terminals;
  try {
    const [text, two] = places.map(({ address }) => address);
    const init = `WAYPOST_NODE_NAME=node-1 waypost cluster init --host ${text} --etcd https://${text}:2379,https://${two}:2379`;
    const request = await first.run(init);
    assert.is(request.code, 0, request.output);
    first.start(command(request.output, 'etcd '));
    const begun = await until(() => first.run(init).catch(() => ({ code: 1, output: '' })), /the cluster starts with/);
    assert.match(begun, /the member of etcd on this node is running/);
    await first.start(command(begun, 'WAYPOST_DATA_DIR=')).waitFor(/^waypost ready/m);

    const invitation = join(folder, 'node-2.invitation');
    const invite = command(begun, 'waypost cluster invite')
      .replace('ADDRESS', two)
      .replace(/NAME\.invitation/, invitation)
      .replace('NAME', 'node-2');
    assert.is((await first.run(invite)).code, 0);
    const join2 = command(begun, 'waypost cluster join').replace('NAME.invitation', invitation);
    const joined = await second.run(join2);
    assert.is(joined.code, 0, joined.output);
    const added = await second.run(command(joined.output, 'etcdctl '));
    assert.is(added.code, 0, added.output);
    // Broken off here, it goes on where it was.
    const existing = await second.run(join2);
    assert.match(existing.output, /this node is already node-2/);
    assert.is(command(existing.output, 'etcd '), command(joined.output, 'etcd '));
    second.start(command(joined.output, 'etcd '));
    await second.start(command(joined.output, 'WAYPOST_DATA_DIR=')).waitFor(/^waypost ready/m);
    assert.match((await second.run(join2)).output, /the member of etcd on this node is running/);

    const apis = places.map(({ address }) => new ApiClient(`http://${address}:8300`));
    for (const api of apis) await api.logIn('admin', ADMIN_PASSWORD);
    for (const [i, api] of apis.entries()) {
      const { body } = await api.call('POST', '/api/v1/domains', { domain: `by-${i}.example` });
      assert.equal((body.sync as { applied: string[] }).applied, ['node-1', 'node-2']);
      for (const each of apis)
        assert.is(((await each.call('GET', '/api/v1/domains')).body.domains as unknown[]).length, i + 1);
    }
    assert.match(
      (await second.run('waypost cluster status')).output,
      /all nodes have feature level \d+\n.*node-1 +serves, up to date.*\n.*node-2 +serves, up to date/,
    );
  } finally {
    for (const terminal of [second, first]) await terminal.close();
    for (const machine of places) machine.close();
    removeFolder(folder);
  }
});

const isAble = spawnSync('unshare', ['--net', 'true']).status === 0;
const why = isAble ? whyNotPrograms('etcd', 'etcdctl') : 'no network namespace can be made';
if (why === null) test.run();
else console.log(`skipped: a cluster by what is printed, ${why}`);
