/** A shell that runs commands one after another: each sees what the previous ones exported. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';

export interface Outcome {
  readonly code: number;
  /** Both streams. */
  readonly output: string;
}

/** In front of the exit code that the shell prints behind the output of each command. */
const END = '\u001eended ';

export class Terminal {
  readonly #shell: ChildProcess;
  #output = '';
  #changed: () => void = () => {};

  /** `patience`: milliseconds for one command. `wrapper`: a command that starts the shell. */
  constructor(
    folder: string,
    env: NodeJS.ProcessEnv,
    readonly patience: number,
    wrapper: readonly string[] = [],
  ) {
    const [program, ...args] = [...wrapper, '/bin/bash', '--noprofile', '--norc'];
    // A group of its own, so that what a page leaves in the background ends with the page.
    this.#shell = spawn(program, args, { cwd: folder, env, detached: true });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.setEncoding('utf8').on('data', (part: string) => {
        this.#output += part;
        this.#changed();
      });
    this.#shell.stdin?.on('error', () => {});
    this.#shell.once('close', () => this.#changed());
  }

  async run(command: string): Promise<Outcome> {
    this.#output = '';
    this.#shell.stdin?.write(`{ ${command}\n} 2>&1 </dev/null\nprintf '\\n${END}%d\\n' $?\n`);
    const signal = AbortSignal.timeout(this.patience);
    signal.addEventListener('abort', () => this.#changed(), { once: true });
    for (;;) {
      const end = new RegExp(`\\n${END}(\\d+)\\n`).exec(this.#output);
      if (end !== null) return { code: Number(end[1]), output: this.#output.slice(0, end.index).replace(/\n+$/, '') };
      if (signal.aborted || this.#shell.exitCode !== null) throw new Error(`no end of: ${command}\n${this.#output}`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  async close(): Promise<void> {
    const closed = once(this.#shell, 'exit');
    if (this.#shell.pid === undefined || this.#shell.exitCode !== null) return;
    process.kill(-this.#shell.pid, 'SIGKILL');
    await closed;
  }
}

/** Resolves when somebody listens at the port of this machine; rejects after `ms` milliseconds. */
export async function listening(port: number, ms: number): Promise<void> {
  for (const deadline = Date.now() + ms; ; ) {
    const socket = createConnection({ port, host: '127.0.0.1' });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    if (Date.now() > deadline) throw new Error(`no socket listens at port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
