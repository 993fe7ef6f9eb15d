/** Asks a server until it answers, to tell when it is ready and when a change is served. */
import { createSocket, type Socket } from 'node:dgram';

/** A query for the A records of `name` (without the last dot), RD clear, no EDNS. */
export function addressQuery(name: string, id: number): Buffer {
  const labels = name.split('.').flatMap((label) => [label.length, ...Buffer.from(label, 'latin1')]);
  return Buffer.from([id >> 8, id & 255, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, 1, 0, 1]);
}

export class Probe {
  readonly #socket: Socket;
  readonly #port: number;
  readonly #address: string;
  #nextId = 1;
  #waiting = 0;
  #answered: (answer: Buffer | null) => void = () => {};

  constructor(port: number, address = '127.0.0.1') {
    this.#port = port;
    this.#address = address;
    this.#socket = createSocket('udp4');
    this.#socket.on('message', (answer) => {
      if (answer.length >= 12 && answer.readUInt16BE(0) === this.#waiting) this.#answered(answer);
    });
    this.#socket.on('error', () => {}); // not listening yet; the time-out reports it too
  }

  /**
   * Sends one query and waits for its answer. Null when none has come after `timeout` milliseconds.
   */
  ask(name: string, timeout: number): Promise<Buffer | null> {
    const id = this.#nextId;
    this.#nextId = (id & 0xffff) + 1 === 0x1_0000 ? 1 : id + 1;
    this.#waiting = id;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#answered(null), timeout);
      this.#answered = (answer) => {
        clearTimeout(timer);
        this.#answered = () => {};
        resolve(answer);
      };
      this.#socket.send(addressQuery(name, id), this.#port, this.#address);
    });
  }

  /** Whether the server answers now, with at least one record when `records` says so. */
  async holds(name: string, timeout: number, records = true): Promise<boolean> {
    const answer = await this.ask(name, timeout);
    return answer !== null && (!records || ((answer[3] & 15) === 0 && answer.readUInt16BE(6) > 0));
  }

  /**
   * Asks until all names have been answered, with a record when `records` says so. Throws an Error
   * after `limit` milliseconds. `check` may throw to end it earlier.
   */
  async untilAll(names: readonly string[], limit: number, records: boolean, check: () => void): Promise<void> {
    const end = performance.now() + limit;
    for (const name of names) {
      while (!(await this.holds(name, 20, records))) {
        check();
        if (performance.now() > end) throw new Error(`${name} is not answered after ${limit / 1000} s.`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  }

  close(): void {
    this.#socket.close();
  }
}
