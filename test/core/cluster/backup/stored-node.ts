/** A node with data of its own, without a daemon, for tests of backups. */
import { mkdirSync } from 'node:fs';
import type { BackupOptions } from '../../../../core/cluster/backup/backups.ts';
import type { Encryption } from '../../../../core/cluster/backup/encryption.ts';
import type { Target } from '../../../../core/cluster/backup/target.ts';
import { identifyHistory } from '../../../../core/cluster/installation.ts';
import { type Config, loadConfig } from '../../../../core/config/index.ts';
import { readHead } from '../../../../core/journal/applied-head.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../../core/journal/embedded-journal.ts';
import { decodeEntry } from '../../../../core/journal/entry-codec.ts';
import type { Journal } from '../../../../core/journal/journal.ts';
import { rebuildAnswers } from '../../../../core/journal/upkeep/rebuild.ts';
import { type Environment, openEnvironment } from '../../../../core/store/environment.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { sequenceKey } from '../../../../core/store/keys.ts';
import { domains } from '../../../../core/store/rows.ts';
import { zoneSettings } from '../../../../core/zone/compile/settings.ts';
import { dump, newDomain } from '../../journal/fixture.ts';

/**
 * A clock that goes on with each change. It is an hour behind that of the machine, by which backups
 * are made: what a restore finds does not depend on either.
 */
const clock = { time: Date.now() - 3_600_000, now: () => ++clock.time, refusal: () => null };

export class StoredNode {
  readonly config: Config;

  constructor(
    readonly folder: string,
    readonly history = 1000,
    name = 'one',
  ) {
    mkdirSync(folder, { recursive: true });
    this.config = loadConfig({ env: { WAYPOST_DATA_DIR: folder, WAYPOST_NODE_NAME: name } });
  }

  async with<T>(work: (environment: Environment) => Promise<T>): Promise<T> {
    const environment = openEnvironment(this.folder);
    try {
      return await work(environment);
    } finally {
      await environment.close();
    }
  }

  /** One change for each name. */
  write(...names: string[]): Promise<void> {
    return this.#withJournal(async (environment, journal) => {
      for (const name of names)
        await write(environment, journal, 'test', (draft) => draft.put(domains, newDomain(`${name}.test.`)));
    });
  }

  /** Gives the history an id, as a daemon with backups does. */
  identify(): Promise<void> {
    return this.#withJournal(identifyHistory);
  }

  #withJournal(work: (environment: Environment, journal: Journal) => Promise<void>): Promise<void> {
    return this.with(async (environment) => {
      const settings = zoneSettings(this.config);
      if (readHead(environment).sequence === 0) await rebuildAnswers(environment, settings);
      const index = new IndexWriter(1 << 20);
      const journal = openEmbeddedJournal({ environment, index, zoneSettings: settings, history: this.history, clock });
      await work(environment, journal);
      await journal.close();
    });
  }

  dump(): Promise<string[]> {
    return this.with(async (environment) => dump(environment));
  }

  timeOf(sequence: number): Promise<number> {
    return this.with(async ({ journal }) => decodeEntry(journal.get(sequenceKey(sequence))!).time);
  }
}

export const optionsOf = (node: StoredNode, target: Target, encryption: Encryption | null = null): BackupOptions => ({
  ...{ config: node.config, target, encryption, secretKeyId: 'aabbccdd', version: '1.2.3' },
});

/** The code of the error with which `work` rejects. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code ?? String(error),
  );
