/**
 * One change after another to one zone, each watched until it is served: `node
 * dist/bench/api/changes.js URL TOKEN DOMAIN_ID ZONE DNS_PORT SECONDS [idle]`. With `idle` nothing
 * is changed and the watching goes on, so that queries can be measured with and without changes and
 * nothing else is different. Prints one line of JSON (ChangesResult).
 */
import { Pool } from 'undici';
import { Probe } from '../dns/probe.ts';

export interface ChangesResult {
  /** Milliseconds from when the request was sent until a UDP answer had the change. */
  readonly create: number[];
  readonly update: number[];
  readonly delete: number[];
}

const [url, token, domainId, zone, dnsPort, seconds, idle] = process.argv.slice(2);
/** The watch asks again after so many milliseconds: the figures are too high by half of it. */
const WATCH_MS = 1;
const LIMIT_MS = 10_000;
const NXDOMAIN = 3;

const pool = new Pool(url, { connections: 1, pipelining: 1 });
const probe = new Probe(Number(dnsPort));
const RECORDS = `/api/v1/domains/${domainId}/records`;
const result: ChangesResult = { create: [], update: [], delete: [] };
const pause = () => new Promise((resolve) => setTimeout(resolve, WATCH_MS));

async function call(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<string> {
  const answer = await pool.request({
    method,
    path,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return text;
}

/** Makes the change and asks for `name` meanwhile, until `served`. Returns the API's answer. */
async function watched(
  times: number[],
  name: string,
  make: () => Promise<string>,
  served: (answer: Buffer) => boolean,
): Promise<string> {
  const began = performance.now();
  const answered = make();
  // Awaited below; until then a rejection must not end the process.
  answered.catch(() => {});
  for (;;) {
    const answer = await probe.ask(name, 200);
    if (answer !== null && served(answer)) break;
    if (performance.now() - began > LIMIT_MS) {
      await answered;
      throw new Error(`A change of ${name} is not served after ${LIMIT_MS / 1000} s.`);
    }
    await pause();
  }
  times.push(performance.now() - began);
  return answered;
}

const holds = (last: number) => (answer: Buffer) =>
  (answer[3] & 15) === 0 && answer.readUInt16BE(6) === 1 && answer[answer.length - 1] === last;
const record = (name: string, last: number) => ({ name, type: 'A', content: `198.51.100.${last}`, ttl: 300 });

const end = performance.now() + Number(seconds) * 1000;
for (let i = 0; performance.now() < end; i++) {
  if (idle === 'idle') {
    await probe.ask(`h${i % 1000}.${zone}`, 200);
    await pause();
    continue;
  }
  const label = `change${i}`;
  const name = `${label}.${zone}`;
  const created = await watched(result.create, name, () => call('POST', RECORDS, record(label, 1)), holds(1));
  const path = `${RECORDS}/${/"record":\{"id":(\d+)/.exec(created)?.[1]}`;
  await watched(result.update, name, () => call('PUT', path, record(label, 2)), holds(2));
  await watched(
    result.delete,
    name,
    () => call('DELETE', path),
    (answer) => (answer[3] & 15) === NXDOMAIN,
  );
}
probe.close();
await pool.close();
process.stdout.write(`${JSON.stringify(result)}\n`);
