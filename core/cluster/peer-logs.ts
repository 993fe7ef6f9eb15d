/** States of a domain's logs: each node delivers the logs of the requests that it serves. */
import type { NodeLogState } from '../site/logs/deliverer.ts';
import type { Member } from './members.ts';
import { type Answers, readFromPeer } from './peer-read.ts';
import type { PeerTls } from './peer-tls.ts';

/** Path of a peer's states; the id of a domain follows. */
export const LOGS_PATH = '/v1/logs/';

/** The state of a domain's logs on this node. */
export type OwnLogState = (domainId: number) => NodeLogState;

export type ReadLogStates = (domainId: number) => Promise<Answers<NodeLogState>>;

/** `stateOf`: undefined: this node delivers no logs. */
export const ownLogReader = (name: string, stateOf: OwnLogState | undefined, domainId: number) => ({
  name,
  async read() {
    if (stateOf === undefined) throw new Error('this node delivers no logs');
    return stateOf(domainId);
  },
});

export const peerLogReader = (peer: Member, tls: PeerTls, domainId: number) => ({
  name: peer.name,
  async read() {
    const state = await readFromPeer(peer, tls, `${LOGS_PATH}${domainId}`, 'states of logs');
    if (!isState(state)) throw new Error(`${peer.name} sent an invalid state of logs`);
    return { ...state, node: peer.name };
  },
});

const COUNTS = ['since', 'delivered_lines', 'delivered_batches', 'dropped_lines', 'waiting_lines', 'failures'];
const TIMES = ['last_delivered_at', 'last_error_at'];

function isState(value: unknown): value is NodeLogState {
  if (typeof value !== 'object' || value === null) return false;
  const state = value as Readonly<Record<string, unknown>>;
  const isCount = (name: string): boolean => Number.isSafeInteger(state[name]) && (state[name] as number) >= 0;
  return (
    COUNTS.every(isCount) &&
    TIMES.every((name) => state[name] === null || isCount(name)) &&
    (state.last_error === null || typeof state.last_error === 'string')
  );
}
