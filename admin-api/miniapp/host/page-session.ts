/**
 * The host's side of the bridge for one loaded page (docs/mini-apps/bridge.md). Messages of a page
 * are untrusted: no message makes the session throw, and a flood costs little. A message takes
 * tokens before it is parsed. Messages far above the request rate are dropped without a response.
 */

import { performance } from 'node:perf_hooks';
import { TokenBucket } from '../../../core/base/token-bucket.ts';
import { type BridgeError, type ErrorCode, HostFault } from '../bridge/errors.ts';
import {
  commonProtocol,
  type FromHost,
  type Hello,
  PROTOCOL,
  type Request,
  readFromApp,
  writeMessage,
} from '../bridge/messages.ts';
import { LIMITS, OPERATIONS } from '../bridge/operations.ts';
import { operationsOf, prepareWork, type Work } from './calls.ts';
import { HostLog, type WriteLog } from './host-log.ts';
import { denied, type Permissions, undeclared } from './permissions.ts';
import type { HostedApp, Services } from './services.ts';

export interface PageSessionOptions {
  readonly app: HostedApp;
  /** Of the app; shared by its sessions. */
  readonly permissions: Permissions;
  readonly services: Services;
  /** Version of the host, compared with `minHostVersion` of manifests. */
  readonly hostVersion: string;
  /** Delivers a message to the page. */
  readonly send: (text: string) => void;
  readonly log: WriteLog;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** Rate limit on parsed messages, which get a response: ten times the request rate. */
const MESSAGES_PER_SECOND = 10 * LIMITS.requestsPerSecond;
const MESSAGE_BURST = 10 * LIMITS.requestBurst;
/** Rate limit on parsed characters. */
const CHARACTERS_PER_SECOND = LIMITS.message;
const CHARACTER_BURST = 3 * LIMITS.message;

type Identity = Pick<Request, 'id' | 'operation'>;

/** Codes of errors that an app could have avoided. */
const AVOIDABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'permission_denied',
  'invalid_argument',
  'unsupported',
  'quota_exceeded',
  'busy',
]);

/** A pending request. Its parameters are not kept, because they may be large. */
interface Pending extends Identity {
  readonly permission: string | undefined;
  readonly controller: AbortController;
  /** Whether the permission was granted, so that the service call is in flight. */
  isRunning: boolean;
}

export class PageSession {
  readonly #log: HostLog;
  readonly #now: () => number;
  readonly #messages: TokenBucket;
  readonly #characters: TokenBucket;
  readonly #requests: TokenBucket;
  readonly #pending = new Map<string, Pending>();
  readonly #stopListening: () => void;
  /** Undefined before `hello`, null without a common version. */
  #protocol: number | null | undefined;
  #isClosed = false;

  constructor(private readonly options: PageSessionOptions) {
    this.#log = new HostLog(options.app.id, options.log);
    this.#now = options.now ?? (() => performance.now());
    const bucket = (burst: number, perSecond: number): TokenBucket =>
      new TokenBucket({ burst, perSecond }, this.#now());
    this.#messages = bucket(MESSAGE_BURST, MESSAGES_PER_SECOND);
    this.#characters = bucket(CHARACTER_BURST, CHARACTERS_PER_SECOND);
    this.#requests = bucket(LIMITS.requestBurst, LIMITS.requestsPerSecond);
    this.#stopListening = options.permissions.onChange((permission, state) => {
      if (state !== 'granted') this.#revoke(permission);
    });
  }

  /** Number of pending requests. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Handles a message of the page. Never throws. */
  receive(message: unknown): void {
    if (this.#isClosed) return;
    try {
      this.#read(message);
    } catch (error) {
      this.#log.report('failed', undefined, 'The host failed to read a message.', error);
    }
  }

  /** Closes the session of a closed page. Aborts its requests and drops late results. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopListening();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { controller } of pending) controller.abort();
    this.#log.flush();
  }

  #read(message: unknown): void {
    const length = typeof message === 'string' ? message.length : 0;
    const now = this.#now();
    if (!this.#messages.take(now) || (length <= LIMITS.message && !this.#characters.take(now, length))) {
      this.#log.report('dropped', undefined, 'The page sends faster than the host reads.');
      return;
    }
    const isInRate = this.#requests.take(now);
    const read = readFromApp(message);
    if (read.type === 'request') {
      this.#accept(read, isInRate);
    } else if (!isInRate) {
      this.#log.report('dropped', undefined, 'The page sends more messages than its rate of requests.');
    } else if (read.type === 'hello') {
      this.#greet(read);
    } else {
      this.#log.report('malformed', undefined, read.reason);
      if (read.id !== undefined)
        this.#send({
          type: 'response',
          protocol: PROTOCOL,
          id: read.id,
          error: { code: 'invalid_argument', message: `Not a valid request: ${read.reason}.` },
        });
    }
  }

  #greet(hello: Hello): void {
    const protocol = commonProtocol(hello);
    this.#protocol = protocol ?? null;
    if (protocol === undefined) {
      const error: BridgeError = { code: 'unsupported', message: `This host speaks version ${PROTOCOL}.` };
      this.#log.report('rejected', undefined, 'The SDK speaks no version of the protocol that the host speaks.');
      this.#send({ type: 'refused', error });
    } else {
      const { hostVersion, services } = this.options;
      this.#send({ type: 'welcome', protocol, host: hostVersion, operations: operationsOf(services) });
    }
  }

  #accept(request: Request, isInRate: boolean): void {
    const fault = this.#refusalOf(request, isInRate);
    if (fault !== undefined) {
      this.#reject(request, fault);
      return;
    }
    let work: Work;
    const permission = OPERATIONS.get(request.operation)?.permission;
    try {
      work = prepareWork(this.options.services, request.operation, request.params, () => {
        if (permission !== undefined && !this.options.permissions.has(permission)) throw undeclared(permission);
      });
    } catch (error) {
      this.#reject(request, this.#faultOf(request, error));
      return;
    }
    const { id, operation } = request;
    const pending: Pending = { id, operation, permission, controller: new AbortController(), isRunning: false };
    this.#pending.set(id, pending);
    void this.#run(pending, work);
  }

  #refusalOf({ id }: Identity, isInRate: boolean): HostFault | undefined {
    if (!isInRate) return new HostFault('busy', `More than ${LIMITS.requestsPerSecond} requests per second.`);
    if (this.#protocol === undefined) return new HostFault('invalid_argument', 'The page sent no "hello" before.');
    if (this.#protocol === null) return new HostFault('unsupported', `This host speaks version ${PROTOCOL}.`);
    if (this.#pending.has(id)) return new HostFault('invalid_argument', 'The "id" is that of a pending request.');
    if (this.#pending.size >= LIMITS.pending)
      return new HostFault('busy', `${LIMITS.pending} requests have no response yet; wait for one.`);
    return undefined;
  }

  async #run(pending: Pending, work: Work): Promise<void> {
    const { id, operation, permission, controller } = pending;
    try {
      if (permission !== undefined) await this.options.permissions.request(permission, controller.signal);
      if (!this.#isPending(pending)) return;
      pending.isRunning = true;
      const result = (await work({ appId: this.options.app.id, signal: controller.signal })) ?? null;
      if (!this.#isPending(pending)) return;
      const text = writeMessage({ type: 'response', protocol: PROTOCOL, id, result });
      if (text.length > LIMITS.message) throw tooLarge(operation);
      this.#pending.delete(id);
      this.#deliver(text);
    } catch (error) {
      const fault = this.#faultOf(pending, error);
      if (!this.#isPending(pending)) return;
      this.#pending.delete(id);
      this.#reject(pending, fault);
    }
  }

  /** False for a request with a response, or of a closed session. */
  #isPending(pending: Pending): boolean {
    return this.#pending.get(pending.id) === pending;
  }

  /** Aborts the requests in flight that use the permission. */
  #revoke(permission: string): void {
    for (const pending of [...this.#pending.values()]) {
      if (!pending.isRunning || pending.permission !== permission) continue;
      this.#pending.delete(pending.id);
      this.#reject(pending, denied(permission));
      pending.controller.abort();
    }
  }

  /** Converts an error for the app. An error that is no HostFault is logged in full. */
  #faultOf({ operation }: Identity, error: unknown): HostFault {
    if (error instanceof HostFault) return error;
    // A request that was aborted by a closed page or a revoked permission did not fail.
    if (!(error instanceof Error && error.name === 'AbortError'))
      this.#log.report('failed', operation, 'The host failed.', error);
    return operation === 'network.fetch'
      ? new HostFault('network_error', 'The host could not make the request.')
      : new HostFault('unsupported', 'The host failed. The app is not at fault.');
  }

  #reject({ id, operation }: Identity, { code, message }: HostFault): void {
    if (AVOIDABLE.has(code)) this.#log.report('rejected', operation, `${code}: ${message}`);
    this.#send({ type: 'response', protocol: PROTOCOL, id, error: { code, message } });
  }

  #send(message: FromHost): void {
    this.#deliver(writeMessage(message));
  }

  #deliver(text: string): void {
    try {
      this.options.send(text);
    } catch (error) {
      this.#log.report('failed', undefined, 'A message could not be delivered to the page.', error);
    }
  }
}

const tooLarge = (operation: string): HostFault =>
  new HostFault(
    operation === 'network.fetch' ? 'network_error' : 'quota_exceeded',
    `The result is longer than a message of ${LIMITS.message} characters.`,
  );
