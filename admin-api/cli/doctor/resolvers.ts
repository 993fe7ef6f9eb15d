/** Whether the recursive resolvers answer, support DNSSEC, and do not invent names. */
import { randomBytes } from 'node:crypto';
import { getServers } from 'node:dns';
import type { Config } from '../../../core/config/index.ts';
import { questionEnd } from '../../../core/dns/wire/bare-response.ts';
import { TC } from '../../../core/dns/wire/header.ts';
import { MessageReader } from '../../../core/dns/wire/message-reader.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { exchangeTcp, exchangeUdp, type Server } from '../../../core/net/resolver/exchange.ts';
import { encodeQuestion, newQuestion } from '../../../core/net/resolver/message.ts';
import { queryServer } from '../../../core/net/resolver/query.ts';
import { parseServer } from '../../../core/net/resolver/resolver.ts';
import { type AnyCheck, check, failure, note, ok, type Verdict, warning } from './check.ts';
import type { Context } from './context.ts';

/** Timeout of a check of one resolver, in milliseconds. */
const QUERY_MS = 8000;
const DNSKEY = 48;
const RRSIG = 46;
const AD = 0x20;
const ROOT = Uint8Array.of(0);
const SYSTEM = 'the system';

interface Resolver {
  readonly server: Server;
  /** Settings that contain this resolver. */
  readonly settings: readonly string[];
}

/** Returns each configured resolver once. */
function resolversOf(config: Config): Resolver[] {
  const { alias, dnssec, edge, webhooks, acme } = config;
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['alias.resolvers', alias.resolvers],
    ['dnssec.resolvers', dnssec.resolvers],
    ['edge.resolvers', edge.resolvers],
    ['webhooks.resolvers', webhooks.resolvers],
    ['acme.resolvers', acme.resolvers],
  ];
  const found = new Map<string, { server: Server; settings: string[] }>();
  for (const [setting, servers] of lists)
    for (const text of servers.length > 0 ? servers : getServers()) {
      const server = parseServer(text);
      const key = titleOf(server);
      const entry = found.get(key) ?? { server, settings: [] };
      const source = servers.length > 0 ? setting : SYSTEM;
      if (!entry.settings.includes(source)) entry.settings.push(source);
      found.set(key, entry);
    }
  return [...found.values()];
}

const titleOf = ({ address, port }: Server): string =>
  port === 53 ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`;

const digCommand = ({ address, port }: Server, rest: string): string =>
  `dig @${address}${port === 53 ? '' : ` -p ${port}`} ${rest}`;

interface Probe {
  readonly server: Server;
  readonly settings: readonly string[];
  /** Why the probe failed; null: it succeeded. */
  readonly trouble: string | null;
}

const subjectOf = ({ server, settings }: Probe): string => `${titleOf(server)} (${settings.join(', ')})`;

/** Probes every resolver. An error is stored in `trouble`. */
function probeAll<Found>(
  { config }: Context,
  empty: Found,
  ask: (server: Server, signal: AbortSignal) => Promise<Found>,
): Promise<(Probe & Found)[]> {
  return Promise.all(
    resolversOf(config).map(async ({ server, settings }) => {
      try {
        const found = await ask(server, AbortSignal.timeout(QUERY_MS));
        return { server, settings, trouble: null, ...found };
      } catch (error) {
        const trouble = (error as Error).name === 'TimeoutError' ? 'no answer in time' : (error as Error).message;
        return { server, settings, trouble, ...empty };
      }
    }),
  );
}

interface AnswerProbe extends Probe {
  readonly elapsed: number;
  readonly rcode: number;
}

export const answersCheck = check<readonly AnswerProbe[]>({
  id: 'resolvers.answer',
  why: 'ALIAS targets, origins, webhooks and parent zones are found through them.',
  read: (context) =>
    probeAll(context, { elapsed: 0, rcode: 0 }, async (server, signal) => {
      const begin = performance.now();
      const { rcode } = await queryServer(server, ROOT, TYPE.NS, { isRecursive: true, signal });
      return { rcode, elapsed: performance.now() - begin };
    }),
  judge(probes) {
    if (probes.length === 0) return failure('no resolver is configured', 'cat /etc/resolv.conf');
    return probes.map((probe): Verdict => {
      const { server, trouble, rcode, elapsed } = probe;
      const dig = digCommand(server, '. NS');
      if (trouble !== null) return failure(`no answer: ${trouble}`, dig, subjectOf(probe));
      if (rcode !== RCODE.NOERROR) return failure(`answers with RCODE ${rcode}`, dig, subjectOf(probe));
      const found = `answered in ${Math.round(elapsed)} ms`;
      return elapsed > 1000 ? warning(found, dig, subjectOf(probe)) : ok(found, subjectOf(probe));
    });
  },
});

interface DnssecProbe extends Probe {
  readonly rcode: number;
  /** Whether the answer contains signatures. */
  readonly isSigned: boolean;
  /** Whether the resolver has validated the answer (AD, RFC 4035 3.2.3). */
  readonly isValidated: boolean;
}

async function askDnssec(server: Server, signal: AbortSignal): Promise<Omit<DnssecProbe, keyof Probe>> {
  const question = newQuestion(ROOT, DNSKEY);
  const query = encodeQuestion(question, true);
  query[3] |= AD;
  // The flag DO in the OPT record, which ends with its flags and its length (RFC 6891 6.1.3).
  query[query.length - 4] |= 0x80;
  const isReply = (received: Buffer): boolean => received.length >= 12 && received.readUInt16BE(0) === question.id;
  let message = await exchangeUdp(server, query, isReply, 3000, signal);
  if ((message[2] & TC) !== 0) message = await exchangeTcp(server, query, 4000, signal);
  const reader = new MessageReader(message, questionEnd(message));
  const types = Array.from({ length: message.readUInt16BE(6) }, () => reader.record().type);
  return { rcode: message[3] & 15, isSigned: types.includes(RRSIG), isValidated: (message[3] & AD) !== 0 };
}

export const dnssec = check<readonly DnssecProbe[]>({
  id: 'resolvers.dnssec',
  why: 'A resolver that validates protects ALIAS targets and DS checks against forged answers.',
  read: (context) => probeAll(context, { rcode: 0, isSigned: false, isValidated: false }, askDnssec),
  judge: (probes) =>
    probes.map((probe) => {
      const dig = digCommand(probe.server, '. DNSKEY +dnssec');
      if (probe.trouble !== null) return note(`no answer: ${probe.trouble}`, dig, subjectOf(probe));
      if (probe.rcode !== RCODE.NOERROR)
        return note(`not known: it answers with RCODE ${probe.rcode}`, dig, subjectOf(probe));
      if (!probe.isSigned) return warning('removes the signatures of DNSSEC', dig, subjectOf(probe));
      if (!probe.isValidated) return note('passes on signatures, but does not validate', dig, subjectOf(probe));
      return ok('validates', subjectOf(probe));
    }),
});

interface TruthProbe extends Probe {
  readonly rcode: number;
  readonly answers: number;
}

export const truthful = check<readonly TruthProbe[]>({
  id: 'resolvers.truthful',
  why: 'A resolver that invents addresses for names that do not exist misdirects ALIAS names and origins.',
  read: (context) =>
    // RFC 6761 6.4: names below "invalid" never exist.
    probeAll(context, { rcode: 0, answers: 0 }, async (server, signal) => {
      const name = parseName(`waypost-${randomBytes(6).toString('hex')}.invalid`);
      const { rcode, answer } = await queryServer(server, name, TYPE.A, { isRecursive: true, signal });
      return { rcode, answers: answer.length };
    }),
  judge: (probes) =>
    probes.map((probe) => {
      const { server, trouble, rcode, answers } = probe;
      const dig = digCommand(server, 'waypost-does-not-exist.invalid');
      if (trouble !== null) return note(`no answer: ${trouble}`, dig, subjectOf(probe));
      if (answers > 0) return failure('has an address for a name that does not exist', dig, subjectOf(probe));
      if (rcode !== RCODE.NXDOMAIN) return note(`RCODE ${rcode} instead of NXDOMAIN`, dig, subjectOf(probe));
      return ok('NXDOMAIN for a name that does not exist', subjectOf(probe));
    }),
});

export const RESOLVER_CHECKS: readonly AnyCheck[] = [answersCheck, dnssec, truthful];
