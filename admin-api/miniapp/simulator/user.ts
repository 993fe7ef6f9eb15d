/** Requests to the user of the phone: permission prompts and photos. */
import { HostFault } from '../bridge/errors.ts';
import type { PromptAnswer } from '../host/permissions.ts';
import type { PromptView } from './protocol.ts';

interface Question {
  readonly view: PromptView;
  readonly resolve: (answer: PromptAnswer) => void;
}

export class Prompts {
  readonly #questions = new Map<number, Question>();
  #count = 0;

  constructor(private readonly onChange: (prompts: readonly PromptView[]) => void) {}

  ask(permission: string, signal: AbortSignal): Promise<PromptAnswer> {
    const id = ++this.#count;
    return new Promise((resolve) => {
      const settle = (answer: PromptAnswer): void => {
        signal.removeEventListener('abort', leave);
        if (this.#questions.delete(id)) this.#changed();
        resolve(answer);
      };
      const leave = (): void => settle('denied');
      signal.addEventListener('abort', leave, { once: true });
      this.#questions.set(id, { view: { id, permission }, resolve: settle });
      this.#changed();
    });
  }

  /** False: another page has answered it, or the app was left. */
  answer(id: number, answer: PromptAnswer): boolean {
    const question = this.#questions.get(id);
    question?.resolve(answer);
    return question !== undefined;
  }

  #changed(): void {
    this.onChange([...this.#questions.values()].map(({ view }) => view));
  }
}

interface PhotoRequest {
  readonly resolve: (jpeg: string) => void;
  readonly reject: (error: Error) => void;
}

export class Camera {
  readonly #requests = new Map<number, PhotoRequest>();
  #count = 0;

  constructor(private readonly onChange: (photos: readonly number[]) => void) {}

  /** Base64 of a JPEG. Rejects with HostFault `cancelled` or `busy`. */
  takePhoto(signal: AbortSignal): Promise<string> {
    if (this.#requests.size > 0) throw new HostFault('busy', 'The camera is open already.');
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      const close = (): void => {
        signal.removeEventListener('abort', leave);
        if (this.#requests.delete(id)) this.#changed();
      };
      const leave = (): void => {
        close();
        reject(new HostFault('cancelled', 'The page was left.'));
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#requests.set(id, {
        resolve: (jpeg) => {
          close();
          resolve(jpeg);
        },
        reject: (error) => {
          close();
          reject(error);
        },
      });
      this.#changed();
    });
  }

  /** Null: the user went back. False: nothing waits for this photo any longer. */
  deliver(id: number, jpeg: string | null): boolean {
    const request = this.#requests.get(id);
    if (jpeg === null) request?.reject(new HostFault('cancelled', 'The user took no photo.'));
    else request?.resolve(jpeg);
    return request !== undefined;
  }

  #changed(): void {
    this.onChange([...this.#requests.keys()]);
  }
}
