/** Which part of the daemon answers a deferred message: updates one, all else another. */
import { OPCODE, RCODE } from '../wire/types.ts';
import type { AnswerDeferred, DeferredRequest } from './deferred.ts';
import { refusal } from './refusal.ts';

export class DeferredRoutes {
  /** Answers messages of opcode UPDATE. Until there is one, and when there is none any more, they are to be sent again. */
  update: AnswerDeferred = notReady;
  readonly #others: AnswerDeferred;

  constructor(others: AnswerDeferred) {
    this.#others = others;
  }

  readonly answer: AnswerDeferred = (request) => {
    const opcode = (request.message[2] >> 3) & 15;
    return opcode === OPCODE.UPDATE ? this.update(request) : this.#others(request);
  };

  /** From now on no update is begun. */
  stopUpdates(): void {
    this.update = notReady;
  }
}

async function* notReady({ message }: DeferredRequest): AsyncGenerator<Uint8Array> {
  yield refusal(message, RCODE.SERVFAIL);
}
