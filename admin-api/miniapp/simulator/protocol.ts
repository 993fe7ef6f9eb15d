/**
 * The protocol between the simulator's page and its control server. The server sends events; the
 * page sends commands and the messages of the app.
 */

import { SANDBOX_POLICY } from '../audit/policy/policy.ts';
import type { BridgeError } from '../bridge/errors.ts';
import type { DeviceInfo } from '../bridge/operations.ts';
import { PERMISSION_STATES, type PermissionState, type PromptAnswer } from '../host/permissions.ts';
import type { FailureReason } from '../runtime/outcome.ts';

export { PERMISSION_STATES, type PermissionState, type PromptAnswer };
/** Tokens of the frame of the app. */
export const SANDBOX = SANDBOX_POLICY.sandbox;

/** Network conditions of the simulated phone. */
export const NETWORK_MODES = ['online', 'offline', 'slow', 'error'] as const;
export type NetworkMode = (typeof NETWORK_MODES)[number];

/** A problem of the package, as the audit reports it. */
export interface FindingView {
  readonly type: 'error' | 'warning' | 'notice';
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly excerpt: string | null;
}

export interface AppView {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly versionCode: number;
  readonly minHostVersion: string;
  readonly permissions: readonly string[];
  readonly background: {
    readonly entry: string | null;
    readonly events: readonly string[];
    readonly permissions: readonly string[];
  } | null;
}

/** The current package on disk. */
export interface PackageView {
  readonly folder: string;
  /** Of the last manifest without errors; null: there was none yet. */
  readonly app: AppView | null;
  /** Errors of the current manifest; the app still runs with the last valid one. */
  readonly faults: readonly FindingView[];
  readonly sdk: 'issued' | 'not_issued' | 'missing';
  /** Increases when a file of the package changes. */
  readonly revision: number;
}

interface HostView {
  readonly version: string;
  readonly engine: string;
  /** The origin that serves only the app. */
  readonly appOrigin: string;
  /** Where storage, permissions and tasks are stored. */
  readonly stateFolder: string;
}

export interface PermissionView {
  readonly name: string;
  /** The manifest lists it. */
  readonly isDeclared: boolean;
  readonly state: PermissionState;
}

export interface PromptView {
  readonly id: number;
  readonly permission: string;
}

export interface StorageEntry {
  readonly key: string;
  /** Cut after `PREVIEW` characters. */
  readonly preview: string;
  /** Of key and value. */
  readonly bytes: number;
}

export interface StorageView {
  readonly entries: readonly StorageEntry[];
  /** Number of keys that are not in `entries`. */
  readonly omitted: number;
  readonly keys: number;
  readonly bytes: number;
}

export interface NetworkEntry {
  readonly id: number;
  readonly at: number;
  readonly method: string;
  readonly url: string;
  /** Undefined while there is no response. */
  readonly milliseconds?: number;
  readonly status?: number;
  readonly bytes?: number;
  readonly error?: BridgeError;
}

export interface NetworkView {
  readonly mode: NetworkMode;
  readonly entries: readonly NetworkEntry[];
}

export interface TaskView {
  readonly taskId: string;
  /** Epoch milliseconds, by the clock of the phone. */
  readonly dueAt: number;
  /** Number of started attempts. */
  readonly attempts: number;
  readonly isRunning: boolean;
}

/** An event that was delivered to the background file. */
export interface RunView {
  readonly id: number;
  /** Empty: it was sent by the user, without a task. */
  readonly taskId: string;
  /** When it ended. */
  readonly at: number;
  readonly milliseconds: number;
  readonly outcome: 'finished' | FailureReason;
  /** Epoch milliseconds of the next attempt. */
  readonly retryAt: number | null;
  /** The result or the error, and the calls of Host. */
  readonly lines: readonly string[];
  /** Calls that are not in `lines`. */
  readonly omittedCalls: number;
}

export interface BackgroundView {
  /** The clock of the phone minus the one of this machine, in milliseconds. */
  readonly clockOffset: number;
  readonly hasFile: boolean;
  /** The next ones first. */
  readonly tasks: readonly TaskView[];
  readonly runs: readonly RunView[];
}

export interface AuditView {
  readonly state: 'waiting' | 'running' | 'finished' | 'failed';
  readonly verdict: 'approved' | 'in_review' | 'rejected' | null;
  readonly findings: readonly FindingView[];
  /** Number of further findings. */
  readonly omitted: number;
  readonly milliseconds: number;
}

/** An attempt that the sandbox refused. */
export interface ViolationView {
  readonly id: number;
  readonly at: number;
  readonly kind: string;
  readonly detail: string;
  /** File and line in the package; empty if it is not known. */
  readonly source: string;
}

/** State of the page. A changed topic is sent as a whole. */
export interface Topics {
  readonly package: PackageView;
  readonly host: HostView;
  readonly permissions: readonly PermissionView[];
  readonly prompts: readonly PromptView[];
  readonly storage: StorageView;
  readonly device: DeviceInfo;
  /** Ids of photos that the app waits for. */
  readonly photos: readonly number[];
  readonly network: NetworkView;
  readonly background: BackgroundView;
  readonly audit: AuditView;
  readonly violations: readonly ViolationView[];
}
export type Topic = keyof Topics;

export type ServerEvent =
  /** The first event: the name of this stream, which the page sends with messages of the app. */
  | { readonly type: 'connected'; readonly client: string }
  | { readonly type: 'topics'; readonly topics: Partial<Topics> }
  /** A message of the host to a frame of the page. */
  | { readonly type: 'message'; readonly frame: number; readonly text: string }
  /** Reload the app: the package has changed, or the user requested it. */
  | { readonly type: 'reload' }
  | { readonly type: 'toast'; readonly text: string }
  | { readonly type: 'vibrate'; readonly ms: number }
  /** A line of the host in the console, such as a message that it dropped. */
  | { readonly type: 'log'; readonly text: string };

/** Messages of the app, in order. */
export interface AppMessages {
  readonly client: string;
  /** Number of the frame in the page; each load of the app has a new number. */
  readonly frame: number;
  readonly texts: readonly string[];
}

/** Commands by name, with their arguments. */
export interface Commands {
  readonly answer: { readonly prompt: number; readonly answer: PromptAnswer };
  readonly permit: { readonly permission: string; readonly state: PermissionState };
  readonly readStorage: { readonly key: string };
  readonly writeStorage: { readonly key: string; readonly value: string };
  readonly deleteStorage: { readonly key: string };
  readonly clearStorage: Record<string, never>;
  readonly device: DeviceInfo;
  /** Null: the user went back. */
  readonly photo: { readonly photo: number; readonly jpeg: string | null };
  readonly networkMode: { readonly mode: NetworkMode };
  readonly clearNetwork: Record<string, never>;
  readonly clearViolations: Record<string, never>;
  readonly runTask: { readonly taskId: string };
  readonly cancelTask: { readonly taskId: string };
  /** Delivers an event without a task. */
  readonly sendEvent: Record<string, never>;
  /** Positive only: turning the clock back would run no task. */
  readonly moveClock: { readonly ms: number };
  readonly reload: Record<string, never>;
}
export type CommandName = keyof Commands;

/** The response to a command. */
export type CommandResult =
  | { readonly ok: true; readonly value?: string }
  | { readonly ok: false; readonly message: string };

export const TOKEN_HEADER = 'x-simulator-token';
export const PATHS = {
  events: '/simulator/events',
  messages: '/simulator/messages',
  command: '/simulator/command/',
} as const;

/** Characters of a value in the list of storage. */
export const PREVIEW = 300;
