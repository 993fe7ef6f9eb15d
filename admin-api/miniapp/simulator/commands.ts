/** Handlers of the page's commands. */

import { PERMISSIONS } from '../audit/manifest/manifest.ts';
import { HostFault } from '../bridge/errors.ts';
import { type DeviceInfo, LIMITS } from '../bridge/operations.ts';
import type { AppStorage } from '../host/app-storage.ts';
import { PERMISSION_STATES, type PromptAnswer } from '../host/permissions.ts';
import type { AppHost } from './app-host.ts';
import type { BackgroundTasks } from './background.ts';
import { CommandError } from './control-server.ts';
import type { SimulatedNetwork } from './network.ts';
import { type CommandName, NETWORK_MODES } from './protocol.ts';
import type { Camera, Prompts } from './user.ts';

const LONGEST_NAME = 100;

const FULL_BATTERY = 100;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export interface CommandContext {
  readonly prompts: Prompts;
  readonly camera: Camera;
  readonly network: SimulatedNetwork;
  readonly background: BackgroundTasks;
  readonly storage: AppStorage;
  /** Throws CommandError if there is no app. */
  host(): AppHost;
  setDevice(device: DeviceInfo): void;
  clearViolations(): void;
  reload(): void;
}

/** A returned or resolved text is the value of the response. */
type Command = (params: Params) => unknown;

const ANSWERS: readonly PromptAnswer[] = ['granted', 'denied', 'denied_forever'];

export function makeCommands(context: CommandContext): Readonly<Record<CommandName, Command>> {
  const { prompts, camera, network, storage, background } = context;
  const appId = (): string => context.host().app.id;
  return {
    answer: (params) => void prompts.answer(readInteger(params, 'prompt'), readChoice(params, 'answer', ANSWERS)),
    permit: (params) =>
      context
        .host()
        .permit(readChoice(params, 'permission', PERMISSIONS), readChoice(params, 'state', PERMISSION_STATES)),
    readStorage: (params) => {
      const value = storage.get(appId(), readText(params, 'key'));
      if (value === null) throw new CommandError('The app has deleted this key meanwhile.');
      return value;
    },
    writeStorage: (params) => {
      const key = readText(params, 'key');
      if (key === '') throw new CommandError('Enter a key.');
      return withinLimits(() => storage.set(appId(), key, readText(params, 'value')));
    },
    deleteStorage: (params) => storage.delete(appId(), readText(params, 'key')),
    clearStorage: () => storage.clear(appId()),
    device: (params) => context.setDevice(readDevice(params)),
    photo: (params) => void camera.deliver(readInteger(params, 'photo'), readPhoto(params, LIMITS.photo)),
    networkMode: (params) => network.setMode(readChoice(params, 'mode', NETWORK_MODES)),
    clearNetwork: () => network.clear(),
    runTask: (params) => background.runNow(readText(params, 'taskId')),
    cancelTask: (params) => background.cancel(readText(params, 'taskId')),
    sendEvent: () => background.sendEvent(),
    moveClock: (params) => {
      const ms = readInteger(params, 'ms');
      if (ms <= 0 || ms > LIMITS.delayMax) throw new CommandError('Move the clock ahead, by at most 30 days.');
      background.moveClock(ms);
    },
    clearViolations: () => context.clearViolations(),
    reload: () => context.reload(),
  };
}

/** Converts a HostFault to an error for the user. */
async function withinLimits(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw error instanceof HostFault ? new CommandError(error.message) : error;
  }
}

type Params = Readonly<Record<string, unknown>>;

/** Arguments of the page's commands. Each reader throws CommandError. */
function readText(params: Params, name: string, longest = 4 * 1024 * 1024): string {
  const value = params[name];
  if (typeof value !== 'string' || value.length > longest) throw new CommandError(`"${name}" is not a text.`);
  return value;
}

function readInteger(params: Params, name: string): number {
  const value = params[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new CommandError(`"${name}" is not an integer.`);
  return value;
}

function readChoice<T extends string>(params: Params, name: string, choices: readonly T[]): T {
  const value = params[name] as T;
  if (!choices.includes(value)) throw new CommandError(`"${name}" is not one of ${choices.join(', ')}.`);
  return value;
}

function readDevice(params: Params): DeviceInfo {
  const batteryLevel = readInteger(params, 'batteryLevel');
  if (batteryLevel < 0 || batteryLevel > FULL_BATTERY)
    throw new CommandError(`The battery has 0 to ${FULL_BATTERY} percent.`);
  return {
    model: readText(params, 'model', LONGEST_NAME),
    osVersion: readText(params, 'osVersion', LONGEST_NAME),
    batteryLevel,
  };
}

/** Base64 of a photo of at most `largest` bytes. */
function readPhoto(params: Params, largest: number): string | null {
  if (params.jpeg === null) return null;
  const jpeg = readText(params, 'jpeg', Math.ceil((largest * 4) / 3) + 4);
  if (!BASE64.test(jpeg)) throw new CommandError('The photo is not Base64.');
  return jpeg;
}
