/**
 * Signed zones of two nodes that apply the same entries, in other groups: both send the same bytes
 * as a whole zone, and what IXFR of either makes of the zone of before is that zone. Meanwhile
 * records, proxies, targets of ALIAS records, zones inside others and keys change.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { Applier, type Link } from '../../../../core/journal/apply/applier.ts';
import { Signers } from '../../../../core/journal/apply/signers.ts';
import { decodeEntry, hashEntry } from '../../../../core/journal/entry-codec.ts';
import { ZoneHistories } from '../../../../core/nameserver/transfer/history.ts';
import { type Environment, openEnvironment } from '../../../../core/store/environment.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { sequenceKey } from '../../../../core/store/keys.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { ourWorldDraft } from '../../../reference/generate.ts';
import { WorldRows } from '../../../reference/rows.ts';
import { WorldSteps } from '../../../reference/steps.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { applyIxfr, serialOf, transferRequest, zoneText } from '../../../support/transfer-client.ts';
import { DEFAULTS } from '../../journal/fixture.ts';
import { secretsOf, takeStep } from '../../journal/signing/rig.ts';
import { LIMITS, type Transferred, transfersOf, withTransfers } from './fixture.ts';

const WORLDS = depth({ quick: 2, moderate: 4, full: 400 });
const STEPS = 25;
const signersOf = (folder: string): Signers => new Signers(secretsOf(folder));

type Transfers = Pick<Transferred, 'ask' | 'records'>;

/** A node that follows the entries of another one. */
class Follower {
  readonly folder = temporaryFolder('follower');
  readonly environment: Environment = openEnvironment(this.folder);
  readonly histories = new ZoneHistories(LIMITS);
  readonly transfers: Transfers;
  readonly #leader: Environment;
  readonly #applier: Applier;
  readonly #random: Random;

  constructor(leader: Transferred['store'], random: Random) {
    const { environment, histories } = this;
    this.#leader = leader.environment;
    this.#random = random;
    this.#applier = new Applier({
      environment,
      index: new IndexWriter(4 << 20),
      zoneSettings: DEFAULTS,
      history: 1000,
      zones: histories,
      // The secrets of all nodes are encrypted with one key.
      signers: signersOf(leader.folder),
    });
    this.transfers = transfersOf({ environment, reader: new StoreReader(environment) }, histories);
  }

  /** Applies what it has not yet, in groups of one to four entries. */
  async follow(): Promise<void> {
    this.#leader.root.resetReadTxn();
    let links: Link[] = [];
    for (const { value } of this.#leader.journal.getRange({ start: sequenceKey(this.#applier.head.sequence + 1) })) {
      const bytes = Buffer.from(value);
      links.push({ applied: { entry: decodeEntry(bytes) }, bytes });
      if (this.#random.below(4) > 0 && links.length < 4) continue;
      await this.#apply(links);
      links = [];
    }
    if (links.length > 0) await this.#apply(links);
  }

  async #apply(links: readonly Link[]): Promise<void> {
    this.#applier.publish(await this.#applier.apply(links, hashEntry(links[links.length - 1].bytes)));
  }

  async close(): Promise<void> {
    await this.environment.close();
    removeFolder(this.folder);
  }
}

/** A secondary that asks for the differences of a zone, and applies them strictly. */
class Secondary {
  readonly #zone: string;
  #held: string[] = [];
  #serial = 0;
  differences = 0;

  constructor(zone: string) {
    this.#zone = zone;
  }

  /** Asks `node` for the differences. `other` sends the same whole zone. */
  async look(node: Transfers, other: Transfers, label: string): Promise<void> {
    const messages = await node.ask(transferRequest(this.#zone));
    const others = await other.ask(transferRequest(this.#zone));
    assert.ok(Buffer.concat(messages).equals(Buffer.concat(others)), `${label}: the nodes send the same bytes`);
    const whole = await node.records(transferRequest(this.#zone));
    if (this.#serial > 0) {
      const answer = await node.records(transferRequest(this.#zone, this.#serial));
      if (answer.length > 1) {
        if (answer[1].type === TYPE.SOA) this.differences++;
        try {
          this.#held = applyIxfr(this.#held, answer);
        } catch (error) {
          throw new Error(`${label}: ${(error as Error).message}`);
        }
      }
    } else this.#held = zoneText(whole);
    this.#serial = serialOf(whole[0]);
    const expected = zoneText(whole);
    const lacking = expected.filter((line) => !this.#held.includes(line));
    const extra = this.#held.filter((line) => !expected.includes(line));
    assert.equal({ lacking, extra }, { lacking: [], extra: [] }, label);
  }
}

test(`changes of signed zones, seed ${SEED}`, () =>
  withTransfers(
    async (rig) => {
      const random = new Random(SEED);
      const follower = new Follower(rig.store, random);
      let differences = 0;
      // Few of a world's steps can have a difference: more worlds follow until there are enough.
      for (const [w, draft] of fc.sample(ourWorldDraft, { numRuns: 10 * WORLDS, seed: SEED }).entries()) {
        if (w >= WORLDS && differences > WORLDS) break;
        const steps = new WorldSteps(draft, parseName(`w${w}.test.`), random);
        const rows = new WorldRows(
          () => null,
          () => 1,
        );
        const secondaries = new Map<number, Secondary>();
        for (let step = 0; step < STEPS; step++) {
          await takeStep(rig.store, rows, steps.next(false), random);
          await follower.follow();
          for (const { id, apex } of rows.domains.values()) {
            const secondary = secondaries.get(id) ?? new Secondary(formatName(apex));
            secondaries.set(id, secondary);
            const nodes = [rig, follower.transfers];
            if (random.below(2) === 0) nodes.reverse();
            const label = `seed ${SEED}, world ${w}, step ${step}, zone ${formatName(apex)}`;
            await secondary.look(nodes[0], nodes[1], label);
          }
        }
        for (const secondary of secondaries.values()) differences += secondary.differences;
      }
      console.log(`${differences} differences`);
      assert.ok(differences > WORLDS, `${differences} differences`);
      await follower.close();
    },
    { signersOf },
  ));

test.run();
