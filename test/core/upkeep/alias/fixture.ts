/** A store whose ALIAS targets are kept fresh by a clock of the test and a resolver of the test. */

import { createLogger } from '../../../../core/base/log/index.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { CLASS_IN, TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { Holds } from '../../../../core/nameserver/transfer/holds.ts';
import { type Exemptions, formatAddress } from '../../../../core/net/address/index.ts';
import type { Lookup } from '../../../../core/net/resolver/resolver.ts';
import { type Domain, domains, type RecordRow, records } from '../../../../core/store/rows.ts';
import { AliasRefresher, type AliasState, AliasStates } from '../../../../core/upkeep/alias/index.ts';
import { TCP_LIMIT } from '../../../reference/compare.ts';
import { decodeMessage, encodeQuery } from '../../../support/message.ts';
import { TargetServer } from '../../../support/target-server.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import { DEFAULTS, embedded, newDomain, newRecord, queryPath, type Store, withStore } from '../../journal/fixture.ts';

export interface Asked {
  readonly rcode: number;
  /** In presentation form. */
  readonly addresses: readonly string[];
  /** Of the first address; null: there is none. */
  readonly ttl: number | null;
  /** INFO-CODE of an extended error (RFC 8914); null: none. */
  readonly extendedError: number | null;
}

export interface AliasRig {
  readonly store: Store;
  readonly server: TargetServer;
  refresher: AliasRefresher;
  states: AliasStates;
  holds: Holds;
  /** Seconds since 1970. */
  now: number;
  /** Seconds by which the machine's clock has been set back. */
  setBack: number;
  /** A domain with records such as `www A 192.0.2.1`; TTL 300. */
  zone(apex: string, ...lines: string[]): Promise<Domain>;
  /** The same, of an account. */
  zoneOf(accountId: number, apex: string, ...lines: string[]): Promise<Domain>;
  add(domain: Domain, line: string, ttl?: number): Promise<RecordRow>;
  remove(row: RecordRow): Promise<void>;
  /** Puts the clock on, does what is due then, and waits for it. */
  pass(seconds: number): Promise<void>;
  settle(): Promise<void>;
  ask(name: string, type?: number): Asked;
  /** `account`: whose ALIAS records lead there; 0 when left out, as of `zone`. */
  state(target: string, account?: number): AliasState;
  /** Ends the refresher, and begins with another one on the same store. */
  restart(): Promise<void>;
}

export interface RigOptions {
  readonly staleMax?: number;
  readonly allowPrivate?: Exemptions;
  /** In the place of the server. */
  readonly lookup?: Lookup;
}

const EDE = 15;

export function recordOf(domain: Domain, line: string, ttl = 300): RecordRow {
  const [name, type, ...content] = line.split(' ');
  const number = TYPE[type as keyof typeof TYPE];
  return newRecord(domain, name, number, parseRdata(number, content.join(' '), domain.apex), ttl);
}

export async function withAlias(
  work: (rig: AliasRig) => Promise<void>,
  { staleMax = 86_400, allowPrivate = [], lookup }: RigOptions = {},
): Promise<void> {
  const server = await TargetServer.start();
  const log = createLogger({ level: 'error', format: 'text' });
  try {
    await withStore(embedded, async (store) => {
      const path = queryPath(store);
      const { environment, journal } = store;
      const begin = (): Pick<AliasRig, 'states' | 'holds' | 'refresher'> => {
        const holds = new Holds();
        const states = new AliasStates(environment);
        const refresher = new AliasRefresher({
          environment,
          journal,
          zoneSettings: DEFAULTS,
          states,
          holds,
          tasks: singleNodeTasks(),
          log,
          resolvers: [server.address],
          staleMax,
          allowPrivate,
          lookup,
          now: () => rig.now - rig.setBack,
          clock: () => rig.now,
        });
        return { states, holds, refresher };
      };
      const rig: AliasRig = {
        store,
        server,
        now: 1_800_000_000,
        setBack: 0,
        ...begin(),
        zone: (apex, ...lines) => rig.zoneOf(0, apex, ...lines),
        async zoneOf(accountId, apex, ...lines) {
          const domain = { ...newDomain(apex), accountId };
          await write(environment, journal, 'test', (draft) => {
            draft.put(domains, domain);
            for (const line of lines) draft.put(records, recordOf(domain, line));
          });
          await rig.settle();
          return domain;
        },
        async add(domain, line, ttl) {
          const row = recordOf(domain, line, ttl);
          await write(environment, journal, 'test', (draft) => draft.put(records, row));
          await rig.settle();
          return row;
        },
        async remove(row) {
          await write(environment, journal, 'test', (draft) => draft.delete(records, row));
          await rig.settle();
        },
        async pass(seconds) {
          rig.now += seconds;
          rig.refresher.tick();
          await rig.settle();
        },
        settle: () => rig.refresher.idle(),
        ask(name, type = TYPE.A) {
          const edns = { version: 0, size: 1232, do: false };
          const packet = encodeQuery({ name: parseName(name), type, class: CLASS_IN, edns }, 7, false);
          const response = path.answer(packet, TCP_LIMIT);
          if (response === null) throw new Error('silence');
          const { rcode, answer, opt } = decodeMessage(response);
          const found = answer.filter((record) => record.type === TYPE.A || record.type === TYPE.AAAA);
          return {
            rcode,
            addresses: found.map(({ rdata }) => formatAddress(rdata)),
            ttl: found[0]?.ttl ?? null,
            extendedError: extendedError(opt?.options ?? new Uint8Array(0)),
          };
        },
        state: (target, account = 0) => rig.states.of(parseName(target), account),
        async restart() {
          await rig.refresher.stop();
          Object.assign(rig, begin());
          await rig.refresher.start();
          await rig.settle();
        },
      };
      await rig.refresher.start();
      try {
        await work(rig);
      } finally {
        await rig.refresher.stop();
        await path.close();
      }
    });
  } finally {
    await server.close();
  }
}

function extendedError(options: Uint8Array): number | null {
  const bytes = Buffer.from(options);
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt16BE(at + 2))
    if (bytes.readUInt16BE(at) === EDE) return bytes.readUInt16BE(at + 4);
  return null;
}
