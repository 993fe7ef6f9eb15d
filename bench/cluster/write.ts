/**
 * One write after another: how long until it is answered, and until the last node serves it; next
 * to it the same of Knot.
 */
import type { Probe } from '../dns/probe.ts';
import { AdminApi, type DomainRef } from '../writes/api.ts';
import { type KnotCluster, ZONE } from './knot.ts';
import { type Cluster, probesOf } from './waypost.ts';

/** Milliseconds, one for each write. */
export interface Times {
  /** Request to answer. */
  readonly answered: number[];
  /** Request until the last node has given the record; empty where it was not queried. */
  readonly served: number[];
}

export interface WriteResult {
  /** No queries meanwhile; afterwards one query to every node. */
  readonly quiet: Times;
  /** The same in a signed zone. */
  readonly signed: Times;
  readonly waypost: Times;
  readonly knot: Times;
  /** Writes that were answered while a node did not serve them. */
  wrong: number;
}

const SIGNED_ZONE = 'signed.example';
/** A record that is not served by then is a fault, not a figure. */
const LIMIT_MS = 10_000;
/** The watch asks again after so many milliseconds: what is served seems later by half of it. */
const WATCH_MS = 1;

/** `rounds` of `count` writes each, alternating. The nodes of Waypost are written to in turn. */
export async function measureWrites(
  { nodes, token }: Cluster,
  knot: KnotCluster | null,
  rounds: number,
  count: number,
): Promise<WriteResult> {
  const empty = (): Times => ({ answered: [], served: [] });
  const result: WriteResult = { quiet: empty(), signed: empty(), waypost: empty(), knot: empty(), wrong: 0 };
  const apis = nodes.map(({ daemon }) => new AdminApi(daemon.url, token, 1));
  const probes = probesOf(nodes);
  const domain = await apis[0].createDomain(ZONE);
  const signedDomain = await apis[0].createDomain(SIGNED_ZONE);
  await nodes[0].daemon.signZones(token, [signedDomain.id]);
  let written = 0;
  const create = async (zone: DomainRef, name: string): Promise<void> => {
    const { status, code } = await apis[written % apis.length].createAddress(zone.id, name);
    if (status !== 200) throw new Error(`${name}.${zone.domain}: ${status} ${code}`);
  };
  const ours = (name: string): Promise<void> => create(domain, name);
  const quietly = async (zone: DomainRef, times: Times): Promise<void> => {
    const name = `q${written++}`;
    const began = performance.now();
    await create(zone, name);
    times.answered.push(performance.now() - began);
    for (const probe of probes) if (!(await probe.holds(`${name}.${zone.domain}`, LIMIT_MS))) result.wrong++;
  };
  const ways: readonly (() => Promise<void>)[] = [
    () => quietly(domain, result.quiet),
    () => quietly(signedDomain, result.signed),
    () => watched(`w${written++}`, ours, probes, result.waypost),
    ...(knot === null ? [] : [() => watched(`w${written++}`, (name) => knot.create(name), knot.probes, result.knot)]),
  ];
  // The first connections are no part of any write.
  for (let i = 0; i < 4 * apis.length; i++) await create(i % 2 === 0 ? domain : signedDomain, `first${written++ >> 1}`);
  for (let round = 0; round < rounds; round++)
    for (let way = 0; way < ways.length; way++)
      for (let i = 0; i < count; i++) await ways[(round + way) % ways.length]();
  for (const probe of probes) probe.close();
  for (const api of apis) await api.close();
  return result;
}

/** Makes the write, and asks all nodes for it meanwhile. */
async function watched(
  name: string,
  create: (name: string) => Promise<void>,
  probes: readonly Probe[],
  times: Times,
): Promise<void> {
  const began = performance.now();
  const answered = create(name).then(() => performance.now() - began);
  await Promise.all([answered, ...probes.map((probe) => untilServed(probe, `${name}.${ZONE}`, began))]);
  times.served.push(performance.now() - began);
  times.answered.push(await answered);
}

async function untilServed(probe: Probe, name: string, began: number): Promise<void> {
  while (!(await probe.holds(name, 200))) {
    if (performance.now() - began > LIMIT_MS) throw new Error(`${name} is not served after ${LIMIT_MS / 1000} s.`);
    await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
  }
}
