/** The topics of the page with their values. Changed topics are sent in one event. */
import type { ServerEvent, Topic, Topics } from './protocol.ts';

/** Milliseconds to batch changes into one event. */
const COALESCE_MS = 16;

type Send = (event: ServerEvent) => void;

export class TopicStore {
  readonly #values: { -readonly [T in Topic]?: Topics[T] } = {};
  readonly #changed = new Set<Topic>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly send: Send) {}

  set<T extends Topic>(topic: T, value: Topics[T]): void {
    this.#values[topic] = value;
    this.#changed.add(topic);
    this.#timer ??= setTimeout(() => this.#flush(), COALESCE_MS);
  }

  /** Sends the value at once, with all earlier changes. */
  setNow<T extends Topic>(topic: T, value: Topics[T]): void {
    this.set(topic, value);
    clearTimeout(this.#timer);
    this.#flush();
  }

  /** All values, for a page that has just connected. */
  all(): Partial<Topics> {
    return { ...this.#values };
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    const topics = Object.fromEntries([...this.#changed].map((topic) => [topic, this.#values[topic]]));
    this.#changed.clear();
    this.send({ type: 'topics', topics });
  }
}
