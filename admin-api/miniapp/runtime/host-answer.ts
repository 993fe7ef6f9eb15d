/** The host's side of `Host.call`: exchanges JSON texts with an engine. */
import { type ErrorCode, HostFault } from '../bridge/errors.ts';
import { isErrorCode } from '../bridge/messages.ts';
import { LISTED_CALLS, LONGEST_OPERATION, LONGEST_PARAMS, MOST_CALLS } from './limits.ts';
import type { CallHost, HostCall } from './outcome.ts';

/** Maximum characters of an operation name in the list of calls. */
const SHOWN = LONGEST_OPERATION;

/** Answers the calls of one event. */
export class HostAnswers {
  readonly #calls: HostCall[] = [];
  #count = 0;

  constructor(
    private readonly appId: string,
    private readonly callHost: CallHost,
  ) {}

  /** Answers `[operation, params]` with `{value}` or `{code, message}`. Never rejects. */
  async answer(request: string): Promise<string> {
    const start = performance.now();
    let operation = '';
    try {
      if (++this.#count > MOST_CALLS) throw new HostFault('busy', `The limit of an event is ${MOST_CALLS} calls.`);
      if (request.length > LONGEST_PARAMS + LONGEST_OPERATION)
        throw new HostFault('invalid_argument', `The parameters are longer than ${LONGEST_PARAMS} characters.`);
      let params: unknown;
      [operation, params] = readRequest(request);
      if (operation.length > LONGEST_OPERATION) throw new HostFault('unsupported', 'There is no such operation.');
      const value = await this.callHost(this.appId, operation, params);
      this.#list(operation, null, start);
      return JSON.stringify({ value: value ?? null });
    } catch (error) {
      const [code, message] = faultOf(error);
      this.#list(operation, code, start);
      return JSON.stringify({ code, message });
    }
  }

  get calls(): readonly HostCall[] {
    return this.#calls;
  }

  get omittedCalls(): number {
    return this.#count - this.#calls.length;
  }

  #list(operation: string, error: ErrorCode | null, start: number): void {
    if (this.#calls.length >= LISTED_CALLS) return;
    const milliseconds = performance.now() - start;
    this.#calls.push({ operation: operation.slice(0, SHOWN), error, milliseconds });
  }
}

/** Parses a request of the prelude, which shares its engine with app code. */
function readRequest(request: string): [string, unknown] {
  const value: unknown = JSON.parse(request);
  if (!Array.isArray(value) || typeof value[0] !== 'string')
    throw new HostFault('invalid_argument', 'The operation is not a string.');
  return [value[0], value[1]];
}

/** Hides the message of a host fault from the app: it may concern other apps. */
function faultOf(error: unknown): [ErrorCode, string] {
  if (error instanceof Error && 'code' in error && isErrorCode(error.code)) return [error.code, error.message];
  return ['busy', 'The host could not do this; retry later.'];
}
