/** Loads the program of the UDP threads ahead, while the rest of the start goes on. */
import { hasLittleMemory } from '../base/main-heap.ts';
import { type Config, memoryOf } from '../config/index.ts';
import { loadThreads } from '../os/early-threads.ts';

export const LOOP = new URL('./loop-worker.js', import.meta.url);

/** The threads allocate little, so it costs no CPU. */
export const SMALL_HEAP = { maxYoungGenerationSizeMb: 3 };

export const udpThreadName = (i: number): string => `udp ${i + 1}`;

export function loadUdpThreads(config: Config): void {
  const { transport, workers } = config.dns;
  if (transport === 'portable') return;
  const names = Array.from({ length: workers }, (_, i) => `dns ${udpThreadName(i)}`);
  loadThreads(LOOP, names, hasLittleMemory(memoryOf(config)) ? SMALL_HEAP : undefined);
}
