/** The process that sends the queries, and where they go. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { GeneratorResult } from './generator.ts';

const GENERATOR = fileURLToPath(new URL('generator.js', import.meta.url));

export interface QueriesOptions {
  /** Of the nodes, in order. */
  readonly ports: readonly number[];
  readonly zone: string;
  /** Names `h0` and so on of the zone. */
  readonly names: number;
  /** A second, over all nodes. */
  readonly rate: number;
}

export class Queries {
  readonly #child: ChildProcess;
  readonly #waiting: ((line: string) => void)[] = [];

  constructor({ ports, zone, names, rate }: QueriesOptions) {
    const args = ['--ports', ports.join(), '--zone', zone, '--names', String(names), '--rate', String(rate)];
    this.#child = spawn(process.execPath, [GENERATOR, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.#waiting.shift()?.(line));
    process.on('exit', () => this.#child.kill('SIGKILL'));
  }

  /** Resolves when no query leaves for the node any more, or when they do again. */
  async route(node: number, isUsed: boolean): Promise<void> {
    await this.#say(`${isUsed ? 'with' : 'without'} ${node}`);
  }

  /** Resolves when the last answers are there. */
  async end(): Promise<GeneratorResult> {
    const result = JSON.parse(await this.#say('end')) as GeneratorResult;
    this.#child.stdin?.end();
    return result;
  }

  #say(line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      this.#child.once('exit', () => reject(new Error('the generator of queries ended')));
      this.#child.stdin?.write(`${line}\n`);
    });
  }
}
