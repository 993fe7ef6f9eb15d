/**
 * `node dist/bench/edge/attacks.js [--kind KIND] [--connections N] [--seconds N] [--bound MB]
 * [--main FILE]`: what clients that ask for much and read nothing cost the daemon, clients that
 * hold the connections to an origin its visitors, and what others notice of them. `--main`: the
 * daemon of another checkout, for comparing.
 */
import { type Hold, playAttack, quantile, type Unread } from '../../test/system/scenario/attack-stage.ts';
import { readOptions } from '../options.ts';

const KINDS: readonly (Unread | Hold)[] = ['shut', 'drip', 'deaf', 'http1', 'slow-get', 'slow-post'];
/** Connections of each kind, as an attacker with one address may open them by default. */
const CONNECTIONS: Readonly<Partial<Record<Unread | Hold, number>>> = { shut: 272, drip: 272, deaf: 272, http1: 900 };

const options = readOptions({
  command: 'node dist/bench/edge/attacks.js',
  about:
    'The memory of the daemon, and the latency of others, while clients ask for much and read nothing, or hold the connections to an origin.',
  options: {
    kind: {
      kind: 'choices',
      value: 'KIND',
      of: KINDS,
      help: 'shut windows, windows of a byte, TCP that is not read, HTTP/1.1; slow readers, slow uploads',
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

for (const kind of (options.kind as readonly (Unread | Hold)[] | undefined) ?? KINDS) {
  const { seconds = 20, bound, main, connections = CONNECTIONS[kind] } = options;
  const report = await playAttack({ kind, connections, seconds, after: seconds, bound, main });
  const { before, most, atEnd, after, group, overTime, visits, queries, refusals } = report;
  process.stdout.write(
    `${kind}, ${connections ?? 8} connections: origin ${report.originMost} at once; resident MB ${before} before, ${most} at most, ${atEnd} at its end, ${after} after ${seconds} s; ` +
      `${group === null ? '' : `group ${group.most} MB at most, ${group.kills} killed; `}` +
      `charged MB ${report.charged.map((figure) => figure?.toFixed(1) ?? '-').join(', ')}; ${report.isAlive ? 'alive' : 'DEAD'}; visitor ms ${shown(visits)}, ${refusals.length} refused of ${visits.length}; DNS ms ${shown(queries)} of ${queries.length}\n` +
      `  each second: ${overTime.join(' ')}\n`,
  );
}
