/** Runs Rhino in a Java process. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { refusalOf } from './language.ts';
import type { EngineLimits } from './limits.ts';
import { type BackgroundEvent, failure, type Program } from './outcome.ts';
import type { Report } from './prelude.ts';
import { outcomeOf } from './report.ts';
import { RHINO_DRIVER } from './rhino-driver.ts';
import type { RhinoInstallation } from './rhino-installation.ts';
import type { Answer, Runner, RunnerResult } from './runner.ts';

/** Of the engine and the script that drives it. */
const OWN_MB = 64;
const MB = 1024 * 1024;

/** Base64 of UTF-16, which preserves lone surrogates. */
const encode = (text: string): string => Buffer.from(text, 'utf16le').toString('base64');
const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf16le');

interface Running {
  readonly answer: Answer;
  readonly limits: EngineLimits;
  readonly resolve: (result: RunnerResult) => void;
  readonly reject: (error: Error) => void;
}

export class RhinoRunner implements Runner {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  #running: Running | undefined;
  #ready!: { readonly resolve: () => void; readonly reject: (error: Error) => void };
  #errors = '';
  /** Version string of Rhino. */
  version = '';

  /** Resolves once Rhino is ready. */
  static async start({ java, jar }: RhinoInstallation, memory: number): Promise<RhinoRunner> {
    const runner = new RhinoRunner(java, jar, memory);
    await new Promise<void>((resolve, reject) => {
      runner.#ready = { resolve, reject };
    });
    return runner;
  }

  private constructor(java: string, jar: string, memory: number) {
    const heap = OWN_MB + Math.ceil(memory / MB);
    const options = ['-Xss16m', `-Xmx${heap}m`, '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', jar];
    const shell = ['org.mozilla.javascript.tools.shell.Main', '-opt', '-1', '-version', '200', '-e', RHINO_DRIVER];
    const { PATH, TZ } = process.env;
    this.#process = spawn(java, [...options, ...shell], { env: TZ === undefined ? { PATH } : { PATH, TZ } });
    createInterface({ input: this.#process.stdout }).on('line', (line) => this.#read(line));
    this.#process.stderr.on('data', (data) => {
      this.#errors = `${this.#errors}${data}`.slice(-2000);
    });
    this.#process.stdin.on('error', () => undefined);
    this.#process.once('error', (error) => this.#fail(error));
    this.#exited = new Promise((resolve) => {
      this.#process.once('close', (code) => {
        this.#fail(new Error(`Rhino ended with ${code}. ${this.#errors.trim()}`));
        resolve();
      });
    });
    const kill = (): void => void this.#process.kill('SIGKILL');
    process.once('exit', kill);
    void this.#exited.then(() => process.off('exit', kill));
  }

  run(program: Program, event: BackgroundEvent, limits: EngineLimits, answer: Answer): Promise<RunnerResult> {
    const refusal = refusalOf(program);
    if (refusal !== undefined) return Promise.resolve({ outcome: refusal, isSpent: false });
    return new Promise((resolve, reject) => {
      this.#running = { answer, limits, resolve, reject };
      const { text, path } = program;
      this.#write({ text, path, time: limits.time, event: JSON.stringify(event) });
    });
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
  }

  #write(message: object | string): void {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    this.#process.stdin.write(`${encode(text)}\n`);
  }

  #read(line: string): void {
    const space = line.indexOf(' ');
    const kind = line.slice(0, space);
    const text = decode(line.slice(space + 1));
    const running = this.#running;
    if (kind === 'ready') {
      this.version = text;
      this.#ready.resolve();
    } else if (kind === 'call')
      void running?.answer(text).then((answer) => {
        if (this.#running === running) this.#write(answer);
      });
    else if (kind === 'done' && running !== undefined) {
      this.#running = undefined;
      const report = JSON.parse(text) as Report | { readonly kind: 'timeout' };
      const outcome =
        report.kind === 'timeout'
          ? failure('timeout', `The event took longer than ${running.limits.time} ms.`)
          : outcomeOf(report);
      running.resolve({ outcome, isSpent: report.kind === 'memory' });
    }
  }

  #fail(error: Error): void {
    const running = this.#running;
    this.#running = undefined;
    running?.reject(error);
    this.#ready.reject(error);
  }
}
