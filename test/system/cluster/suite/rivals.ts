/**
 * Two clients at two nodes at once: for one domain, and for a CNAME and an address at one name. One
 * of them gets it, at most.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiResponse } from '../../../support/api-client.ts';
import type { Random } from '../../../support/random.ts';
import type { Node } from './machines.ts';

const PAUSE = 100;
const NAMES = 3;

interface Race {
  readonly domain: string;
  /** Of the one that was acknowledged. */
  id: string | null;
  /** Every answer said no. */
  isRefused: boolean;
  /** Type and content of records that were acknowledged, by name. */
  readonly records: Map<string, string>;
}

export class Rivals {
  readonly #nodes: readonly Node[];
  readonly #random: Random;
  #races: Race[] = [];
  #count = 0;

  constructor(nodes: readonly Node[], random: Random) {
    this.#nodes = nodes;
    this.#random = random;
  }

  /** Until the signal. Rejects when both have got it. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#race();
      await sleep(PAUSE, undefined, { signal }).catch(() => {});
    }
  }

  async #race(): Promise<void> {
    const race: Race = { domain: `race-${++this.#count}.example`, id: null, isRefused: false, records: new Map() };
    this.#races.push(race);
    const won = await this.#both(race.domain, (node) =>
      node.api.request('POST', '/api/v1/domains', { domain: race.domain }),
    );
    race.isRefused = won.isRefused;
    if (won.winner === null) return;
    race.id = (won.winner.body.domain as { id: string }).id;
    const path = `/api/v1/domains/${race.id}/records`;
    for (let i = 0; i < NAMES; i++) {
      const bodies = [
        { name: `x${i}`, type: 'A', content: '192.0.2.1', ttl: 60 },
        { name: `x${i}`, type: 'CNAME', content: 'elsewhere.example.net', ttl: 60 },
      ];
      const { winner } = await this.#both(`x${i}.${race.domain}`, (node, at) =>
        node.api.request('POST', path, bodies[at]),
      );
      if (winner !== null) race.records.set(`x${i}`, (winner.body.record as { type: string }).type);
    }
  }

  async #both(
    what: string,
    send: (node: Node, at: number) => Promise<ApiResponse>,
  ): Promise<{ winner: ApiResponse | null; isRefused: boolean }> {
    const first = this.#random.below(this.#nodes.length);
    const second = (first + 1 + this.#random.below(this.#nodes.length - 1)) % this.#nodes.length;
    const answers = await Promise.all([first, second].map((at, i) => send(this.#nodes[at], i).catch(() => null)));
    const winners = answers.filter((answer) => answer?.status === 200);
    if (winners.length > 1) throw new Error(`${what}: both have got it`);
    const isRefused = answers.every(
      (answer) => answer !== null && answer.status === 503 && !/unknown whether|change was written/.test(answer.text),
    );
    // 404: a node that is behind does not know the domain yet.
    const odd = answers.find((answer) => answer !== null && ![200, 404, 409, 503].includes(answer.status));
    if (odd) throw new Error(`${what}: ${odd.status} ${odd.text}`);
    return { winner: winners[0] ?? null, isRefused };
  }

  /** What a node that has all must hold. Throws Error. */
  async check(node: Node): Promise<void> {
    const held = await domainsAt(node);
    for (const { domain, id, isRefused, records } of this.#races) {
      const found = held.filter((item) => item.domain === domain);
      const what = `${domain} at ${node.name}`;
      if (found.length > 1) throw new Error(`${what} is there twice`);
      if (id !== null && found[0]?.id !== id) throw new Error(`${what} is not the one that was acknowledged`);
      if (isRefused && found.length > 0) throw new Error(`${what} was refused, and is there`);
      if (found.length === 0) continue;
      const { body } = await node.api.call('GET', `/api/v1/domains/${found[0].id}/records`);
      const all = body.records as { name: string; type: string }[];
      for (let i = 0; i < NAMES; i++) {
        const types = all.filter(({ name }) => name === `x${i}`).map(({ type }) => type);
        if (types.length > 1) throw new Error(`x${i}.${what} holds ${types.join(' and ')}`);
        const due = records.get(`x${i}`);
        if (due !== undefined && types[0] !== due) throw new Error(`x${i}.${what} lacks its ${due}`);
      }
    }
  }

  /** What was checked at all nodes is not checked again. */
  forget(): void {
    this.#races = [];
  }
}

async function domainsAt({ api }: Node): Promise<{ id: string; domain: string }[]> {
  const all: { id: string; domain: string }[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await api.call('GET', `/api/v1/domains?limit=1000&q=race-${cursor}`);
    all.push(...(body.domains as { id: string; domain: string }[]));
    if (body.next_cursor === null) return all;
    cursor = `&cursor=${encodeURIComponent(String(body.next_cursor))}`;
  }
}
