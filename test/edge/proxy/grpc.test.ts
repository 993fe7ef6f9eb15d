/** A gRPC client and a gRPC server with the edge between them, HTTP/2 on both sides. */
import {
  type Client,
  credentials,
  type Deadline,
  Metadata,
  makeClientConstructor,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createOriginClient } from '../../../edge/origin/client.ts';
import { createMultiplexer } from '../../../edge/origin/http2/multiplexer.ts';
import type { Origin } from '../../../edge/origin/origin-address.ts';
import { timeoutOf } from '../../../edge/proxy/grpc.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import type { ExchangeRecord } from '../../../edge/proxy/record.ts';
import { freePort } from '../../support/ports.ts';
import { until } from '../../support/until.ts';
import { withRig } from '../http/exchange/rig.ts';

const bytes = (message: Buffer): Buffer => message;
const method = (path: string, requestStream: boolean, responseStream: boolean) => ({
  ...{ path: `/test.Echo/${path}`, requestStream, responseStream },
  ...{ requestSerialize: bytes, requestDeserialize: bytes, responseSerialize: bytes, responseDeserialize: bytes },
});
const SERVICE = {
  unary: method('Unary', false, false),
  collect: method('Collect', true, false),
  list: method('List', false, true),
  chat: method('Chat', true, true),
};

/** Cancelled calls of the server, and unary calls that wait there. */
let cancelled = 0;
let waiting = 0;

/** The message names what is done: `fail`, `wait`, or it is returned. */
const IMPLEMENTATION = {
  unary(call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void {
    const text = `${call.request}`;
    call.on('cancelled', () => cancelled++);
    if (text === 'wait') {
      waiting++;
      return;
    }
    const trailers = new Metadata();
    trailers.set('x-end', 'trailer');
    if (text === 'fail') {
      reply({ code: status.FAILED_PRECONDITION, details: 'not now: 100 % “sure”', metadata: trailers });
      return;
    }
    const head = new Metadata();
    head.set('x-head', String(call.metadata.get('x-asked')[0]));
    call.sendMetadata(head);
    reply(null, call.request, trailers);
  },
  collect(call: ServerReadableStream<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void {
    const parts: Buffer[] = [];
    call.on('data', (part: Buffer) => parts.push(part));
    call.on('end', () => reply(null, Buffer.concat(parts)));
  },
  list(call: ServerWritableStream<Buffer, Buffer>): void {
    call.on('cancelled', () => cancelled++);
    const [count, end] = `${call.request}`.split(' ');
    for (let i = 0; i < Number(count); i++) call.write(Buffer.from(`${i}`));
    if (end === 'fail') call.emit('error', { code: status.DATA_LOSS, details: 'lost' });
    else if (end !== 'open') call.end();
  },
  chat(call: ServerDuplexStream<Buffer, Buffer>): void {
    call.on('data', (part: Buffer) => call.write(part));
    call.on('end', () => call.end());
  },
};

type Reply = (error: ServiceError | null, message?: Buffer) => void;
interface EchoClient extends Client {
  unary(message: Buffer, metadata: Metadata, options: { deadline?: Deadline }, reply: Reply): Call;
  collect(reply: Reply): Call;
  list(message: Buffer): Call;
  chat(): Call;
}
interface Call {
  on(event: 'data', listener: (part: Buffer) => void): Call;
  on(event: 'error', listener: (error: ServiceError) => void): Call;
  on(event: 'end' | 'close', listener: () => void): Call;
  on(event: 'status' | 'metadata', listener: (its: Metadata & { metadata: Metadata }) => void): Call;
  write(part: Buffer): void;
  end(): void;
  cancel(): void;
}

async function withEcho(
  work: (client: EchoClient, records: ExchangeRecord[], server: Server) => Promise<void>,
  options: Partial<Origin> = {},
): Promise<void> {
  const server = new Server();
  server.addService(SERVICE, IMPLEMENTATION);
  const port = await new Promise<number>((done, fail) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, at) =>
      error ? fail(error) : done(at),
    ),
  );
  const origins = createOriginClient({ exemptions: true, multiplex: createMultiplexer });
  const records: ExchangeRecord[] = [];
  const proxy = createSiteProxy({ fetch: origins.fetch, onDone: (record) => records.push(record) }).serve;
  const site = {
    ...{ domainId: 'd', domain: 'site.test', hasCertificate: false, hsts: '', documents: null },
    origin: { host: '127.0.0.1', port, protocol: 'http', version: 'h2c', ...options } as Origin,
  };
  try {
    await withRig(
      'h2c',
      (exchange) => proxy(exchange, site),
      async (rig) => {
        const client = new (makeClientConstructor(SERVICE, 'Echo'))(
          `127.0.0.1:${rig.port}`,
          credentials.createInsecure(),
          { 'grpc.default_authority': 'site.test', 'grpc.enable_retries': 0 },
        ) as unknown as EchoClient;
        try {
          await work(client, records, server);
        } finally {
          client.close();
        }
      },
    );
  } finally {
    await origins.close();
    server.forceShutdown();
  }
}

interface Outcome {
  readonly code: number;
  readonly details: string;
  readonly text: string;
  readonly head: string;
  readonly end: string;
}

function askUnary(
  client: EchoClient,
  text: string | Buffer,
  deadline?: number,
  onCall?: (call: Call) => void,
): Promise<Outcome> {
  return new Promise((done) => {
    const metadata = new Metadata();
    metadata.set('x-asked', 'yes');
    let head = '';
    let end = '';
    let outcome: [ServiceError | null, Buffer | undefined];
    const options = deadline === undefined ? {} : { deadline: Date.now() + deadline };
    const call = client.unary(Buffer.from(text as string), metadata, options, (error, message) => {
      outcome = [error, message];
    });
    call.on('metadata', (its) => {
      head = String(its.get('x-head')[0] ?? '');
    });
    call.on('status', (its) => {
      end = String(its.metadata.get('x-end')[0] ?? '');
      setImmediate(() => {
        const [error, message] = outcome;
        done({ code: error?.code ?? 0, details: error?.details ?? '', text: `${message ?? ''}`, head, end });
      });
    });
    onCall?.(call);
  });
}

/** The parts of a stream of responses, and the code that it ended with. */
const partsOf = (call: Call): Promise<{ parts: string[]; code: number }> =>
  new Promise((done) => {
    const parts: string[] = [];
    call.on('data', (part) => parts.push(`${part}`));
    call.on('end', () => done({ parts, code: 0 }));
    call.on('error', ({ code }) => done({ parts, code }));
  });

test('unary, with fields and trailers both ways, and an error in trailers', () =>
  withEcho(async (client, records) => {
    assert.equal(await askUnary(client, 'ok'), { code: 0, details: '', text: 'ok', head: 'yes', end: 'trailer' });
    const large = Buffer.alloc(1_000_000, 'a');
    assert.is((await askUnary(client, large)).text.length, large.length);
    const failed = await askUnary(client, 'fail');
    assert.equal([failed.code, failed.details, failed.end], [9, 'not now: 100 % “sure”', 'trailer']);
    await until(() => records.length === 3, 'all are recorded');
    assert.ok(records.every(({ status: its, cache, isWhole }) => its === 200 && cache === 'none' && isWhole));
  }));

test('streams of requests, of responses, and both at the same time', () =>
  withEcho(async (client) => {
    const collected = await new Promise((done) => {
      const call = client.collect((error, message) => done(error ?? `${message}`));
      for (const text of ['a', 'b', 'c']) call.write(Buffer.from(text));
      call.end();
    });
    assert.is(collected, 'abc');
    assert.equal(await partsOf(client.list(Buffer.from('3'))), { parts: ['0', '1', '2'], code: 0 });
    assert.equal(await partsOf(client.list(Buffer.from('2 fail'))), { parts: ['0', '1'], code: status.DATA_LOSS });

    const chat = client.chat();
    const answers: string[] = [];
    let isOver = false;
    chat.on('data', (part) => answers.push(`${part}`));
    chat.on('end', () => {
      isOver = true;
    });
    // Each message is answered before the next is sent: nothing is buffered on the way.
    for (const text of ['one', 'two', 'three']) {
      chat.write(Buffer.from(text));
      await until(() => answers.at(-1) === text, `${text} came back`);
    }
    chat.end();
    await until(() => isOver, 'both have ended');
  }));

test('a client that cancels, before the response and within a stream of them', () =>
  withEcho(async (client) => {
    cancelled = 0;
    waiting = 0;
    const { code } = await askUnary(client, 'wait', undefined, (stream) => {
      void until(() => waiting === 1, 'the origin has it').then(() => stream.cancel());
    });
    assert.is(code, status.CANCELLED);
    await until(() => cancelled === 1, 'the origin knows');
    const call = client.list(Buffer.from('2 open'));
    const parts: string[] = [];
    call.on('data', (part) => parts.push(`${part}`));
    call.on('error', () => {});
    await until(() => parts.length === 2, 'both came');
    call.cancel();
    await until(() => cancelled === 2, 'the origin knows');
  }));

test('a deadline of the client', () =>
  withEcho(async (client) => {
    cancelled = 0;
    assert.is((await askUnary(client, 'wait', 100)).code, status.DEADLINE_EXCEEDED);
    await until(() => cancelled === 1, 'the origin knows');
  }));

test('an origin that stops, and one that is not there', () =>
  withEcho(async (client, _, server) => {
    const call = client.list(Buffer.from('1 open'));
    const parts = partsOf(call);
    await new Promise<void>((done) => call.on('data', () => done()));
    server.forceShutdown();
    assert.is((await parts).code !== 0, true);
    const { code, details } = await askUnary(client, 'ok');
    assert.is(code, status.UNAVAILABLE);
    assert.match(details, /does not accept connections/);
  }));

test('an origin that is asked over HTTP/1.1 gets no gRPC', () =>
  withEcho(
    async (client) => {
      const { code, details } = await askUnary(client, 'ok');
      assert.is(code, status.UNIMPLEMENTED);
      assert.match(details, /version of the origin/);
    },
    { version: '1.1' },
  ));

test('an address that is refused by rule', async () =>
  withEcho(async (client) => assert.is((await askUnary(client, 'ok')).code, status.UNAVAILABLE), {
    port: await freePort(),
  }));

test('grpc-timeout is read in each unit', () => {
  const rows: readonly (readonly [string, number | undefined])[] = [
    ['1S', 1000],
    ['5m', 5],
    ['1u', 1],
    ['100n', 1],
    ['2M', 120_000],
    ['1H', 3_600_000],
    ['99999999H', 359_999_996_400_000],
    ['123456789S', undefined],
    ['1s', undefined],
    ['S', undefined],
    ['', undefined],
  ];
  for (const [value, expected] of rows) assert.is(timeoutOf(['grpc-timeout', value]), expected, value);
  assert.is(timeoutOf([]), undefined);
});

test.run();
