/**
 * Loaded into the daemon of `flood.ts` by `node --import`: writes down how many requests of the
 * flooded site can have begun while one of the visited site waited, for the folder FLOOD_DIST of
 * the daemon's program, to the file FLOOD_RECORDS.
 *
 * A request is taken up in a turn of the loop, and has arrived during the turn before at the
 * earliest: counted is from the begin of that one. Other than a time, the count is the same
 * whatever else the machine does, and however fast the clients are.
 */
import { appendFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const { FLOOD_DIST: dist = '', FLOOD_RECORDS: records = '', FLOOD_OTHER: other } = process.env;
/** Lines that are written at once. */
const LINES = 20;

interface Class {
  readonly prototype: object;
}
type Method = (...args: unknown[]) => unknown;

const load = (path: string): Promise<{ readonly [name: string]: Class }> =>
  import(pathToFileURL(`${dist}/${path}`).href);

/** `before` is called before each call of a method, with its arguments. */
function observe({ prototype }: Class, name: string, before: Method): void {
  const method = Reflect.get(prototype, name) as Method;
  Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
    before(...args);
    return method.apply(this, args);
  });
}

if (!isMainThread) {
  const { TcpCalls } = await load('core/os/tcp-calls.js');
  const { Sites } = await load('edge/sites/sites.js');
  const lines: string[] = [];
  /** Requests of the flooded site: now, when this turn began, and when the one before did. */
  let [requests, turn, before] = [0, 0, 0];
  observe(TcpCalls, 'wait', () => {
    before = turn;
    turn = requests;
  });
  observe(Sites, 'siteOf', (host) => {
    if (host !== other) {
      requests++;
      return;
    }
    lines.push(`${process.hrtime.bigint() / 1000n} ${requests - before}\n`);
    if (lines.length === LINES) appendFileSync(records, lines.splice(0).join(''));
  });
}
