/**
 * Queries the current nameservers of a domain for records at well-known names, so that a domain can
 * move with its records. Transfers are rarely allowed, so records at other names are not found.
 * Time, queries and records are limited.
 */
import { FairSlots, SlotsFullError } from '../../base/fair-slots.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { Interval } from '../../base/timers.ts';
import type { MessageRecord } from '../../dns/wire/message-reader.ts';
import { equalNames, formatHost, joinNames, type Name, nameId, parseName } from '../../dns/wire/name.ts';
import { checkRdata } from '../../dns/wire/rdata/index.ts';
import { RCODE, TYPE } from '../../dns/wire/types.ts';
import type { Server } from '../../net/resolver/exchange.ts';
import { ParentZones, type ParentZonesOptions, zoneTitle } from '../../net/resolver/parent-zone.ts';
import { queryServer, type RecordReply } from '../../net/resolver/query.ts';
import type { Domain } from '../../store/rows.ts';
import type { FailedLook } from './look.ts';

export interface PresentRecord {
  readonly name: Name;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Uint8Array;
}

export interface FoundRecords {
  /** The nameservers of the domain, without the last dot. */
  readonly nameservers: readonly string[];
  /** Each once; without SOA and the NS records of the apex. */
  readonly records: readonly PresentRecord[];
  /** Whether time or number of records ended the scan early. */
  readonly isPartial: boolean;
}

export interface PresentRecords {
  /** Never rejects. */
  scan(domain: Pick<Domain, 'apex' | 'accountId'>): Promise<FoundRecords | FailedLook>;
}

/** Timeout of a scan, in milliseconds. */
const SCAN_MS = 20_000;
/** Concurrent scans, in turns by account. */
const MAX_SCANS = 4;
const MAX_QUEUED = 100;
/** Queries of a scan in flight. */
const CONCURRENT = 8;
const MAX_RECORDS = 1000;
/** Nameservers of which the first that serves the zone is used. */
const MAX_TRIED = 6;
/** Milliseconds for which a result is reused, so that requests cannot flood nameservers. */
const REPEAT_MS = 30_000;
const MAX_KEPT = 100;

const APEX_TYPES = [TYPE.A, TYPE.AAAA, TYPE.MX, TYPE.TXT, TYPE.CAA, TYPE.HTTPS, TYPE.SRV];
const HOSTS =
  '* www www2 mail mx mx1 mx2 smtp imap pop pop3 webmail email autodiscover autoconfig ftp sftp ssh vpn remote api app apps admin portal login auth sso id account accounts shop store blog news docs help support status dev test staging stage beta demo cdn static assets img images media files download git gitlab ci m mobile wiki forum chat meet calendar cloud nas home server ns1 ns2 db cpanel ipfs sip lyncdiscover enterpriseregistration enterpriseenrollment msoid';
const TEXTS =
  '_dmarc _mta-sts _smtp._tls _domainkey default._domainkey google._domainkey selector1._domainkey selector2._domainkey s1._domainkey s2._domainkey k1._domainkey k2._domainkey k3._domainkey dkim._domainkey mail._domainkey fm1._domainkey fm2._domainkey fm3._domainkey protonmail._domainkey protonmail2._domainkey protonmail3._domainkey sig1._domainkey zmail._domainkey zoho._domainkey mandrill._domainkey mxvault._domainkey everlytickey1._domainkey _acme-challenge _github-challenge _atproto default._bimi';
const SERVICES =
  '_sip._tcp _sip._udp _sips._tcp _sip._tls _sipfederationtls._tcp _autodiscover._tcp _submission._tcp _submissions._tcp _imap._tcp _imaps._tcp _pop3._tcp _pop3s._tcp _caldav._tcp _caldavs._tcp _carddav._tcp _carddavs._tcp _xmpp-client._tcp _xmpp-server._tcp _matrix._tcp _matrix-fed._tcp _ldap._tcp _kerberos._udp _minecraft._tcp';

interface Wanted {
  readonly name: Name;
  readonly type: number;
}

/** What a scan asks, in order. A server answers each with a CNAME if there is one. */
function questionsOf(apex: Name): Wanted[] {
  const below = (names: string, ...types: number[]): Wanted[] =>
    names.split(' ').flatMap((labels) => {
      const relative = parseName(`${labels}.`);
      // 255 bytes are the limit of a name.
      if (relative.length - 1 + apex.length > 255) return [];
      const name = joinNames(relative.subarray(0, -1), apex);
      return types.map((type) => ({ name, type }));
    });
  return [
    ...APEX_TYPES.map((type) => ({ name: apex, type })),
    ...below(HOSTS, TYPE.A, TYPE.AAAA),
    ...below(TEXTS, TYPE.TXT),
    ...below(SERVICES, TYPE.SRV),
  ];
}

export class PublicRecords implements PresentRecords {
  readonly #zones: ParentZones;
  readonly #slots = new FairSlots({ slots: MAX_SCANS, queue: MAX_QUEUED });
  readonly #recent = new RecentMap<{
    readonly interval: Interval;
    readonly result: Promise<FoundRecords | FailedLook>;
  }>(MAX_KEPT);

  /** `stop`: ends all scans. */
  constructor(
    options: ParentZonesOptions,
    private readonly stop: AbortSignal,
  ) {
    this.#zones = new ParentZones(options);
  }

  scan({ apex, accountId }: Pick<Domain, 'apex' | 'accountId'>): Promise<FoundRecords | FailedLook> {
    const id = nameId(apex);
    const recent = this.#recent.get(id);
    if (recent !== undefined && recent.interval.remaining() > 0) return recent.result;
    const owner = { account: String(accountId), network: '' };
    const result = this.#slots.run(owner, () => this.#scan(apex), this.stop).catch(troubleOf);
    this.#recent.set(id, { interval: new Interval(SCAN_MS + REPEAT_MS), result });
    return result;
  }

  async #scan(apex: Name): Promise<FoundRecords | FailedLook> {
    const signal = AbortSignal.any([this.stop, AbortSignal.timeout(SCAN_MS)]);
    try {
      const hosts = await this.#zones.hostsOf(apex, signal);
      const servers = (await Promise.all(hosts.map((host) => this.#zones.serversOf(host, signal)))).flat();
      const server = await firstServing(servers.slice(0, MAX_TRIED), apex, signal);
      if (server === null) return { trouble: `no nameserver of ${zoneTitle(apex)} answered` };
      const found = await collect(server, apex, signal);
      return { nameservers: hosts.map((host) => formatHost(host).toLowerCase()), ...found };
    } catch (error) {
      if (this.stop.aborted) return { trouble: 'the service is stopping' };
      return { trouble: signal.aborted ? 'the scan took too much time' : (error as Error).message };
    }
  }
}

const troubleOf = (error: unknown): FailedLook => ({
  trouble: error instanceof SlotsFullError ? 'too many scans are queued' : 'the service is stopping',
});

/** Null: none has the zone. */
async function firstServing(servers: readonly Server[], apex: Name, signal: AbortSignal): Promise<Server | null> {
  for (const server of servers) {
    const reply = await queryServer(server, apex, TYPE.SOA, { isRecursive: false, signal }).catch(() => null);
    signal.throwIfAborted();
    if (reply?.isAuthoritative === true && reply.answer.some(({ type }) => type === TYPE.SOA)) return server;
  }
  return null;
}

/** Asks all questions, some at a time, until there are too many records or the time is over. */
async function collect(
  server: Server,
  apex: Name,
  signal: AbortSignal,
): Promise<Pick<FoundRecords, 'records' | 'isPartial'>> {
  const questions = questionsOf(apex);
  const found = new Map<string, PresentRecord>();
  let next = 0;
  let hasMissed = false;
  const work = async (): Promise<void> => {
    while (next < questions.length && found.size < MAX_RECORDS && !signal.aborted) {
      const { name, type } = questions[next++];
      const reply = await queryServer(server, name, type, { isRecursive: false, signal }).catch(() => null);
      if (reply === null) hasMissed = true;
      for (const record of reply === null ? [] : recordsIn(reply, name, type)) found.set(idOf(record), record);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  const records = [...found.values()].slice(0, MAX_RECORDS);
  return { records: withoutWildcards(records, apex), isPartial: hasMissed || next < questions.length };
}

/** The records of the name itself: of the type, or a CNAME. */
function recordsIn({ rcode, answer }: RecordReply, name: Name, type: number): PresentRecord[] {
  if (rcode !== RCODE.NOERROR) return [];
  return answer
    .filter((record) => equalNames(record.name, name) && (record.type === type || record.type === TYPE.CNAME))
    .filter(isWellFormed)
    .map(({ type: found, ttl, rdata }) => ({ name, type: found, ttl, rdata }));
}

function isWellFormed({ type, rdata }: MessageRecord): boolean {
  try {
    checkRdata(type, rdata);
    return true;
  } catch {
    return false;
  }
}

const contentOf = ({ type, rdata }: PresentRecord): string => `${type} ${Buffer.from(rdata).toString('latin1')}`;
const idOf = (record: PresentRecord): string => `${nameId(record.name)} ${contentOf(record)}`;

/** A wildcard answers at every name, so the same records elsewhere are its copies. */
function withoutWildcards(records: readonly PresentRecord[], apex: Name): PresentRecord[] {
  const wildcard = joinNames(Uint8Array.of(1, 0x2a), apex);
  const copied = new Set(records.filter(({ name }) => equalNames(name, wildcard)).map(contentOf));
  return records.filter(
    (record) => equalNames(record.name, wildcard) || equalNames(record.name, apex) || !copied.has(contentOf(record)),
  );
}
