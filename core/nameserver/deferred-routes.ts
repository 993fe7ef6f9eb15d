/** Routes deferred messages to their handlers: updates and NOTIFY to their own, others to one. */
import { OPCODE, RCODE } from '../dns/wire/types.ts';
import { type AnswerDeferred, type DeferredRequest, errorResponse } from './deferred.ts';

export class DeferredRoutes {
  /**
   * Handles messages of opcode UPDATE. Until it is set, and after `stopUpdates`, the response is
   * SERVFAIL, on which clients retry.
   */
  update: AnswerDeferred = notReady;
  /** Handles messages of opcode NOTIFY. Until it is set, the response is SERVFAIL. */
  notify: AnswerDeferred = notReady;
  readonly #others: AnswerDeferred;

  constructor(others: AnswerDeferred) {
    this.#others = others;
  }

  readonly answer: AnswerDeferred = (request) => {
    const opcode = (request.message[2] >> 3) & 15;
    if (opcode === OPCODE.NOTIFY) return this.notify(request);
    return opcode === OPCODE.UPDATE ? this.update(request) : this.#others(request);
  };

  /** Stops accepting updates. */
  stopUpdates(): void {
    this.update = notReady;
  }
}

async function* notReady({ message }: DeferredRequest): AsyncGenerator<Uint8Array> {
  yield errorResponse(message, RCODE.SERVFAIL);
}
