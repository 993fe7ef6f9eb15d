/**
 * RFC 9113 section 6.8: how a connection ends without an error; and RFC 9218, priorities that may
 * be changed.
 */

import type { RawClient } from '../client.ts';
import {
  continuation,
  data,
  END_HEADERS,
  END_STREAM,
  frame,
  goaway,
  headers,
  resetStream,
  SETTING,
  settings,
  TYPE,
  uint32,
  windowUpdate,
} from '../frames.ts';
import { FIRST_DYNAMIC, indexed, literal } from '../hpack.ts';
import {
  answer,
  bodyOf,
  connectionError,
  GET,
  GET_LARGE,
  get,
  ignored,
  open,
  type Row,
  request,
  row,
  scene,
} from '../row.ts';
import { INDEX, LARGE_BYTES } from '../site.ts';

const HIGHEST = 0x7fff_ffff;
const needs = { needs: ['drain'] } as const;
const stalled = { settings: [[SETTING.INITIAL_WINDOW_SIZE, 0]] } as const;

const goawayOf = (client: RawClient, count: number): Promise<true> =>
  client.until(`GOAWAY ${count}`, () => client.goaways.length >= count || undefined);
const lastIds = (client: RawClient): string =>
  client.goaways.map((received) => `${received.lastStreamId} ${received.error}`).join();

const drain: readonly Row[] = [
  scene(
    '9113 6.8',
    'an idle connection: GOAWAY twice, then the end',
    async (client, { drain: startDrain }) => {
      startDrain?.(client);
      await client.closed();
      if (lastIds(client) !== `${HIGHEST} NO_ERROR,0 NO_ERROR`) throw new Error(client.transcript());
    },
    needs,
  ),
  scene(
    '9113 6.8',
    'streams that are open are finished, and those under way at the first GOAWAY',
    async (client, { drain: startDrain }) => {
      client.pausesPings = true;
      client.send(open(1));
      await client.roundTrip();
      startDrain?.(client);
      await goawayOf(client, 1);
      client.send(open(3));
      await client.roundTrip();
      client.answerPings();
      await goawayOf(client, 2);
      client.send(data(1, 'abc', END_STREAM), data(3, 'def', END_STREAM));
      await client.closed();
      if (lastIds(client) !== `${HIGHEST} NO_ERROR,3 NO_ERROR`) throw new Error(client.transcript());
      if (bodyOf(client.stream(1)) !== 'abc' || bodyOf(client.stream(3)) !== 'def')
        throw new Error(client.transcript());
    },
    needs,
  ),
  scene(
    '9113 6.8',
    'streams above the last are ignored, with all their frames',
    async (client, { drain: startDrain }) => {
      client.send(open(1));
      await client.roundTrip();
      startDrain?.(client);
      await goawayOf(client, 2);
      client.send(open(5), data(5, 'abc'), windowUpdate(5, 10), resetStream(5), get(7), data(7, 'late'));
      await client.roundTrip();
      client.send(data(1, 'abc', END_STREAM));
      await client.closed();
      if (bodyOf(client.stream(1)) !== 'abc' || client.goaways.length !== 2) throw new Error(client.transcript());
      if ([5, 7].some((id) => client.stream(id).blocks.length > 0)) throw new Error(client.transcript());
    },
    needs,
  ),
  scene(
    '9113 6.8',
    'their blocks still change the table',
    async (client, { drain: startDrain }) => {
      client.send(open(1));
      await client.roundTrip();
      startDrain?.(client);
      await goawayOf(client, 2);
      client.send(headers(5, literal('x', 'y', 'incremental')), headers(7, indexed(FIRST_DYNAMIC)));
      await client.roundTrip();
      client.send(data(1, 'abc', END_STREAM));
      await client.closed();
      if (client.goaways.length !== 2) throw new Error(client.transcript());
    },
    needs,
  ),
  scene(
    '9113 6.8',
    'a stream that waits for its window is finished',
    async (client, { drain: startDrain }) => {
      client.send(headers(1, GET_LARGE));
      await client.roundTrip();
      startDrain?.(client);
      await goawayOf(client, 2);
      client.send(windowUpdate(0, LARGE_BYTES), settings([SETTING.INITIAL_WINDOW_SIZE, LARGE_BYTES]));
      await client.closed();
      if (client.stream(1).bytes !== LARGE_BYTES || !client.stream(1).isEnded) throw new Error(client.transcript());
    },
    { ...needs, ...stalled },
  ),
  scene(
    '9113 6.8',
    'an error ends it still',
    async (client, { drain: startDrain }) => {
      client.send(open(1));
      await client.roundTrip();
      startDrain?.(client);
      await goawayOf(client, 2);
      client.send(frame(TYPE.PING, 0, 1, Buffer.alloc(8)));
      await client.closed();
      if (client.goaways.at(-1)?.error !== 'PROTOCOL_ERROR' || client.goaways.at(-1)?.lastStreamId !== 1)
        throw new Error(client.transcript());
    },
    needs,
  ),
];

const sudden: readonly Row[] = [
  scene(
    '9113 6.8',
    'a header block that is under way at the last GOAWAY',
    async (client, { drain: startDrain }) => {
      client.pausesPings = true;
      client.send(open(1));
      await client.roundTrip();
      startDrain?.(client);
      await goawayOf(client, 1);
      client.answerPings();
      client.send(headers(3, GET.subarray(0, 5), END_STREAM), continuation(3, GET.subarray(5)));
      await goawayOf(client, 2);
      client.send(data(1, 'abc', END_STREAM));
      await client.closed();
      if (bodyOf(client.stream(1)) !== 'abc' || client.goaways.length !== 2) throw new Error(client.transcript());
    },
    needs,
  ),
  scene(
    '9113 5.4.1',
    'an immediate end: GOAWAY with its code, and no stream continues',
    async (client, { destroy }) => {
      client.send(open(1), get(3));
      await client.answered(3);
      destroy?.(client, 'INTERNAL_ERROR');
      await client.closed();
      if (lastIds(client) !== '3 INTERNAL_ERROR') throw new Error(client.transcript());
    },
    needs,
  ),
];

const goaways: readonly Row[] = [
  scene(
    '9113 6.8',
    'GOAWAY of the client: the connection ends when nothing is open',
    async (client) => {
      // It tells of streams that a server opens; the client may go on (nginx serves that, too).
      client.send(open(1), goaway(0), get(3));
      await client.answered(3);
      await client.roundTrip();
      if (client.isClosed || client.goaways.length > 0) throw new Error(client.transcript());
      client.send(data(1, 'abc', END_STREAM));
      await goawayOf(client, 1);
      await client.closed();
      if (bodyOf(client.stream(1)) !== 'abc' || client.goaways.some(({ error }) => error !== 'NO_ERROR'))
        throw new Error(client.transcript());
    },
    needs,
  ),
  scene(
    '9113 6.8',
    'GOAWAY of a client that has nothing open ends the connection',
    async (client) => {
      client.send(get(1));
      await client.answered(1);
      client.send(goaway(0));
      await client.closed();
      if (lastIds(client) !== `${HIGHEST} NO_ERROR,1 NO_ERROR`) throw new Error(client.transcript());
    },
    needs,
  ),
  scene(
    '9113 6.8',
    'GOAWAY of a client before what it has just asked for: that is answered',
    async (client) => {
      client.send(goaway(0), get(1));
      await client.answered(1);
      await client.closed();
      if (lastIds(client) !== `${HIGHEST} NO_ERROR,1 NO_ERROR`) throw new Error(client.transcript());
    },
    needs,
  ),
  scene('9113 6.8', 'GOAWAY of the client: what is open is finished', async (client) => {
    client.send(open(1), get(3), goaway(0));
    await client.answered(3);
    client.send(data(1, 'abc', END_STREAM));
    const stream = await client.answered(1);
    if (bodyOf(stream) !== 'abc' || bodyOf(client.stream(3)) !== INDEX) throw new Error(client.transcript());
  }),
  scene('9113 6.8', 'GOAWAY of the client, twice, with debug data', async (client) => {
    client.send(open(1), goaway(HIGHEST, 0, 'soon'), goaway(0, 0, 'now'));
    client.send(data(1, 'abc', END_STREAM));
    if (bodyOf(await client.answered(1)) !== 'abc') throw new Error(client.transcript());
    if (client.goaways.some(({ error }) => error !== 'NO_ERROR')) throw new Error(client.transcript());
  }),
];

const update = (streamId: number, on: number, value: string): Buffer =>
  frame(TYPE.PRIORITY_UPDATE, 0, on, Buffer.concat([uint32(streamId), Buffer.from(value)]));
const protocolError = connectionError('PROTOCOL_ERROR');
const permits = { permits: [ignored()] };

const priorities: readonly Row[] = [
  row('9218 7.1', 'PRIORITY_UPDATE', answer(1, 'abc'), [open(1), update(1, 0, 'u=1, i'), data(1, 'abc', END_STREAM)]),
  row('9218 7.1', 'of an idle stream', answer(1, INDEX), [update(1, 0, 'u=7'), get(1)]),
  row('9218 7.1', 'of a closed stream', ignored(1), [open(1), resetStream(1), update(1, 0, 'u=7')]),
  row('9218 7.1', 'with a value that cannot be read', ignored(1), [open(1), update(1, 0, '\0,;;u=99="')]),
  row('9218 7.1', 'with a value of many bytes', ignored(1), [open(1), update(1, 0, 'u='.repeat(8000))]),
  row('9218 7.1', 'on a stream', protocolError, [open(1), update(1, 1, 'u=1')], permits),
  row('9218 7.1', 'of no stream', protocolError, [update(0, 0, 'u=1')], permits),
  row(
    '9218 7.1',
    'of 3 bytes',
    connectionError('FRAME_SIZE_ERROR'),
    [frame(TYPE.PRIORITY_UPDATE, 0, 0, Buffer.alloc(3))],
    permits,
  ),
  row('9218 5', 'the field priority', answer(1, INDEX), [headers(1, request({}, ['priority', 'u=0, i']))]),
  row('9218 5', 'one that cannot be read', answer(1, INDEX), [
    headers(1, request({}, ['priority', 'u=99;;=, i=?7'], ['priority', '"']), END_HEADERS | END_STREAM),
  ]),
  scene(
    '9218 10',
    'of two streams the more urgent one is sent first',
    async (client) => {
      const large = (streamId: number, value: string): Buffer =>
        headers(streamId, request({ ':path': '/large' }, ['priority', value]));
      client.send(large(1, 'u=5'), large(3, 'u=2'));
      client.send(settings([SETTING.INITIAL_WINDOW_SIZE, LARGE_BYTES]));
      // The window of the connection goes to one of them.
      await client.until('DATA', () => client.stream(1).bytes + client.stream(3).bytes >= 65_535 || undefined);
      if (client.stream(1).bytes > 0) throw new Error(client.transcript());
    },
    { ...stalled, needs: ['site'] },
  ),
];

export const ENDING: readonly Row[] = [...drain, ...sudden, ...goaways, ...priorities];
