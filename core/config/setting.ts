/** The type of a setting, and its constructors for the tables of settings. */
import { availableParallelism, totalmem } from 'node:os';
import type { Kind } from './kinds.ts';

export interface Setting<T> {
  readonly kind: Kind<T>;
  /** Called when neither the file nor the environment has the setting. */
  standard(): T;
  /**
   * The default in words, if it depends on the machine or on other settings. config/waypost.toml
   * then shows `example`.
   */
  readonly standardText?: string;
  readonly example?: string;
  readonly doc: string;
  /** Never printed, not even in error messages. */
  readonly secret: boolean;
  /** Whether a reload applies a changed value. Otherwise it needs a restart. */
  readonly isReloadable?: boolean;
  /** Whether its value is the path of a file that is read again at a reload. */
  readonly isFile?: boolean;
}

export interface Section<S> {
  readonly doc: string;
  readonly settings: S;
}

export function setting<T>(kind: Kind<T>, standard: T, doc: string): Setting<T> {
  return { kind, standard: () => standard, doc, secret: false };
}

export function computed<T>(
  kind: Kind<T>,
  standard: () => T,
  standardText: string,
  example: string,
  doc: string,
): Setting<T> {
  return { kind, standard, standardText, example, doc, secret: false };
}

export function optional<T>(kind: Kind<T>, standardText: string, example: string, doc: string): Setting<T | undefined> {
  return { kind, standard: () => undefined, standardText, example, doc, secret: false };
}

/** Marks a setting that a reload applies, see `reloadable`. */
export const live = <T>(declared: Setting<T>): Setting<T> => ({ ...declared, isReloadable: true });

/** Marks a path: to those who follow the setting, changed content of the file is a change. */
export const fileOf = <T>(declared: Setting<T>): Setting<T> => ({ ...declared, isFile: true });

/**
 * Marks settings that a reload applies. The parts read them from their section of the configuration
 * at each use (see LiveConfig), or copy them again when LiveConfig calls them.
 */
export function reloadable<S extends Readonly<Record<string, Setting<unknown>>>>(settings: S): S {
  return Object.fromEntries(Object.entries(settings).map(([name, declared]) => [name, live(declared)])) as S;
}

export function section<S>(doc: string, settings: S): Section<S> {
  return { doc, settings };
}

/** Bytes that this process may use: the memory of the machine or of its control group. */
export const availableMemory = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** A share of the available memory, within bounds, as whole megabytes. `most`, `least`: bytes. */
export function memoryShare(share: number, least: number, most: number): number {
  const bytes = Math.max(least, Math.min(most, availableMemory() * share));
  return Math.floor(bytes / 1024 ** 2) * 1024 ** 2;
}

const MAX_THREADS = 256;

/** A thread for each core, as far as each has so many bytes of memory. */
export const threadsFor = (bytesEach: number): number =>
  Math.max(1, Math.min(MAX_THREADS, availableParallelism(), Math.floor(availableMemory() / bytesEach)));
