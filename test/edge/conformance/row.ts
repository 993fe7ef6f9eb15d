/**
 * A row of the table: what a client does, and what must come of it. Rows know no server; they run
 * against any that has the handler of `site.ts`.
 */
import { type Address, type ClientOptions, RawClient, type Stream } from './client.ts';
import { END_HEADERS, END_STREAM, type ErrorName, headers, ping } from './frames.ts';
import { block, type Line } from './hpack.ts';

/** Its outcome. */
export type Outcome =
  /** GOAWAY with this error, and the connection ended; `end`: it ended without one. */
  | { readonly scope: 'connection'; readonly error: string }
  | { readonly scope: 'stream'; readonly error: string }
  | { readonly scope: 'answer'; readonly status: string; readonly body: string }
  /** The frame was taken without a word. */
  | { readonly scope: 'silence' };

export interface Expectation {
  /** The stream that it is about; 0: none. */
  readonly streamId: number;
  readonly scope: Outcome['scope'];
  readonly text: string;
  readonly holds: (outcome: Outcome) => boolean;
}

/** The world in which a row runs. */
export interface Target {
  readonly address: Address;
  /** Lets the server stop this client's connection gracefully; only ours can. */
  readonly drain?: (client: RawClient) => void;
  /** Ends it at once, with this error code. */
  readonly destroy?: (client: RawClient, error: ErrorName) => void;
}

/**
 * `site`: more than the paths `/`, `/echo` and `/large`. `limited`: a number of streams.
 * `backpressure`: a body is not taken before it is read.
 */
export type Need = 'site' | 'limited' | 'backpressure' | 'drain' | 'extended-connect';

export interface RowOptions extends ClientOptions {
  readonly needs?: readonly Need[];
  /** False: the bytes of the row are the first ones. */
  readonly handshake?: boolean;
  /** What else the RFC permits; ours has to do what is expected first. */
  readonly permits?: readonly Expectation[];
}

export interface Row {
  /** RFC and section, such as "9113 6.9.1". */
  readonly section: string;
  readonly says: string;
  readonly needs: readonly Need[];
  /**
   * Throws an Error that says what was received instead. `isLenient`: what is permitted is as good
   * as what is expected.
   */
  readonly run: (target: Target, isLenient: boolean) => Promise<void>;
}

type Send = readonly Buffer[] | ((client: RawClient) => readonly Buffer[] | Promise<readonly Buffer[]>);

/**
 * One expectation of one stream or of the connection, after which the connection is ended or works.
 */
export function row(section: string, says: string, expected: Expectation, send: Send, options: RowOptions = {}): Row {
  return scene(
    section,
    says,
    async (client, _target, isLenient) => {
      client.send(...(typeof send === 'function' ? await send(client) : send));
      client.acknowledge();
      const permitted = [expected, ...(options.permits ?? [])];
      const outcome = await observe(client, permitted, isLenient);
      const accepted = isLenient ? permitted : [expected];
      if (!accepted.some((expectation) => expectation.holds(outcome)) && !(isLenient && mayBeWider(expected, outcome)))
        throw new Error(`Expected ${expected.text}, got ${describe(outcome)}. ${client.transcript()}`);
      if (outcome.scope !== 'connection') await works(client);
    },
    options,
  );
}

/** Anything longer. `play` throws what is wrong; after it, violations of any row are looked for. */
export function scene(
  section: string,
  says: string,
  play: (client: RawClient, target: Target, isLenient: boolean) => Promise<void>,
  options: RowOptions = {},
): Row {
  return {
    section,
    says,
    needs: options.needs ?? [],
    async run(target, isLenient) {
      const client = await RawClient.connect(target.address, options);
      try {
        if (options.handshake !== false) await client.handshake();
        await play(client, target, isLenient);
        if (client.violations.length > 0)
          throw new Error(`The server sent ${client.violations.join(', ')}. ${client.transcript()}`);
      } finally {
        client.destroy();
      }
    },
  };
}

const CHECK_STREAM = 0x10001;

/**
 * A request on a new stream is answered: neither the connection nor the state of its header
 * compression has suffered.
 */
export async function works(client: RawClient, streamId = CHECK_STREAM): Promise<void> {
  // HEAD needs no window, and adds nothing to the table.
  client.send(headers(streamId, request({ ':method': 'HEAD' })));
  const stream = await client.answered(streamId);
  const status = statusOf(stream);
  if (status !== '200') throw new Error(`The connection does not work afterwards: ${status}. ${client.transcript()}`);
  if (client.goaways.length > 0) throw new Error(`The connection is told to end. ${client.transcript()}`);
}

export const statusOf = (stream: Stream): string =>
  stream.blocks.at(0)?.find(([name]) => name === ':status')?.[1] ?? '';
export const bodyOf = (stream: Stream): string => Buffer.concat(stream.data).toString('latin1');

/**
 * RFC 9113 section 5.4: any stream error may be treated as one of the connection; a malformed
 * request may get 400 first (section 8.1.1).
 */
function mayBeWider(expected: Expectation, outcome: Outcome): boolean {
  if (expected.scope === 'stream' && outcome.scope === 'connection') return true;
  if (expected.scope === 'connection') return outcome.scope === 'connection' && outcome.error === 'end';
  return expected.scope === 'stream' && outcome.scope === 'answer' && outcome.status === '400';
}

/** What comes first of all that may be. The first of `possible` is what is expected. */
async function observe(client: RawClient, possible: readonly Expectation[], isLenient: boolean): Promise<Outcome> {
  if (possible.some(({ scope }) => scope === 'silence')) client.send(ping(SILENCE));
  const outcome = await client.until('any outcome', () => {
    for (const [i, { streamId, scope }] of possible.entries()) {
      const isAnswerable = scope === 'answer' || (scope === 'stream' && i === 0);
      const found = seen(client, streamId, scope === 'silence', isAnswerable);
      if (found !== undefined) return found;
    }
    return ended(client);
  });
  // Who says that it ends the connection may take its time.
  if (outcome.scope === 'connection' && !isLenient) await client.closed();
  return outcome;
}

const SILENCE = Buffer.from('silence?');

function seen(client: RawClient, streamId: number, isSilence: boolean, isAnswerable: boolean): Outcome | undefined {
  const goaway = client.goaways.find(({ error }) => error !== 'NO_ERROR');
  if (goaway !== undefined) return { scope: 'connection', error: goaway.error };
  const stream = client.stream(streamId);
  if (stream.resetBy !== undefined) return { scope: 'stream', error: stream.resetBy };
  if (stream.isEnded && isAnswerable) return { scope: 'answer', status: statusOf(stream), body: bodyOf(stream) };
  const isTaken = isSilence && client.frames.some(({ payload }) => payload.equals(SILENCE));
  return isTaken ? { scope: 'silence' } : undefined;
}

const ended = (client: RawClient): Outcome | undefined =>
  client.isClosed ? { scope: 'connection', error: 'end' } : undefined;

function describe(outcome: Outcome): string {
  switch (outcome.scope) {
    case 'answer':
      return `${outcome.status} ${JSON.stringify(outcome.body.slice(0, 60))}`;
    case 'silence':
      return 'silence';
    default:
      return `${outcome.error} of the ${outcome.scope}`;
  }
}

const failure =
  (scope: 'connection' | 'stream', streamId: number) =>
  (...errors: readonly ErrorName[]): Expectation => ({
    streamId,
    scope,
    text: `${errors.join(' or ')} of the ${scope}`,
    holds: (outcome) => outcome.scope === scope && (errors as readonly string[]).includes(outcome.error),
  });

export const connectionError = failure('connection', 0);
export const streamError = (streamId: number, ...errors: readonly ErrorName[]): Expectation =>
  failure('stream', streamId)(...errors);
export const malformed = streamError(1, 'PROTOCOL_ERROR');

/** No answer to it, and nothing changes. `streamId`: one that must not be reset. */
export const ignored = (streamId = 0): Expectation => ({
  streamId,
  scope: 'silence',
  text: 'silence',
  holds: (outcome) => outcome.scope === 'silence',
});

/** A complete response. */
export const answer = (streamId: number, body?: string, status = '200'): Expectation => ({
  streamId,
  scope: 'answer',
  text: `${status} ${JSON.stringify(body ?? 'whatever')}`,
  holds: (outcome) =>
    outcome.scope === 'answer' && outcome.status === status && (body === undefined || outcome.body === body),
});

/** In the order in which they are sent. */
const PSEUDO = { ':method': 'GET', ':scheme': 'https', ':authority': 'conformance.test', ':path': '/' };

/**
 * Pseudo-headers of a request: those named here in the place of the usual ones, and `null` for
 * none.
 */
export function requestLines(pseudo: Readonly<Record<string, string | null>> = {}, ...lines: readonly Line[]): Line[] {
  const all = Object.entries({ ...PSEUDO, ...pseudo });
  return [...all.flatMap(([name, value]): Line[] => (value === null ? [] : [[name, value]])), ...lines];
}

/** The block of a request. */
export const request = (pseudo: Readonly<Record<string, string | null>> = {}, ...lines: readonly Line[]): Buffer =>
  block(requestLines(pseudo, ...lines));

export const GET = request();
/**
 * Without END_STREAM the stream stays open: it answers with what it is sent, once that has ended.
 */
export const POST = request({ ':method': 'POST', ':path': '/echo' });
/** More than any window that a client has by default. */
export const GET_LARGE = request({ ':path': '/large' });

export const get = (streamId: number): Buffer => headers(streamId, GET, END_HEADERS | END_STREAM);
/** Opens a stream and leaves it open. */
export const open = (streamId: number): Buffer => headers(streamId, POST, END_HEADERS);
