/**
 * CPU of the handler of a site, without connections: variants take turns, and each reports its
 * lowest round, because other work on the machine only adds.
 */
export interface Variant {
  readonly name: string;
  /** Serves a request from the cache. */
  readonly hit: () => void | Promise<void>;
  /** Serves a request from the origin. */
  readonly fetch: () => void | Promise<void>;
}

const ROUNDS = 15;
/** Requests of a round. */
const HITS = 100_000;
const FETCHES = 20_000;

/** CPU microseconds of one request. */
async function cpuOf(handle: () => void | Promise<void>, count: number): Promise<number> {
  const start = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    const handled = handle();
    if (handled !== undefined) await handled;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}

/** Prints a table. `what`: the heading of the names. */
export async function compareHandlers(what: string, variants: readonly Variant[]): Promise<void> {
  const lowest = variants.map(() => ({ hit: Number.POSITIVE_INFINITY, fetch: Number.POSITIVE_INFINITY }));
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, { hit, fetch }] of variants.entries()) {
      lowest[i].hit = Math.min(lowest[i].hit, await cpuOf(hit, HITS));
      lowest[i].fetch = Math.min(lowest[i].fetch, await cpuOf(fetch, FETCHES));
    }
  console.log(`| ${what} | cache hit, CPU µs | request to the origin, CPU µs |`);
  console.log('|---|---:|---:|');
  for (const [i, { name }] of variants.entries())
    console.log(`| ${name} | ${lowest[i].hit.toFixed(3)} | ${lowest[i].fetch.toFixed(2)} |`);
}
