/**
 * Reloads the configuration of a running daemon: checks it, applies what is reloadable, and records
 * the outcome for "waypost reload".
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log/index.ts';
import { replacePrivateFile } from '../base/private-file.ts';
import type { Applied, LiveConfig } from './live.ts';
import type { ResolvedConfig } from './load.ts';
import type { Config } from './schema.ts';

/** Path in the data folder. */
const OUTCOME_FILE = 'reload.json';

/** The outcome of the last reload. */
export interface ReloadOutcome extends Applied {
  /** The process, and how many of its reloads have ended with this one. */
  readonly pid: number;
  readonly count: number;
  /** Why the reload failed; null: it did not. */
  readonly error: string | null;
}

interface ReloaderOptions {
  readonly live: LiveConfig;
  readonly log: Logger;
  /** Reads file and environment as at the start. Throws ConfigError. */
  readonly read: () => ResolvedConfig;
  /** Rejects with ConfigError if a start would. */
  readonly check: (config: Config) => Promise<void>;
  /** Applies what depends on files, such as certificates, even if no setting has changed. */
  readonly finish: () => Promise<void>;
}

export class Reloader {
  #count = 0;

  constructor(private readonly options: ReloaderOptions) {}

  /** Never rejects. */
  async run(): Promise<void> {
    const { live, log } = this.options;
    let outcome: Applied & { readonly error: string | null };
    try {
      outcome = { ...(await this.#reload()), error: null };
      const { applied, needRestart } = outcome;
      if (needRestart.length > 0) log.warn('changed settings need a restart', { settings: needRestart.join(', ') });
      log.info('reloaded', { settings: applied.join(', ') || 'none changed' });
    } catch (error) {
      const { message } = error as Error;
      outcome = { applied: [], needRestart: [], error: message };
      if (error instanceof ConfigError)
        log.error('the new configuration is invalid; the previous one stays', { reason: message });
      else log.error('reload failed; the current threads keep running', { error });
    }
    try {
      this.#count++;
      const record: ReloadOutcome = { pid: process.pid, count: this.#count, ...outcome };
      replacePrivateFile(join(live.config.dataDir, OUTCOME_FILE), JSON.stringify(record));
    } catch (error) {
      log.warn('cannot record the outcome of the reload', { reason: (error as Error).message });
    }
  }

  async #reload(): Promise<Applied> {
    const { live, read, check, finish } = this.options;
    const next = read();
    await check(next.config);
    const applied = await live.apply(next);
    await finish();
    return applied;
  }
}

/** The outcome of the last reload; null: there is none, or it cannot be read. */
export function readReloadOutcome(dataDir: string): ReloadOutcome | null {
  try {
    return JSON.parse(readFileSync(join(dataDir, OUTCOME_FILE), 'utf8')) as ReloadOutcome;
  } catch {
    return null;
  }
}
