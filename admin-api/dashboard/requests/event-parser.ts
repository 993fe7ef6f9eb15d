/** Parses server-sent events of this service incrementally (HTML Living Standard 9.2.6). */

interface SentEvent {
  readonly event: string;
  readonly data: string;
}

/** Maximum characters of an event. Events of this service are shorter. */
const MAX_EVENT = 4 << 20;

export class EventParser {
  #rest = '';

  /** Returns the events that this piece completes. Skips comments. */
  push(piece: string): SentEvent[] {
    const blocks = (this.#rest + piece).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    if (this.#rest.length > MAX_EVENT) this.#rest = '';
    return blocks.flatMap((block) => parseBlock(block) ?? []);
  }
}

function parseBlock(block: string): SentEvent | null {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) event = line.slice(7);
    if (line.startsWith('data: ')) data.push(line.slice(6));
  }
  return data.length === 0 ? null : { event, data: data.join('\n') };
}
