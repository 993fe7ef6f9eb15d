/** A real Prometheus with its own configuration and folder, and its HTTP API. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/docs/pages.ts';
import { startChild } from '../support/child.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { freePort } from '../support/ports.ts';

export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [time: number, value: string];
}

export interface Prometheus {
  /** The series of an instant query. Throws with the error of Prometheus. */
  query(expression: string): Promise<Series[]>;
  /** `data` of an endpoint of its API. */
  get(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * Reads `targets` every second, and evaluates the rules of config/monitoring as often. `isQuick`:
 * alerts fire after a second, and rates are those of the last 20 seconds. `numbers`: texts of
 * expressions, and those in their place.
 */
export async function startPrometheus(
  folder: string,
  targets: readonly string[],
  { isQuick = false, numbers = {} }: { isQuick?: boolean; numbers?: Readonly<Record<string, string>> } = {},
): Promise<Prometheus> {
  const port = await freePort();
  const file = join(folder, 'prometheus.yml');
  for (const name of ['recording.yml', 'alerts.yml']) {
    const rules = readFileSync(join(ROOT, 'config/monitoring', name), 'utf8');
    const quick = rules.replace(/^( +for: )\w+$/gm, '$11s').replace(/\[5m\]/g, '[20s]');
    const changed = Object.entries(numbers).reduce((text, [from, to]) => text.replaceAll(from, to), quick);
    writeFileSync(join(folder, name), isQuick ? changed : rules);
  }
  writeFileSync(
    file,
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [recording.yml, alerts.yml]
scrape_configs: [{ job_name: waypost, static_configs: [{ targets: ${JSON.stringify(targets)} }] }]
`,
  );
  const child = startChild('/usr/bin/prometheus', [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'tsdb')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--enable-feature=exemplar-storage,native-histograms',
  ]);
  const get = async (path: string, body?: URLSearchParams): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const { status, data, error } = (await response.json()) as { status: string; data: unknown; error?: string };
    if (status !== 'success') throw new Error(`${path}: ${error}: ${body}`);
    return data;
  };
  try {
    await child.waitFor(/Server is ready to receive web requests/);
  } catch (error) {
    await child.stop('SIGKILL');
    throw error;
  }
  return {
    get,
    async query(query) {
      return ((await get('query', new URLSearchParams({ query }))) as { result: Series[] }).result;
    },
    stop: async () => void (await child.stop()),
  };
}
