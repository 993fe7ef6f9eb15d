/**
 * `node dist/bench/edge/unread.js [--kind KIND] [--connections N] [--seconds N] [--bound MB] [--main FILE]`: what clients that ask for much and read nothing cost the
 * daemon, and what others notice of them. `--main`: the daemon of another checkout, for comparing.
 */
import { playUnread, quantile, type Unread } from '../../test/scenario/unread-stage.ts';
import { readOptions } from '../options.ts';

const KINDS: readonly Unread[] = ['shut', 'drip', 'deaf', 'http1'];
/** Connections of each kind, as an attacker with one address may open them by default. */
const CONNECTIONS: Readonly<Record<Unread, number>> = { shut: 272, drip: 272, deaf: 272, http1: 900 };

const options = readOptions({
  command: 'node dist/bench/edge/unread.js',
  about: 'The memory of the daemon, and the latency of others, while clients ask for much and read nothing.',
  options: {
    kind: {
      kind: 'choices',
      value: 'KIND',
      of: KINDS,
      help: 'shut windows, windows of a byte, TCP that is not read, HTTP/1.1',
    },
    connections: { kind: 'number', help: 'at one time' },
    seconds: { kind: 'number', help: 'that it lasts, and that are looked at afterwards' },
    bound: { kind: 'number', help: 'megabytes that the daemon may use, by a control group' },
    main: { kind: 'text', value: 'FILE', help: "another daemon's main.js" },
  },
});

const ms = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : 'none');
const shown = (times: readonly number[]): string =>
  `p50 ${ms(quantile(times, 0.5))} p99 ${ms(quantile(times, 0.99))} max ${ms(quantile(times, 1))}`;

for (const kind of (options.kind as readonly Unread[] | undefined) ?? KINDS) {
  const { seconds = 20, bound, main, connections = CONNECTIONS[kind] } = options;
  const report = await playUnread({ kind, connections, seconds, after: seconds, bound, main });
  const { before, most, atEnd, after, group, overTime, visits, queries, refusals } = report;
  process.stdout.write(
    `${kind}, ${connections} connections: resident MB ${before} before, ${most} at most, ${atEnd} at its end, ${after} after ${seconds} s; ` +
      `${group === null ? '' : `group ${group.most} MB at most, ${group.kills} killed; `}` +
      `charged MB ${report.charged.map((one) => one?.toFixed(1) ?? '-').join(', ')}; ${report.isAlive ? 'alive' : 'DEAD'}; visitor ms ${shown(visits)}, ${refusals.length} refused of ${visits.length}; DNS ms ${shown(queries)} of ${queries.length}\n` +
      `  each second: ${overTime.join(' ')}\n`,
  );
}
