/**
 * Permissions of an installed app: the list of its manifest and the user's decisions. All sessions
 * of the app share one instance, so that the user gets each prompt once.
 */
import { HostFault } from '../bridge/errors.ts';
import type { HostedApp } from './services.ts';

/**
 * `ask`: the user was not prompted yet. `denied`: denied once; the next request prompts again.
 * `denied_forever`: no request prompts again.
 */
export const PERMISSION_STATES = ['ask', 'granted', 'denied', 'denied_forever'] as const;
export type PermissionState = (typeof PERMISSION_STATES)[number];
export type PromptAnswer = Exclude<PermissionState, 'ask'>;

/** Prompts the user. `signal` aborts when no request waits for the prompt. */
export type Prompt = (permission: string, signal: AbortSignal) => Promise<PromptAnswer>;

/** Stores the user's decisions across restarts. */
export interface PermissionStore {
  load(appId: string): Readonly<Record<string, PermissionState>>;
  save(appId: string, states: Readonly<Record<string, PermissionState>>): void;
}

export interface PermissionsOptions {
  readonly prompt: Prompt;
  /** Undefined: decisions are lost when the process ends. */
  readonly store?: PermissionStore;
  /** Receives errors of `prompt`, `store` and listeners. */
  readonly onFault?: (error: unknown) => void;
}

type Listener = (permission: string, state: PermissionState) => void;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (fault: HostFault) => void;
}

interface Question {
  readonly waiters: Set<Waiter>;
  readonly controller: AbortController;
}

const GRANTED_AT_INSTALLATION: ReadonlySet<string> = new Set(['storage', 'vibrate']);
/** Maximum pending requests for permissions, over all pages of an app. */
const MAX_WAITING = 64;

export class Permissions {
  readonly #states = new Map<string, PermissionState>();
  readonly #listeners = new Set<Listener>();
  /** Prompts by permission, in the order of display. The first is shown to the user. */
  readonly #questions = new Map<string, Question>();
  #shown: Question | undefined;

  constructor(
    private readonly app: HostedApp,
    private readonly options: PermissionsOptions,
  ) {
    const stored = this.#guarded(() => options.store?.load(app.id)) ?? {};
    for (const permission of app.permissions) {
      const state = Object.hasOwn(stored, permission) ? stored[permission] : undefined;
      const initial = GRANTED_AT_INSTALLATION.has(permission) ? 'granted' : 'ask';
      this.#states.set(permission, state !== undefined && PERMISSION_STATES.includes(state) ? state : initial);
    }
  }

  /** State of each permission in the manifest. */
  get states(): ReadonlyMap<string, PermissionState> {
    return this.#states;
  }

  /** Whether the manifest lists it. */
  has(permission: string): boolean {
    return this.#states.has(permission);
  }

  /** State without a prompt, for background calls. Undefined: not in the manifest. */
  stateOf(permission: string): PermissionState | undefined {
    return this.#states.get(permission);
  }

  /**
   * Resolves once the permission is granted, prompting the user if necessary. Rejects with
   * HostFault `permission_denied`, `busy`, or `cancelled` when `signal` aborts.
   */
  request(permission: string, signal: AbortSignal): Promise<void> {
    const state = this.#states.get(permission);
    if (state === 'granted') return Promise.resolve();
    if (state === undefined) return Promise.reject(undeclared(permission));
    if (state === 'denied_forever') return Promise.reject(denied(permission));
    if (signal.aborted) return Promise.reject(cancelled());
    let waiting = 0;
    for (const { waiters } of this.#questions.values()) waiting += waiters.size;
    if (waiting >= MAX_WAITING)
      return Promise.reject(new HostFault('busy', 'Too many requests wait for the user; retry later.'));
    return new Promise((resolve, reject) => this.#join(permission, signal, { resolve, reject }));
  }

  /** Sets the user's decision without a prompt. `ask`: the next request prompts again. */
  set(permission: string, state: PermissionState): void {
    if (!this.#states.has(permission)) return;
    if (state !== 'ask') this.#close(permission, state);
    this.#change(permission, state);
    this.#showNext();
  }

  /** Calls `listener` after each change. Returns a function that removes it. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #join(permission: string, signal: AbortSignal, { resolve, reject }: Waiter): void {
    const question = this.#questions.get(permission) ?? {
      waiters: new Set<Waiter>(),
      controller: new AbortController(),
    };
    this.#questions.set(permission, question);
    const leave = (): void => {
      question.waiters.delete(waiter);
      reject(cancelled());
      if (question.waiters.size > 0 || this.#questions.get(permission) !== question) return;
      this.#close(permission, 'denied');
      this.#showNext();
    };
    const done = (): void => signal.removeEventListener('abort', leave);
    const waiter: Waiter = {
      resolve: () => {
        done();
        resolve();
      },
      reject: (fault) => {
        done();
        reject(fault);
      },
    };
    signal.addEventListener('abort', leave, { once: true });
    question.waiters.add(waiter);
    this.#showNext();
  }

  #showNext(): void {
    if (this.#shown !== undefined) return;
    for (const [permission, question] of this.#questions) {
      this.#shown = question;
      void this.#ask(permission, question);
      return;
    }
  }

  async #ask(permission: string, question: Question): Promise<void> {
    let answer: PromptAnswer = 'denied';
    try {
      const given = await this.options.prompt(permission, question.controller.signal);
      if (PERMISSION_STATES.includes(given) && (given as PermissionState) !== 'ask') answer = given;
    } catch (error) {
      if (!question.controller.signal.aborted) this.options.onFault?.(error);
    }
    if (this.#questions.get(permission) !== question) return;
    this.#close(permission, answer);
    this.#change(permission, answer);
    this.#showNext();
  }

  /** Closes the prompt and resolves all requests that wait for it. */
  #close(permission: string, answer: PromptAnswer): void {
    const question = this.#questions.get(permission);
    if (question === undefined) return;
    this.#questions.delete(permission);
    if (this.#shown === question) this.#shown = undefined;
    for (const waiter of question.waiters)
      if (answer === 'granted') waiter.resolve();
      else waiter.reject(denied(permission));
    question.controller.abort();
  }

  #change(permission: string, state: PermissionState): void {
    if (this.#states.get(permission) === state) return;
    this.#states.set(permission, state);
    this.#guarded(() => this.options.store?.save(this.app.id, Object.fromEntries(this.#states)));
    for (const listener of [...this.#listeners]) this.#guarded(() => listener(permission, state));
  }

  #guarded<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.options.onFault?.(error);
      return undefined;
    }
  }
}

export const undeclared = (permission: string): HostFault =>
  new HostFault('permission_denied', `The manifest does not list the permission "${permission}".`);

export const denied = (permission: string): HostFault =>
  new HostFault('permission_denied', `The user denied the permission "${permission}".`);

const cancelled = (): HostFault => new HostFault('cancelled', 'The page was left.');
