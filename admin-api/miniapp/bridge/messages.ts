/**
 * Messages between the SDK of an app and its host, version 1 of the protocol. Each message is one
 * JSON text. docs/mini-apps/bridge.md is the specification.
 */
import { type BridgeError, ERROR_CODES, type ErrorCode } from './errors.ts';
import { LIMITS } from './operations.ts';

export const PROTOCOL = 1;

/** The first message of a page. */
export interface Hello {
  readonly type: 'hello';
  /** Protocol versions that the SDK supports. */
  readonly protocols: readonly number[];
  /** Version of the SDK. */
  readonly sdk: string;
}

export interface Request {
  readonly type: 'request';
  readonly protocol: number;
  /** Chosen by the SDK; unique among pending requests. */
  readonly id: string;
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type FromApp = Hello | Request;

/** Response to `hello`. */
interface Welcome {
  readonly type: 'welcome';
  /** The protocol version of this session. */
  readonly protocol: number;
  /** Version of the host, compared with `minHostVersion` of manifests. */
  readonly host: string;
  /** Names of the operations that the host supports. */
  readonly operations: readonly string[];
}

/** Response to `hello` if there is no common version of the protocol. */
interface Refused {
  readonly type: 'refused';
  readonly error: BridgeError;
}

interface Response {
  readonly type: 'response';
  readonly protocol: number;
  readonly id: string;
  /** A JSON value. A response has either `result` or `error`. */
  readonly result?: unknown;
  readonly error?: BridgeError;
}

export type FromHost = Welcome | Refused | Response;

/** Why a message was dropped; for logs. */
export interface Malformed {
  readonly type: 'malformed';
  readonly reason: string;
  /** Id of the request, if readable: the response is then `invalid_argument`. */
  readonly id: string | undefined;
}

const LONGEST_ID = 64;
const LONGEST_NAME = 64;

const malformed = (reason: string, id?: string): Malformed => ({ type: 'malformed', reason, id });
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isShort = (value: unknown, limit: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= limit;

/** Parses a message of an app. Never throws, because messages of apps are untrusted. */
export function readFromApp(message: unknown): FromApp | Malformed {
  if (typeof message !== 'string') return malformed('the message is not a text');
  if (message.length > LIMITS.message) return malformed(`the message is longer than ${LIMITS.message} characters`);
  let value: unknown;
  try {
    value = JSON.parse(message);
  } catch {
    return malformed('the message is not JSON');
  }
  if (!isObject(value)) return malformed('the message is not an object');
  if (value.type === 'hello') return readHello(value);
  if (value.type === 'request') return readRequest(value);
  return malformed('"type" is neither "hello" nor "request"');
}

function readHello({ protocols, sdk }: Record<string, unknown>): Hello | Malformed {
  if (!Array.isArray(protocols) || protocols.length === 0 || !protocols.every(Number.isSafeInteger))
    return malformed('"protocols" is not a list of integers');
  if (!isShort(sdk, LONGEST_NAME)) return malformed('"sdk" is not a version');
  return { type: 'hello', protocols, sdk };
}

function readRequest({ protocol, id, operation, params }: Record<string, unknown>): Request | Malformed {
  if (!isShort(id, LONGEST_ID)) return malformed(`"id" is not a text of 1 to ${LONGEST_ID} characters`);
  if (protocol !== PROTOCOL) return malformed(`"protocol" is not ${PROTOCOL}`, id);
  if (!isShort(operation, LONGEST_NAME)) return malformed('"operation" is not a name', id);
  if (!isObject(params)) return malformed('"params" is not an object', id);
  return { type: 'request', protocol, id, operation, params };
}

/** The highest protocol version that both sides support; undefined: there is none. */
export const commonProtocol = ({ protocols }: Hello): number | undefined =>
  protocols.includes(PROTOCOL) ? PROTOCOL : undefined;

export const writeMessage = (message: FromApp | FromHost): string => JSON.stringify(message);

export const isErrorCode = (code: unknown): code is ErrorCode => ERROR_CODES.includes(code as ErrorCode);
