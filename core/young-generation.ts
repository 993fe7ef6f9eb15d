import { setFlagsFromString } from 'node:v8';

/** What the daemon is started with, by npm start and the unit of systemd, too. */
export const YOUNG_GENERATION = '--max-semi-space-size=64';

/**
 * The daemon is started with a larger young generation (`--max-semi-space-size`), since the requests under way live through each collection of the usual one and are copied. That is for
 * the main thread; V8 would give it to every thread that is started later, beyond the limits which some are given. To be called before the first.
 */
export function keepYoungGenerationToMain(): void {
  setFlagsFromString('--max-semi-space-size=0');
}
