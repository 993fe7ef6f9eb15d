/**
 * The host of one app: permissions, services, and a session for each displayed page. A new manifest
 * needs a new host.
 */

import { PERMISSIONS } from '../audit/manifest/manifest.ts';
import type { DeviceInfo } from '../bridge/operations.ts';
import type { AppStorage } from '../host/app-storage.ts';
import type { HostLogEntry } from '../host/host-log.ts';
import { PageSession } from '../host/page-session.ts';
import { type PermissionState, Permissions, type Prompt } from '../host/permissions.ts';
import type { HostedApp, Services } from '../host/services.ts';
import type { SimulatedNetwork } from './network.ts';
import type { AppMessages, AppView, PermissionView } from './protocol.ts';
import type { Camera } from './user.ts';

export interface Phone {
  readonly storage: AppStorage;
  readonly network: SimulatedNetwork;
  readonly camera: Camera;
  readonly hostVersion: string;
  deviceInfo(): DeviceInfo;
  prompt: Prompt;
  toast(text: string): void;
  vibrate(ms: number): void;
  schedule(appId: string, taskId: string, delayMs: number): Promise<void>;
  /** To the frame that the session belongs to. */
  send(client: string, frame: number, text: string): void;
  log(entry: HostLogEntry): void;
  fault(error: unknown): void;
  permissionsChanged(): void;
}

interface Shown {
  readonly frame: number;
  readonly session: PageSession;
  /** Number of documents that the app server had sent at the start of the session. */
  readonly documents: number;
}

const HELLO = '"hello"';

export class AppHost {
  readonly permissions: Permissions;
  readonly #services: Services;
  /** By the name of the stream of events of the page that shows the app. */
  readonly #sessions = new Map<string, Shown>();
  #documents = 0;

  constructor(
    readonly app: AppView,
    private readonly phone: Phone,
  ) {
    this.permissions = new Permissions(this.hosted, {
      prompt: phone.prompt,
      store: phone.storage,
      onFault: phone.fault,
    });
    this.permissions.onChange(() => phone.permissionsChanged());
    this.#services = {
      storage: phone.storage,
      toast: (_, text) => phone.toast(text),
      vibrate: (_, ms) => phone.vibrate(ms),
      takePhoto: ({ signal }) => phone.camera.takePhoto(signal),
      deviceInfo: () => phone.deviceInfo(),
      fetch: (call, request) => phone.network.fetch(call, request),
      schedule: ({ appId }, taskId, delayMs) => phone.schedule(appId, taskId, delayMs),
    };
  }

  get hosted(): HostedApp {
    const { id, permissions, background } = this.app;
    return { id, permissions, background: background ?? undefined };
  }

  receive({ client, frame, texts }: AppMessages): void {
    for (const text of texts) this.#sessionOf(client, frame, text).receive(text);
  }

  /**
   * Called when the app server sends a document: the next `hello` is from a new page. Pages in a
   * frame cannot be distinguished in any other way.
   */
  documentSent(): void {
    this.#documents++;
  }

  /** The page that showed the app was closed. */
  leave(client: string): void {
    this.#sessions.get(client)?.session.close();
    this.#sessions.delete(client);
  }

  permissionViews(): readonly PermissionView[] {
    return PERMISSIONS.map((name) => ({
      name,
      isDeclared: this.permissions.has(name),
      state: this.permissions.stateOf(name) ?? 'ask',
    }));
  }

  permit(permission: string, state: PermissionState): void {
    this.permissions.set(permission, state);
  }

  close(): void {
    for (const client of [...this.#sessions.keys()]) this.leave(client);
  }

  #sessionOf(client: string, frame: number, text: string): PageSession {
    const shown = this.#sessions.get(client);
    const isLeft =
      shown !== undefined &&
      (shown.frame !== frame || (shown.documents < this.#documents && text.slice(0, 32).includes(HELLO)));
    if (shown !== undefined && !isLeft) return shown.session;
    this.leave(client);
    const session = new PageSession({
      app: this.hosted,
      permissions: this.permissions,
      services: this.#services,
      hostVersion: this.phone.hostVersion,
      send: (message) => this.phone.send(client, frame, message),
      log: this.phone.log,
    });
    this.#sessions.set(client, { frame, session, documents: this.#documents });
    return session;
  }
}
