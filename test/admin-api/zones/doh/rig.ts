/** The admin API with DNS over HTTPS, and an HTTP client. */
import type { AnswerDns } from '../../../../admin-api/zones/doh/routes.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { NameserverCounters } from '../../../../core/nameserver/counters.ts';
import { openLocalResponder } from '../../../../core/nameserver/local-responder.ts';
import { NO_MODULES } from '../../../../core/nameserver/query-modules.ts';
import type { IndexWriter } from '../../../../core/store/index/writer.ts';
import { type AnswerSettings, PLAIN } from '../../../../core/zone/answer/settings.ts';
import { encodeQuery } from '../../../support/message.ts';
import { type Daemon, startDaemon } from '../../daemon.ts';

export const DNS_MESSAGE = 'application/dns-message';
export const UDP_PAYLOAD = 1232;

export interface DohDaemon extends Daemon {
  readonly counters: NameserverCounters;
}

export async function startDoh(
  transport: 'uws' | 'node' | 'auto',
  settings: Record<string, string> = {},
  on = true,
  answers: AnswerSettings = PLAIN,
): Promise<DohDaemon> {
  const counters = new NameserverCounters([]);
  const answerDns = (index: IndexWriter, folder: string): AnswerDns => {
    const served = { index, storeDirectory: folder, udpPayload: UDP_PAYLOAD, answers };
    const local = openLocalResponder(served, { counters: counters.https, modules: NO_MODULES });
    return (message, address) => local.answer(message, address);
  };
  const daemon = await startDaemon(transport, settings, undefined, on ? answerDns : undefined);
  return Object.defineProperty(daemon, 'counters', { value: counters }) as DohDaemon;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** Code of an error; undefined for a DNS message. */
  readonly code: string | undefined;
}

const ANSWER_MS = 5_000;

export async function send(
  daemon: Daemon,
  method: string,
  target: string,
  headers: Record<string, string> = {},
  message?: Uint8Array,
): Promise<HttpAnswer> {
  const response = await fetch(daemon.url + target, {
    method,
    headers,
    body: message as Uint8Array<ArrayBuffer> | undefined,
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const body = new Uint8Array(await response.arrayBuffer());
  const isJson = response.headers.get('content-type') === 'application/json' && body.length > 0;
  const code = isJson ? String(JSON.parse(Buffer.from(body).toString()).error.code) : undefined;
  return { status: response.status, headers: response.headers, body, code };
}

export const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

export const get = (daemon: Daemon, message: Uint8Array): Promise<HttpAnswer> =>
  send(daemon, 'GET', `/dns-query?dns=${base64url(message)}`);

export const post = (daemon: Daemon, message: Uint8Array, type = DNS_MESSAGE): Promise<HttpAnswer> =>
  send(daemon, 'POST', '/dns-query', { 'content-type': type }, message);

/** `name` is absolute, with a trailing dot. `edns`: UDP size of an OPT record. */
export function question(name: string, type: number = TYPE.A, { id = 0, edns = 0 } = {}): Uint8Array {
  const opt = edns === 0 ? undefined : { version: 0, size: edns, do: false };
  return encodeQuery({ name: parseName(name), type, class: 1, edns: opt }, id);
}
