/**
 * Two of three machines and their disks are gone. The commands of docs/disaster-recovery.md, as
 * they are there, bring back all that was acknowledged. Each machine is a network namespace.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPage } from '../check/docs/pages.ts';
import { ApiClient } from '../support/api-client.ts';
import { type Child, startChild } from '../support/child.ts';
import { ADMIN_PASSWORD, environment, MAIN, USUAL } from '../support/daemon.ts';
import { openNetwork, type Place } from '../support/network.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { whyNotPrograms } from '../support/programs.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { untilPasses } from '../support/until.ts';
import { without } from './optional.ts';

const NAMES = ['node-1', 'node-2', 'node-3'] as const;
type Name = (typeof NAMES)[number];
const PASSPHRASE = 'four words or rather five';
/** Records that each node creates after the backup, or more. */
const PER_NODE = 40;

/** A machine with a disk, on which a node and a member of etcd may run. */
class Machine {
  readonly #env: NodeJS.ProcessEnv;
  readonly #children = new Map<'waypost' | 'waypost-etcd', Child>();
  /** Command of the member of etcd, as it was printed last. */
  #etcd = '';

  constructor(
    readonly name: Name,
    readonly folder: string,
    readonly network: Place,
    env: NodeJS.ProcessEnv,
  ) {
    this.#env = env;
    mkdirSync(folder);
  }

  get api(): ApiClient {
    return new ApiClient(`http://${this.network.address}:8300`);
  }

  #start(line: string): Child {
    const text = `cd '${this.folder}' && ${line}`;
    return this.network.inside(() => startChild('/bin/sh', ['-c', text], this.#env));
  }

  async run(line: string, isTried = false): Promise<{ code: number | null; output: string }> {
    const child = this.#start(line);
    const code = await child.ended();
    const output = child.output();
    if (!isTried) assert.is(code, 0, `${this.name}$ ${line}\n${output}`);
    const member = output.split('\n').find((text) => text.startsWith('  etcd --'));
    if (member !== undefined) this.#etcd = member.trim();
    return { code, output };
  }

  async startUnit(unit: 'waypost' | 'waypost-etcd'): Promise<void> {
    if (unit === 'waypost-etcd') {
      assert.ok(this.#etcd !== '', `${this.name}: no command of etcd was printed`);
      this.#children.set(unit, this.#start(`exec ${this.#etcd}`));
      return;
    }
    const child = this.#start('exec waypost serve');
    this.#children.set(unit, child);
    await child.waitFor(/^waypost ready/m);
  }

  async stopUnit(unit: 'waypost' | 'waypost-etcd', signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#children.get(unit)?.stop(signal);
    this.#children.delete(unit);
  }

  /** The machine burns, with its disk. */
  async lose(): Promise<void> {
    for (const unit of ['waypost', 'waypost-etcd'] as const) await this.stopUnit(unit, 'SIGKILL');
    rmSync(this.folder, { recursive: true });
    mkdirSync(this.folder);
  }

  async close(): Promise<void> {
    for (const unit of ['waypost', 'waypost-etcd'] as const) await this.stopUnit(unit);
  }
}

class World {
  readonly folder = temporaryFolder('disaster');
  readonly machines: ReadonlyMap<Name, Machine>;
  readonly #places: Place[];

  constructor() {
    const bin = join(this.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'waypost'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
    chmodSync(join(bin, 'waypost'), 0o755);
    this.#places = openNetwork(NAMES.length);
    this.machines = new Map(
      NAMES.map((name, i) => {
        const folder = join(this.folder, name);
        const env = environment({
          ...USUAL,
          WAYPOST_NODE_NAME: name,
          WAYPOST_DATA_DIR: join(folder, 'waypost'),
          WAYPOST_ADMIN_LISTEN: `${this.#places[i].address}:8300`,
          WAYPOST_BACKUP_FOLDER: join(this.folder, 'backups'),
          // The changes after the backup are on the surviving node alone.
          WAYPOST_BACKUP_JOURNAL_INTERVAL: '0',
        });
        return [name, new Machine(name, folder, this.#places[i], { ...env, PATH: `${bin}:${process.env.PATH}` })];
      }),
    );
  }

  machine(name: Name): Machine {
    return this.machines.get(name) as Machine;
  }

  /** A command as the page has it: its addresses, folders and units are those of the test. */
  async type(name: Name, line: string): Promise<string> {
    const machine = this.machine(name);
    const unit = /^sudo systemctl (start|stop) (waypost(?:-etcd)?)$/.exec(line);
    if (unit !== null) {
      const service = unit[2] as 'waypost' | 'waypost-etcd';
      await (unit[1] === 'start' ? machine.startUnit(service) : machine.stopUnit(service));
      return '';
    }
    const text = line
      .replace(/^sudo /, '')
      .replaceAll('/var/lib/', `${machine.folder}/`)
      .replace(/\b192\.0\.2\.1(\d)\b/g, (_, n: string) => this.#places[Number(n) - 1].address);
    if (text.startsWith('export ')) {
      this.#exported = `${text} && `;
      return '';
    }
    const isInit = text.startsWith('waypost cluster init');
    const command = `${isInit ? this.#exported : ''}${text}`;
    // After its member of etcd was started, the second one waits for it.
    const { output } = isInit && this.#hasInit ? await this.#untilBegun(machine, command) : await machine.run(command);
    this.#hasInit ||= isInit;
    this.#carry(text);
    if (text.startsWith('waypost cluster join')) await this.#startJoined(machine, output);
    return output;
  }

  #exported = '';
  #hasInit = false;

  async #untilBegun(machine: Machine, command: string): Promise<{ output: string }> {
    let output = '';
    await untilPasses(async () => {
      const outcome = await machine.run(command, true);
      output = outcome.output;
      assert.match(output, /the cluster starts with/);
    }, PATIENCE_MS);
    return { output };
  }

  /** Files that an operator copies to the machine where they are needed. */
  #carry(text: string): void {
    const snapshot = /^waypost cluster snapshot (\S+)$/.exec(text)?.[1];
    if (snapshot !== undefined)
      copyFileSync(join(this.machine('node-3').folder, snapshot), join(this.machine('node-1').folder, snapshot));
    const [, name, file] = /^waypost cluster invite (\S+) .*--out (\S+)$/.exec(text) ?? [];
    if (file !== undefined)
      copyFileSync(join(this.machine('node-1').folder, file), join(this.machine(name as Name).folder, file));
  }

  /** What `cluster join` prints: the member of etcd is added, then started, then the daemon. */
  async #startJoined(machine: Machine, printed: string): Promise<void> {
    const add = printed.split('\n').find((line) => line.startsWith('  etcdctl '));
    assert.ok(add, printed);
    await untilPasses(async () => assert.is((await machine.run(add.trim(), true)).code, 0), PATIENCE_MS);
    await machine.startUnit('waypost-etcd');
    await machine.startUnit('waypost');
  }

  /** Three nodes and members of etcd, as docs/several-nodes.md makes them. */
  async found(): Promise<void> {
    await this.type('node-1', 'export ETCD=https://192.0.2.11:2379,https://192.0.2.12:2379,https://192.0.2.13:2379');
    await this.type('node-1', 'waypost cluster init --host 192.0.2.11 --etcd $ETCD');
    await this.type('node-1', 'sudo systemctl start waypost-etcd');
    await this.type('node-1', 'waypost cluster init --host 192.0.2.11 --etcd $ETCD');
    await this.type('node-1', 'sudo systemctl start waypost');
    for (const [i, name] of (['node-2', 'node-3'] as const).entries()) {
      await this.type('node-1', `waypost cluster invite ${name} --host 192.0.2.1${i + 2} --out ${name}.invitation`);
      await this.type(name, `waypost cluster join ${name}.invitation`);
    }
    this.#hasInit = false;
    this.#exported = '';
  }

  async close(): Promise<void> {
    for (const machine of [...this.machines.values()].reverse()) await machine.close();
    for (const network of this.#places) network.close();
    removeFolder(this.folder);
  }
}

/** Prompt and command of each line in the blocks of a section. */
function commandsOf(heading: string): { name: Name; line: string }[] {
  const { lines } = readPage('docs/disaster-recovery.md');
  const start = lines.findIndex(({ text }) => text === heading);
  assert.ok(start >= 0, heading);
  const end = lines.findIndex(({ text }, i) => i > start && text.startsWith('## '));
  return lines.slice(start, end).flatMap(({ text }) => {
    const [, name, line] = /^ *(node-\d)\$ (.+)$/.exec(text) ?? [];
    return line === undefined ? [] : [{ name: name as Name, line }];
  });
}

async function namesOn({ api }: Machine, id: string): Promise<string[]> {
  await api.logIn('admin', ADMIN_PASSWORD);
  return namesBy(api, id);
}

/** Of the records of a domain. */
async function namesBy(api: ApiClient, id: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: unknown = null; ; ) {
    const after = cursor === null ? '' : `&cursor=${cursor}`;
    const { body } = await api.call('GET', `/api/v1/domains/${id}/records?limit=100${after}`);
    names.push(...(body.records as { name: string }[]).map(({ name }) => name));
    cursor = body.next_cursor ?? null;
    if (cursor === null) return names.sort();
  }
}

test('two of three machines are lost, and nothing that was acknowledged', async () => {
  const world = new World();
  try {
    await world.found();
    const [first, second, survivor] = NAMES.map((name) => world.machine(name));
    const apis = [first, second, survivor].map(({ api: client }) => client);
    for (const api of apis) await api.logIn('admin', ADMIN_PASSWORD);
    const id = await apis[0].createDomain('example.com');
    await apis[0].createRecord(id, 'yesterday', 'A', '192.0.2.1');

    // Yesterday.
    const kept = join(world.folder, 'secret.key.age');
    await first.run(`echo '${PASSPHRASE}' | waypost backup export-key --passphrase-stdin --out '${kept}'`);
    await first.run('waypost backup now');

    // Today, up to the disaster: by all nodes at once.
    const acknowledged: string[] = ['yesterday'];
    let isOver = false;
    const writers = apis.map(async (client, node) => {
      for (let i = 0; !isOver && i < 100 * PER_NODE; i++) {
        const name = `r${i}-by-${node + 1}`;
        const { status, body } = await client
          .request('POST', `/api/v1/domains/${id}/records`, { name, type: 'A', content: '192.0.2.7' })
          .catch(() => ({ status: 0, body: {} as Record<string, unknown> }));
        if (status === 0) return;
        const { applied } = (body.sync ?? { applied: [] }) as { applied: string[] };
        // What the survivor has not confirmed may be lost with the others.
        if (status === 200 && applied.includes('node-3')) acknowledged.push(name);
      }
    });
    await untilPasses(() => assert.ok(acknowledged.length > 3 * PER_NODE), PATIENCE_MS);
    await Promise.all([first.lose(), second.lose()]);
    isOver = true;
    await Promise.all(writers);

    // The survivor still serves, and all writes fail.
    const before = await namesBy(apis[2], id);
    for (const name of acknowledged) assert.ok(before.includes(name), name);
    const refused = await apis[2].request('POST', '/api/v1/domains', { domain: 'refused.example' });
    assert.is(refused.status, 503);

    copyFileSync(kept, join(first.folder, 'secret.key.age'));
    writeFileSync(join(first.folder, 'passphrase'), `${PASSPHRASE}\n`);
    const commands = commandsOf('## Most of the cluster');
    assert.ok(commands.length > 15, 'the commands of the page');
    for (const { name, line } of commands) {
      const output = await world.type(name, line);
      if (line.startsWith('waypost backup restore')) assert.match(output, /, and \d+ changes up to /);
      if (line === 'sudo systemctl start waypost' && name === 'node-1') {
        // The survivor was never away, and the new cluster takes writes.
        assert.equal(await namesBy(apis[2], id), before);
        assert.equal(await namesOn(first, id), before);
        const api = first.api;
        await api.logIn('admin', ADMIN_PASSWORD);
        await api.createRecord(id, 'after', 'A', '192.0.2.8');
      }
    }
    assert.ok(existsSync(join(survivor.folder, 'waypost.before')));
    const expected = [...before, 'after'].sort();
    for (const machine of [first, second, survivor])
      await untilPasses(async () => assert.equal(await namesOn(machine, id), expected), PATIENCE_MS);
    const status = await first.run('waypost cluster status');
    for (const name of NAMES) assert.match(status.output, new RegExp(`${name} +serves, up to date`));
    const { api } = second;
    await api.logIn('admin', ADMIN_PASSWORD);
    const { body } = await api.call('POST', '/api/v1/domains', { domain: 'everywhere.example' });
    assert.equal((body.sync as { applied: string[] }).applied, [...NAMES]);
  } finally {
    await world.close();
  }
});

test('all machines are lost, and the backup and the key bring everything back', async () => {
  const world = new World();
  try {
    const machine = world.machine('node-1');
    await machine.startUnit('waypost');
    const api = machine.api;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain('example.com');
    for (let i = 0; i < PER_NODE; i++) await api.createRecord(id, `r${i}`, 'A', '192.0.2.7');
    const before = await namesBy(api, id);
    const kept = join(world.folder, 'secret.key.age');
    await machine.run(`echo '${PASSPHRASE}' | waypost backup export-key --passphrase-stdin --out '${kept}'`);
    await machine.run('waypost backup now');
    await machine.lose();
    copyFileSync(kept, join(machine.folder, 'secret.key.age'));
    writeFileSync(join(machine.folder, 'passphrase'), `${PASSPHRASE}\n`);
    for (const { name, line } of commandsOf('## Everything')) await world.type(name, line);
    assert.equal(await namesOn(machine, id), before);
  } finally {
    await world.close();
  }
});

const isAble = spawnSync('unshare', ['--net', 'true']).status === 0;
const why = isAble ? whyNotPrograms('etcd', 'etcdctl') : without('network namespaces');
if (why === null) test.run();
else console.log(`skipped: disasters, ${why}`);
