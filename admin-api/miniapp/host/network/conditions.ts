/** Simulated conditions of a phone's network. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface NetworkConditions {
  /** `offline`: no request is sent. `error`: each request fails after the latency. */
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

/** Waits for the transmission time of the bytes. Rejects when `signal` aborts. */
export async function waitForBytes(
  { mode, bytesPerSecond = 0 }: NetworkConditions,
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  if (mode === 'slow' && bytesPerSecond > 0) await sleep((bytes / bytesPerSecond) * 1000, undefined, { signal });
}
