/** A zone with steered record sets in this process, and queries with client subnets for it. */
import { MessageChannel } from 'node:worker_threads';
import type { Signer } from '../../../../core/dns/dnssec/zone-signer.ts';
import { EDNS_OPTION } from '../../../../core/dns/wire/edns.ts';
import { equalNames, type Name, parseName } from '../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { type ResourceRecord, type RRset, TYPE } from '../../../../core/dns/wire/types.ts';
import { Client, TRANSPORT } from '../../../../core/net/address/client.ts';
import { formatAddress, parseAddress } from '../../../../core/net/address/index.ts';
import { readPlaces } from '../../../../core/net/geography/database.ts';
import { sharePlaces } from '../../../../core/net/geography/places.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import type { Steering, SteeringContent, SteeringHealth, SteeringMatch } from '../../../../core/store/rows.ts';
import { IndexReader } from '../../../../core/zone/answer/index-reader.ts';
import { Responder } from '../../../../core/zone/answer/responder.ts';
import { PLAIN } from '../../../../core/zone/answer/settings.ts';
import { AliasedZone } from '../../../../core/zone/compile/aliased.ts';
import { compileNode } from '../../../../core/zone/compile/compile.ts';
import { MemoryZone } from '../../../../core/zone/compile/memory.ts';
import { SteeredZone } from '../../../../core/zone/compile/steered.ts';
import { CheckedAnswers, checkId, shareCheckedAnswers } from '../../../../core/zone/steering/checked-answers.ts';
import type { SteeringWorld } from '../../../reference/steering.ts';
import { entriesOf } from '../../../support/in-process.ts';
import { decodeMessage, type Message } from '../../../support/message.ts';
import { writeMmdb } from '../../../support/mmdb.ts';
import { option, readOptions } from '../answer/fixture.ts';

export const APEX = parseName('example.test.');
export const DOMAIN = 7;

export const CHECK: SteeringHealth = {
  type: 'tcp',
  port: 443,
  host: null,
  path: '/',
  status: null,
  interval: 10,
  timeout: 5,
  rise: 2,
  fall: 3,
};

export const match = (some: Partial<SteeringMatch> = {}): SteeringMatch => ({
  country: [],
  continent: [],
  network: [],
  region: [],
  ...some,
});

export const steering = (name: string, type: number, content: SteeringContent): Steering => ({
  domainId: DOMAIN,
  name: parseName(name, APEX),
  type,
  revision: 1,
  updatedAt: 0,
  actor: { accountId: 1, username: 'u', tokenName: null },
  content,
});

/** A pool whose answers are written as `content*weight`. */
export const pool = (name: string, answers: readonly string[], health: SteeringHealth | null = null) => ({
  name,
  answers: answers.map((text) => {
    const [content, weight = '1'] = text.split('*');
    return { content, weight: Number(weight) };
  }),
  health,
});

interface QueryOptions {
  readonly type?: number;
  /** An address with the length of the source prefix. */
  readonly subnet?: string;
  readonly from?: string;
  readonly transport?: number;
  readonly dnssecOk?: boolean;
  readonly size?: number;
}

export interface Steered {
  readonly message: Message;
  /** Contents of the answer section, without signatures. */
  readonly contents: readonly string[];
  /** Undefined: the response has no client subnet. */
  readonly scope: number | undefined;
  readonly length: number;
  readonly bytes: Uint8Array;
}

export class SteeredServer {
  readonly responder: Responder;
  readonly reader: IndexReader;
  /** The RRsets of a name, as transfers have them. */
  readonly rrsets: (name: string) => readonly RRset[];
  readonly #checked: CheckedAnswers;
  readonly #client = new Client();
  readonly #buffer = new Uint8Array(66_000);

  constructor(
    records: readonly ResourceRecord[],
    readonly steerings: readonly Steering[],
    { places, region }: Pick<SteeringWorld, 'places' | 'region'> = { places: [], region: '' },
    signer: Signer | null = null,
    addressesOf: (target: Name) => readonly RRset[] = () => [],
  ) {
    const index = new IndexWriter(1 << 20);
    const zone = new MemoryZone(APEX, records);
    const aliased = new AliasedZone(zone, addressesOf);
    const view = new SteeredZone(aliased, (name) => steerings.filter((own) => equalNames(own.name, name)), addressesOf);
    this.rrsets = (name) => view.rrsets(parseName(name, APEX));
    const nodes: [Name, Buffer][] = [];
    for (const name of zone.names()) {
      const node = compileNode(view, name, signer);
      if (node !== null) nodes.push([name, node]);
    }
    for (const [, node] of nodes) index.put(node, false);
    if (signer !== null) index.denial.replaceAll(DOMAIN, APEX, entriesOf(zone, nodes, signer));
    index.publish();
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    port2.unref();
    this.reader = new IndexReader(index.share(port1), 1, port2, { refresh() {}, fetch: () => 0, fetchEntry: () => 0 });
    const checked = shareCheckedAnswers();
    this.#checked = new CheckedAnswers(checked);
    this.responder = new Responder(this.reader, 1232, PLAIN, { places: placesOf(places), checked, region });
  }

  /** Replaces the answers that are down. */
  setDown(isDown: SteeringWorld['isDown']): void {
    const down: Buffer[] = [];
    for (const { name, type, content } of this.steerings)
      for (const own of content.pools)
        for (const { content: text } of own.health === null ? [] : own.answers)
          if (isDown(own, text)) down.push(checkId(DOMAIN, name, type, text, own.health!));
    this.#checked.write(down);
  }

  query(name: string, options: QueryOptions = {}): Steered {
    const { type = TYPE.A, subnet, from = '198.18.0.1', transport = TRANSPORT.UDP, dnssecOk = false } = options;
    const address = parseAddress(from)!;
    this.#client.setAddress(address, 0, address.length);
    this.#client.transport = transport;
    const opt = subnet === undefined && !dnssecOk ? [] : optRecord(subnet, dnssecOk, options.size ?? 1232);
    const header = [0xab, 0xcd, 0, 0, 0, 1, 0, 0, 0, 0, 0, opt.length > 0 ? 1 : 0];
    const packet = [...header, ...parseName(name, APEX), 0, type, 0, 1, ...opt];
    this.#buffer.set(packet);
    this.reader.enter();
    const length = this.responder.respond(this.#buffer, 0, packet.length, this.#client);
    this.reader.leave();
    const bytes = this.#buffer.slice(0, length);
    const message = decodeMessage(bytes);
    const data = readOptions(message.opt?.options ?? new Uint8Array()).find(
      ([code]) => code === EDNS_OPTION.CLIENT_SUBNET,
    )?.[1];
    return {
      message,
      contents: message.answer
        .filter(({ type: t }) => t !== TYPE.RRSIG)
        .map(({ type: t, rdata }) => formatRdata(t, rdata)),
      scope: data?.[3],
      length,
      bytes,
    };
  }
}

function optRecord(subnet: string | undefined, dnssecOk: boolean, size: number): number[] {
  const options = subnet === undefined ? [] : option(EDNS_OPTION.CLIENT_SUBNET, subnetData(subnet));
  return [0, 0, TYPE.OPT, size >> 8, size & 255, 0, 0, dnssecOk ? 0x80 : 0, 0, 0, options.length, ...options];
}

/** Of `192.0.2.0/24`: the address is cut to its prefix. */
export function subnetData(subnet: string): number[] {
  const [text, length] = subnet.split('/');
  const bits = Number(length);
  const address = [...parseAddress(text)!];
  const used = address.slice(0, Math.ceil(bits / 8));
  if (bits % 8 !== 0) used[used.length - 1] &= 0xff00 >> (bits % 8);
  return [0, address.length === 4 ? 1 : 2, bits, 0, ...used];
}

export function placesOf(places: SteeringWorld['places']): SharedArrayBuffer | null {
  if (places.length === 0) return null;
  const networks = places.map(({ network, country, continent }) => [
    network,
    {
      ...(country !== '' && { country: { iso_code: country } }),
      ...(continent !== '' && { continent: { code: continent } }),
    },
  ]);
  const shared = sharePlaces();
  for (const _ of readPlaces(writeMmdb(Object.fromEntries(networks)), shared));
  return shared;
}

/** The first and the last address of a block around an address. */
export function blockOf(address: Uint8Array, bits: number): readonly [Uint8Array, Uint8Array] {
  const first = address.slice();
  const last = address.slice();
  for (let bit = bits; bit < address.length * 8; bit++) {
    first[bit >> 3] &= ~(0x80 >> (bit & 7));
    last[bit >> 3] |= 0x80 >> (bit & 7);
  }
  return [first, last];
}

export const textOf = (address: Uint8Array): string => formatAddress(address);
