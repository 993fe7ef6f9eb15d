/**
 * Asks nodes, by DNS and by the API, while their data changes, and holds the answers to what
 * writers know.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { decodeMessage, encodeQuery } from '../../../support/message.ts';
import type { Random } from '../../../support/random.ts';
import type { Node } from './machines.ts';
import type { Versions } from './versions.ts';
import type { Writer } from './writer.ts';

/** Milliseconds between queries to a node. */
const PAUSE = 3;
/** One in so many looks is a list of the API. */
const LIST = 20;
const TRIES = 5;

export class Checker {
  readonly #writers: readonly Writer[];
  readonly #random: Random;
  /** Answers that were compared. */
  count = 0;

  constructor(writers: readonly Writer[], random: Random) {
    this.#writers = writers;
    this.#random = random;
  }

  /**
   * Until the signal. Rejects with the first answer that may not be, and when a node that is to
   * answer does not.
   */
  async run(node: Node, signal: AbortSignal): Promise<void> {
    for (let turn = 1; !signal.aborted; turn++) {
      if (node.isUp) {
        const writer = this.#random.pick(this.#writers);
        if (turn % LIST === 0) await this.#list(node, writer);
        else await this.query(node, this.#random.pick(writer.names));
      }
      await sleep(PAUSE, undefined, { signal }).catch(() => {});
    }
  }

  /** Null: no answer came, and the node was ended meanwhile. Else the packet. */
  async query(node: Node, versions: Versions): Promise<Uint8Array | null> {
    const floor = versions.floor(node.name, 'DNS');
    const id = this.#random.below(65_536);
    const question = { name: parseName(`${versions.name}.`), type: TYPE.A, class: CLASS_IN };
    const { dns } = node;
    const packet = await dns.query(encodeQuery(question, id), 1000, TRIES);
    if (packet === null) {
      if (node.isUp && node.dns === dns) throw new Error(`${node.name} does not answer queries`);
      return null;
    }
    const { rcode, answer } = decodeMessage(packet);
    if (rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN)
      throw new Error(`${versions.name} at ${node.name}: code ${rcode}`);
    const values = answer.filter(({ type }) => type === TYPE.A).map(({ rdata }) => rdata.join('.'));
    versions.saw(node.name, values, floor, 'DNS');
    this.count++;
    return packet;
  }

  /** What a node lists is one moment of the zone: the group is whole. */
  async #list(node: Node, { domainId, names, group }: Writer): Promise<void> {
    const floors = names.map((version) => version.floor(node.name, 'API'));
    const held = await recordsAt(node, domainId).catch((error: unknown) => {
      if (node.isUp) throw error;
      return null;
    });
    if (held === null) return;
    const values = names.map(({ name }) => valuesOf(held, name));
    names.forEach((version, i) => {
      version.saw(node.name, values[i], floors[i], 'API');
    });
    const ofGroup = new Set(group.map(({ name }) => valuesOf(held, name).join()));
    if (ofGroup.size !== 1)
      throw new Error(`${node.name} lists half a batch of ${group[0].name}: ${[...ofGroup].join(' and ')}`);
    this.count++;
  }
}

interface Listed {
  readonly name: string;
  readonly content: string;
}

/** As the API lists them; at most 1000. */
export async function recordsAt({ api }: Node, domainId: string): Promise<readonly Listed[]> {
  const { body } = await api.call('GET', `/api/v1/domains/${domainId}/records?limit=1000&type=A`);
  return body.records as unknown as Listed[];
}

const valuesOf = (held: readonly Listed[], fullName: string): string[] =>
  held.filter(({ name }) => fullName.startsWith(`${name}.`)).map(({ content }) => content);
