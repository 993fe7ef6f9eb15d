/** The command line against the real API, in this process. */
import { type Daemon, startDaemon } from '../daemon.ts';
import { type Run, type RunOptions, run } from './harness.ts';

export interface Live {
  readonly daemon: Daemon;
  /** Requests as the administrator. */
  waypost(argv: readonly string[], options?: RunOptions): Promise<Run>;
  /**
   * Runs `waypost` with --json, and returns one object per line. Throws if the exit code is not 0.
   */
  json(argv: readonly string[], options?: RunOptions): Promise<JsonRow[]>;
}

export interface JsonRow {
  readonly [key: string]: JsonRow;
}

export async function startLive(settings: Record<string, string> = {}): Promise<Live> {
  const daemon = await startDaemon('auto', settings);
  const waypost: Live['waypost'] = (argv, options = {}) =>
    run(argv, { ...options, env: { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: daemon.adminToken, ...options.env } });
  return {
    daemon,
    waypost,
    async json(argv, options) {
      const { code, stdout, stderr } = await waypost([...argv, '--json'], options);
      if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}`);
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    },
  };
}
