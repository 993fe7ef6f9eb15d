/** The clock, against the kernel's time service, etcd and the other nodes. */
import { Agent } from 'undici';
import { etcdSettings, peerTls } from '../../../core/cluster/files.ts';
import { peerAgent } from '../../../core/cluster/peer-agent.ts';
import { type KernelClock, readKernelClock } from '../../../core/os/clocks.ts';
import { type AnyCheck, check, failure, NotChecked, ok, type Verdict, warning } from './check.ts';
import type { Context } from './context.ts';

const SET_CLOCK = 'sudo timedatectl set-ntp true   # or: sudo apt-get install chrony';
/** TSIG accepts 300 seconds (RFC 8945 10). */
const WARN_MS = 1000;
const ERROR_MS = 30_000;

export const synchronised = check<KernelClock>({
  id: 'clock.synchronised',
  why: 'DNSSEC signatures, TSIG, one-time codes and certificates depend on the right time.',
  read() {
    const clock = readKernelClock();
    if (clock === null) throw new NotChecked('this system does not report the state of its clock');
    return clock;
  },
  judge({ isSynchronised, maxErrorMs }) {
    if (!isSynchronised) return warning('no time service keeps the clock in step', SET_CLOCK);
    const found = `in step, with an error of at most ${Math.round(maxErrorMs)} ms`;
    return maxErrorMs > WARN_MS ? warning(found, 'timedatectl timesync-status') : ok(found);
  },
});

interface OffsetReading {
  readonly server: string;
  /** Milliseconds by which this clock is ahead; negative: behind. Null: no response. */
  readonly offset: number | null;
  /** Duration of the request in milliseconds; the offset is accurate to this plus one second. */
  readonly roundTrip: number;
}

function judgeOffset({ server, offset, roundTrip }: OffsetReading): Verdict {
  if (offset === null)
    return { severity: 'note', found: 'no answer, so the clocks were not compared', subject: server };
  const excess = Math.max(0, Math.abs(offset) - roundTrip - WARN_MS);
  const seconds = (Math.abs(offset) / 1000).toFixed(1);
  const found = `this clock is ${seconds} s ${offset < 0 ? 'behind' : 'ahead'}`;
  if (excess > ERROR_MS) return failure(found, SET_CLOCK, server);
  if (excess > WARN_MS) return warning(found, SET_CLOCK, server);
  return ok('the clocks agree to 2 s', server);
}

/** Timeout of a request, in milliseconds. */
const REQUEST_MS = 3000;

/** Adds half a second, because a Date field has a resolution of one second. */
async function readOffset(server: string, url: string, dispatcher: Agent): Promise<OffsetReading> {
  const { origin, pathname } = new URL(url);
  const begin = Date.now();
  try {
    const signal = AbortSignal.timeout(REQUEST_MS);
    const { headers, body } = await dispatcher.request({ origin, path: pathname, method: 'GET', signal });
    const roundTrip = Date.now() - begin;
    body.on('error', () => {}).destroy();
    const date = Date.parse(String(headers.date));
    const offset = Number.isNaN(date) ? null : begin + roundTrip / 2 - (date + 500);
    return { server, offset, roundTrip };
  } catch {
    return { server, offset: null, roundTrip: Date.now() - begin };
  } finally {
    await dispatcher.destroy();
  }
}

export const etcdClock = check<readonly OffsetReading[]>({
  id: 'clock.etcd',
  why: 'Clocks that differ make the nodes of a cluster judge signatures and leases differently.',
  read(context) {
    context.requireCluster();
    const { endpoints, tls } = etcdSettings(context.config);
    const connect = tls && { ca: tls.ca, cert: tls.certificate, key: tls.key };
    return Promise.all(endpoints.map((url) => readOffset(url, `${url}/health`, new Agent({ connect }))));
  },
  judge: (offsets) => offsets.map(judgeOffset),
});

export const peerClocks = check<readonly OffsetReading[]>({
  id: 'clock.peers',
  why: 'A node whose clock is wrong signs zones with wrong times.',
  async read(context: Context) {
    const { nodes } = await context.cluster();
    const tls = peerTls(context.config);
    const others = nodes.filter(({ name }) => name !== context.config.nodeName);
    return Promise.all(
      others.map((node) =>
        readOffset(node.name, `https://${node.address}/v1/applied`, peerAgent(node, tls, { connect: REQUEST_MS })),
      ),
    );
  },
  judge: (offsets) => (offsets.length === 0 ? ok('there are no other nodes') : offsets.map(judgeOffset)),
});

export const CLOCK_CHECKS: readonly AnyCheck[] = [synchronised, etcdClock, peerClocks];
