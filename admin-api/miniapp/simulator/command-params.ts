/** Arguments of the page's commands. Each reader throws CommandError. */
import type { DeviceInfo } from '../bridge/operations.ts';
import { CommandError } from './control-server.ts';

export type Params = Readonly<Record<string, unknown>>;

export function readText(params: Params, name: string, longest = 4 * 1024 * 1024): string {
  const value = params[name];
  if (typeof value !== 'string' || value.length > longest) throw new CommandError(`"${name}" is not a text.`);
  return value;
}

export function readInteger(params: Params, name: string): number {
  const value = params[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new CommandError(`"${name}" is no integer.`);
  return value;
}

export function readChoice<T extends string>(params: Params, name: string, choices: readonly T[]): T {
  const value = params[name] as T;
  if (!choices.includes(value)) throw new CommandError(`"${name}" is none of ${choices.join(', ')}.`);
  return value;
}

const LONGEST_NAME = 100;
const FULL_BATTERY = 100;

export function readDevice(params: Params): DeviceInfo {
  const batteryLevel = readInteger(params, 'batteryLevel');
  if (batteryLevel < 0 || batteryLevel > FULL_BATTERY)
    throw new CommandError(`The battery has 0 to ${FULL_BATTERY} percent.`);
  return {
    model: readText(params, 'model', LONGEST_NAME),
    osVersion: readText(params, 'osVersion', LONGEST_NAME),
    batteryLevel,
  };
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Base64 of a photo of at most `largest` bytes. */
export function readPhoto(params: Params, largest: number): string | null {
  if (params.jpeg === null) return null;
  const jpeg = readText(params, 'jpeg', Math.ceil((largest * 4) / 3) + 4);
  if (!BASE64.test(jpeg)) throw new CommandError('The photo is not Base64.');
  return jpeg;
}
