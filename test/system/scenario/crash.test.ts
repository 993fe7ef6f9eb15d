/**
 * SIGKILL at random moments under write load. After each restart: 1. every change that was
 * acknowledged is there, and none that was never asked for, by the API and by DNS; 2. the answers
 * in the store are, byte for byte, those that a rebuild makes from the rows.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { openEnvironment } from '../../../core/store/environment.ts';
import { ADMIN_PASSWORD, type Daemon, runCommand, startDaemon } from '../../support/daemon.ts';
import { depth } from '../../support/depth.ts';
import { queryAll, UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

const KILLS = depth({ quick: 4, moderate: 4, full: 200 });
const WRITERS = 8;
const NAMES = 40;
const ZONE = 'crash.example';
const random = new Random(SEED);

/**
 * What a name's address may be now: one value when the last change was acknowledged, two when its
 * answer never came.
 */
interface Entry {
  id: string | null;
  /** null: no such record. */
  possible: (string | null)[];
}

/** Each writer has names of its own, so that only its own last change is in doubt. */
class Writer {
  readonly entries = new Map<string, Entry>();
  acknowledged = 0;
  readonly #label: string;
  #counter = 0;

  constructor(label: string) {
    this.#label = label;
  }

  /**
   * Changes one record after another until a request fails. Any status other than 200 is an error
   * of the daemon.
   */
  async run(daemon: Daemon, domain: string): Promise<void> {
    for (;;) {
      const name = `${this.#label}-${random.below(NAMES)}`;
      const entry = this.entries.get(name) ?? { id: null, possible: [null] };
      this.entries.set(name, entry);
      const value = `10.${++this.#counter >> 16}.${(this.#counter >> 8) & 255}.${this.#counter & 255}`;
      const [before] = entry.possible;
      const next = entry.id !== null && random.below(4) === 0 ? null : value;
      entry.possible = [before, next];
      try {
        const path = `/api/v1/domains/${domain}/records`;
        const body = { name, type: 'A', content: value, ttl: 60 };
        if (entry.id === null) entry.id = await daemon.api.createRecord(domain, name, 'A', value, 60);
        else if (next === null) await daemon.api.call('DELETE', `${path}/${entry.id}`);
        else await daemon.api.call('PUT', `${path}/${entry.id}`, body);
      } catch (error) {
        // fetch fails with TypeError when the connection breaks; everything else is the daemon's
        // answer.
        if (error instanceof TypeError) return;
        throw error;
      }
      if (next === null) entry.id = null;
      entry.possible = [next];
      this.acknowledged++;
    }
  }

  /** Compares with what the API holds and takes it for the truth from now on. */
  settle(held: ReadonlyMap<string, { id: string; content: string }>): void {
    for (const [name, entry] of this.entries) {
      const now = held.get(name);
      const content = now?.content ?? null;
      assert.ok(
        entry.possible.includes(content),
        `${name} is ${content}, acknowledged or asked for: ${entry.possible.join(' or ')}; seed ${SEED}`,
      );
      entry.id = now?.id ?? null;
      entry.possible = [content];
    }
  }
}

async function records(daemon: Daemon, domain: string): Promise<Map<string, { id: string; content: string }>> {
  const held = new Map<string, { id: string; content: string }>();
  let cursor: string | null = null;
  do {
    const query = `limit=1000&type=A${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { body } = await daemon.api.call('GET', `/api/v1/domains/${domain}/records?${query}`);
    for (const record of body.records as { id: string; name: string; content: string }[]) held.set(record.name, record);
    cursor = typeof body.next_cursor === 'string' ? body.next_cursor : null;
  } while (cursor !== null);
  return held;
}

/**
 * Every name that any writer has ever used has over DNS the address that the API shows, or none.
 */
async function checkDns(
  daemon: Daemon,
  names: readonly string[],
  held: ReadonlyMap<string, { content: string }>,
): Promise<void> {
  const client = await UdpClient.connect(daemon.dnsPort);
  try {
    const packets = names.map((name, i) =>
      encodeQuery({ name: parseName(`${name}.${ZONE}.`), type: TYPE.A, class: CLASS_IN }, i),
    );
    const responses = await queryAll(client, packets, 50);
    names.forEach((name, i) => {
      const response = responses[i];
      if (response === null) throw new Error(`no answer for ${name}; seed ${SEED}`);
      const addresses = decodeMessage(response).answer.map(({ rdata }) => rdata.join('.'));
      assert.equal(addresses, held.has(name) ? [held.get(name)?.content] : [], `${name} over DNS; seed ${SEED}`);
    });
  } finally {
    client.close();
  }
}

/** Name and node of every answer in a data folder that no daemon has open. */
async function answersIn(folder: string): Promise<Map<string, string>> {
  const environment = openEnvironment(folder);
  try {
    const entries = [...environment.answers.getRange({})];
    return new Map(entries.map(({ key, value }) => [Buffer.from(key).toString('hex'), value.toString('hex')]));
  } finally {
    await environment.close();
  }
}

/** Rebuilds a copy of a killed daemon's data and compares. */
async function checkRebuild(daemon: Daemon): Promise<void> {
  const folder = temporaryFolder('rebuild');
  try {
    const copy = join(folder, 'data');
    cpSync(daemon.dataDir, copy, { recursive: true });
    const before = await answersIn(copy);
    const { code, output } = await runCommand(['answers', 'rebuild'], { ...daemon.env, WAYPOST_DATA_DIR: copy });
    assert.is(code, 0, output);
    const after = await answersIn(copy);
    assert.ok(before.size > 0, 'answers in the store');
    assert.equal([...before.keys()].sort(), [...after.keys()].sort(), `names that have answers; seed ${SEED}`);
    for (const [key, node] of after)
      assert.is(before.get(key), node, `the answers of ${Buffer.from(key, 'hex')}; seed ${SEED}`);
  } finally {
    removeFolder(folder);
  }
}

test(`killed ${KILLS} times under write load, seed ${SEED}`, async () => {
  const daemon = await startDaemon();
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const domain = await daemon.api.createDomain(ZONE);
    // Names that share answers: a change of the target changes the chain's and the mail server's
    // answers, too.
    await daemon.api.createRecord(domain, 'alias', 'CNAME', `w0-0.${ZONE}`);
    await daemon.api.createRecord(domain, '@', 'MX', `10 w1-0.${ZONE}`);
    const writers = Array.from({ length: WRITERS }, (_, i) => new Writer(`w${i}`));
    const acknowledged = (): number => writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = acknowledged();
      const load = Promise.all(writers.map((writer) => writer.run(daemon, domain)));
      // A busy machine may not come to any change within the time: there would be nothing to lose.
      const begun = async (): Promise<void> => {
        for (const deadline = Date.now() + PATIENCE_MS; acknowledged() === before; await sleep(1))
          assert.ok(Date.now() < deadline, `no change was acknowledged\n${daemon.child.output()}`);
        await sleep(20 + random.below(400));
      };
      await Promise.race([begun(), load]);
      await daemon.kill();
      await load;
      if (kill % 5 === 0 || kill === KILLS) await checkRebuild(daemon);
      await daemon.start();
      const held = await records(daemon, domain);
      for (const writer of writers) writer.settle(held);
      const names = writers.flatMap((writer) => [...writer.entries.keys()]);
      assert.equal(
        [...held.keys()].filter((name) => !names.includes(name)),
        [],
        `records that were not requested; seed ${SEED}`,
      );
      await checkDns(daemon, names, held);
    }
    console.log(`${acknowledged()} acknowledged changes, ${KILLS} kills, seed ${SEED}`);
  } finally {
    await daemon.close();
  }
});

test.run();
