/** A page in front of a session, with services that note their calls. */
import { writeMessage } from '../../../../admin-api/miniapp/bridge/messages.ts';
import {
  type HostedApp,
  type HostLogEntry,
  PageSession,
  Permissions,
  type PermissionsOptions,
  type Services,
} from '../../../../admin-api/miniapp/host/index.ts';

export interface Answer {
  readonly type: string;
  readonly id?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly operations?: readonly string[];
}

export const ALL_PERMISSIONS = ['storage', 'vibrate', 'camera', 'device.info', 'network', 'background'];

export const appOf = (fields: Partial<HostedApp> = {}): HostedApp => ({
  id: 'com.example.notes',
  permissions: ALL_PERMISSIONS,
  ...fields,
});

/** Each service does nothing, and succeeds. `calls` receives its name. */
export function servicesThatNote(calls: string[]): Required<Services> {
  const note =
    <T>(name: string, result: T) =>
    (): T => {
      calls.push(name);
      return result;
    };
  return {
    storage: { get: note('get', null), set: note('set', undefined) },
    toast: note('toast', undefined),
    vibrate: note('vibrate', undefined),
    takePhoto: note('takePhoto', 'AAAA'),
    deviceInfo: note('deviceInfo', { model: 'Phone', osVersion: '1', batteryLevel: 50 }),
    fetch: note('fetch', { ok: true, status: 200, url: '', headers: {}, body: '', encoding: 'utf-8' as const }),
    schedule: note('schedule', undefined),
  };
}

export interface PageOptions {
  readonly app?: HostedApp;
  readonly services?: Services;
  readonly permissions?: Permissions;
  readonly prompt?: PermissionsOptions['prompt'];
  readonly now?: () => number;
  /** Whether the page sends `hello` first. */
  readonly greets?: boolean;
}

export function openPage(options: PageOptions = {}) {
  const app = options.app ?? appOf();
  const calls: string[] = [];
  const sent: Answer[] = [];
  const log: HostLogEntry[] = [];
  const prompt = options.prompt ?? (async () => 'granted' as const);
  const permissions = options.permissions ?? new Permissions(app, { prompt });
  let onSent: (() => void) | undefined;
  const session = new PageSession({
    app,
    permissions,
    services: options.services ?? servicesThatNote(calls),
    hostVersion: '1.0.0',
    send: (text) => {
      sent.push(JSON.parse(text));
      onSent?.();
    },
    log: (entry) => log.push(entry),
    now: options.now,
  });
  let ids = 0;
  const request = (operation: string, params: Record<string, unknown> = {}, id = `${++ids}`): string => {
    session.receive(writeMessage({ type: 'request', protocol: 1, id, operation, params }));
    return id;
  };
  if (options.greets !== false) session.receive(writeMessage({ type: 'hello', protocols: [1], sdk: '1.0.0' }));
  return {
    session,
    permissions,
    calls,
    sent,
    log,
    request,
    /** The response to a request, once it is there. */
    async answerTo(id: string): Promise<Answer> {
      for (;;) {
        const answer = sent.find((message) => message.id === id);
        if (answer !== undefined) return answer;
        await new Promise<void>((resolve) => {
          onSent = resolve;
        });
      }
    },
    /** `ok`, or the code of the error. */
    async outcome(operation: string, params: Record<string, unknown> = {}): Promise<string> {
      const { error } = await this.answerTo(request(operation, params));
      return error?.code ?? 'ok';
    },
  };
}

/** Lets everything go on that waits for nothing outside. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
