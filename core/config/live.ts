/** The configuration of a running daemon, of which a reload changes the reloadable settings. */
import { readFileSync } from 'node:fs';
import { buildConfig, type ResolvedConfig, type ResolvedSetting } from './load.ts';
import type { Config } from './schema.ts';

export interface Applied {
  /** Keys of settings whose new values are in use. */
  readonly applied: readonly string[];
  /** Keys of settings that differ from those of the start, and need a restart. */
  readonly needRestart: readonly string[];
}

/**
 * Calls `apply` after each reload that has changed one of the keys, a setting of a section, or the
 * content of a file that a setting marked with `fileOf` names.
 */
export type Follow = (keys: readonly string[], apply: () => unknown) => void;

interface Follower {
  /** Keys, or sections such as `edge`. */
  readonly keys: readonly string[];
  readonly apply: () => unknown;
}

export class LiveConfig {
  /**
   * Sections and the whole keep their identity. A member of a section that is reloadable has its
   * current value, so parts must keep the section, not its members.
   */
  readonly config: Config;
  readonly #values: Map<string, unknown>;
  readonly #followers: Follower[] = [];
  /** Content of files by the key of their setting. */
  #contents: ReadonlyMap<string, string>;

  constructor({ settings }: ResolvedConfig) {
    this.#values = new Map(settings.map(({ key, value }) => [key, value]));
    this.#contents = readFiles(settings);
    this.config = buildConfig(settings, (key) => this.#values.get(key));
  }

  readonly follow: Follow = (keys, apply) => void this.#followers.push({ keys, apply });

  /** To be called when the parts have stopped, before they start again. */
  forgetFollowers(): void {
    this.#followers.length = 0;
  }

  /** Applies a valid configuration. Rejects with the first error of a follower. */
  async apply({ settings }: ResolvedConfig): Promise<Applied> {
    const differ = settings.filter((next) => textOf(next) !== textOf({ ...next, value: this.#values.get(next.key) }));
    const applied = differ.filter(({ setting }) => setting.isReloadable === true);
    for (const { key, value } of applied) this.#values.set(key, value);
    const before = this.#contents;
    this.#contents = readFiles(settings);
    const rewritten = [...this.#contents].filter(([key, content]) => content !== before.get(key)).map(([key]) => key);
    const changed = [...applied.map(({ key }) => key), ...rewritten];
    const isChanged = (name: string): boolean => changed.some((key) => key === name || key.startsWith(`${name}.`));
    for (const { keys, apply } of this.#followers) if (keys.some(isChanged)) await apply();
    const needRestart = differ.filter(({ setting }) => setting.isReloadable !== true);
    return { applied: applied.map(({ key }) => key), needRestart: needRestart.map(({ key }) => key) };
  }
}

/** Values of one kind are equal if their text is. */
const textOf = ({ setting, value }: Pick<ResolvedSetting, 'setting' | 'value'>): string =>
  value === undefined ? '' : setting.kind.toToml(value);

/** A file that cannot be read is as an empty one: the checks of a start refuse it. */
function readFiles(settings: readonly ResolvedSetting[]): Map<string, string> {
  const files = settings.filter(({ setting, value }) => setting.isFile === true && value !== undefined);
  return new Map(files.map(({ key, value }) => [key, readOrEmpty(String(value))]));
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
