/**
 * Looks up the addresses of a name at recursive resolvers, with the TTLs of the whole CNAME chain.
 * node:dns returns only the last TTL of a chain.
 */

import { getServers } from 'node:dns';
import { setMaxListeners } from 'node:events';
import { isIP } from 'node:net';
import { type Name, nameId } from '../../dns/wire/name.ts';
import { fromUrlHost } from '../address/url-host.ts';
import { exchangeTcp, exchangeUdp, type Server } from './exchange.ts';
import { encodeQuestion, newQuestion, type Outcome, type Question, readReply } from './message.ts';

/** Looks up A or AAAA (`type`) of a name. Never rejects. */
export type Lookup = (name: Name, type: number) => Promise<Outcome>;

/** Addresses of resolvers, or a function that returns those of now, which a reload may change. */
export type Resolvers = readonly string[] | (() => readonly string[]);

export const currentOf = (resolvers: Resolvers): readonly string[] =>
  typeof resolvers === 'function' ? resolvers() : resolvers;

/** Milliseconds for the first try at a server; the second waits twice as long. */
const TRY_MS = 1500;
const ROUNDS = 2;
const TCP_MS = 4000;
/** Maximum servers queried for a name. */
const MAX_SERVERS = 4;

/**
 * `servers`: `address`, `address:port` or `[v6]:port`; empty: the system's resolvers. Concurrent
 * lookups of the same name and type share a query. Aborting `signal` fails all lookups.
 */
export function recursiveLookup(servers: Resolvers, signal: AbortSignal): Lookup {
  // Each pending query adds a listener. The number of queries is bounded.
  setMaxListeners(0, signal);
  const inFlight = new Map<string, Promise<Outcome>>();
  return (name, type) => {
    const id = `${type} ${nameId(name)}`;
    const pending = inFlight.get(id);
    if (pending !== undefined) return pending;
    // The system's resolvers can change at run time.
    const own = currentOf(servers);
    const current = (own.length > 0 ? own : getServers()).map(parseServer);
    const outcome = ask(current.slice(0, MAX_SERVERS), name, type, signal).finally(() => inFlight.delete(id));
    inFlight.set(id, outcome);
    return outcome;
  };
}

async function ask(servers: readonly Server[], name: Name, type: number, signal: AbortSignal): Promise<Outcome> {
  let last: Outcome = { kind: 'failed', error: 'no resolver is configured' };
  for (let round = 0; round < ROUNDS; round++)
    for (const server of servers) {
      if (signal.aborted) return last;
      try {
        last = await askServer(server, newQuestion(name, type), TRY_MS * (round + 1), signal);
      } catch (error) {
        last = { kind: 'failed', error: (error as Error).message };
      }
      if (last.kind !== 'failed') return last;
    }
  return last;
}

/** Rejects with an Error that can be shown. */
async function askServer(
  server: Server,
  question: Question,
  ms: number,
  signal: AbortSignal,
  edns = true,
): Promise<Outcome> {
  const query = encodeQuestion(question, edns);
  const isAnswer = (message: Buffer): boolean => readReply(message, question).kind !== 'other';
  let reply = readReply(await exchangeUdp(server, query, isAnswer, ms, signal), question);
  // An off-path attacker cannot forge a response over TCP. A server that changes the case of names
  // is therefore accepted there.
  if (reply.kind === 'truncated' || reply.kind === 'other-case')
    reply = readReply(await exchangeTcp(server, query, TCP_MS, signal), question, true);
  if (reply.kind === 'no-edns' && edns)
    return askServer(server, newQuestion(question.name, question.type), ms, signal, false);
  if (reply.kind === 'outcome') return reply.outcome;
  throw new Error('the resolver sent a malformed response');
}

export function parseServer(text: string): Server {
  if (isIP(text) !== 0) return { address: text, port: 53 };
  const at = text.lastIndexOf(':');
  return { address: fromUrlHost(text.slice(0, at)), port: Number(text.slice(at + 1)) };
}
