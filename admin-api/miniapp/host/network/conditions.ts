/** The network as a phone may have it, for the simulator. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface NetworkConditions {
  /** `offline`: no request leaves. `error`: each fails after the latency. */
  readonly mode: 'online' | 'offline' | 'slow' | 'error';
  /** Before each response, of `slow` and `error`. */
  readonly latencyMs?: number;
  /** Of `slow`. */
  readonly bytesPerSecond?: number;
}

export const ONLINE: NetworkConditions = { mode: 'online' };

/** Rejects when `signal` aborts. */
export async function waitForLatency({ mode, latencyMs = 0 }: NetworkConditions, signal: AbortSignal): Promise<void> {
  if (latencyMs > 0 && (mode === 'slow' || mode === 'error')) await sleep(latencyMs, undefined, { signal });
}

/** Waits for as long as the bytes are on their way. Rejects when `signal` aborts. */
export async function waitForBytes(
  { mode, bytesPerSecond = 0 }: NetworkConditions,
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  if (mode === 'slow' && bytesPerSecond > 0) await sleep((bytes / bytesPerSecond) * 1000, undefined, { signal });
}
