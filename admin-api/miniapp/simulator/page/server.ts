/** The control server: its events, commands, and the messages of the app. */
import { signal } from '@preact/signals';
import {
  type CommandName,
  type CommandResult,
  type Commands,
  PATHS,
  type ServerEvent,
  TOKEN_HEADER,
} from '../protocol.ts';
import { TEXTS } from './texts.ts';

const token = document.querySelector<HTMLMetaElement>('meta[name="simulator-token"]')?.content ?? '';
const headers = { [TOKEN_HEADER]: token, 'Content-Type': 'application/json' };
const RETRY_MS = 500;
/** Status for a token of an earlier run of the server. */
const OTHER_RUN = 403;

export const isConnected = signal(false);
/** Id of the event stream. */
let client = '';

/** Reads events while the page is open. */
export async function readEvents(onEvent: (event: ServerEvent) => void): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(PATHS.events, { headers });
      if (response.status === OTHER_RUN) return location.reload();
      if (response.ok && response.body !== null) await readStream(response.body, onEvent);
    } catch {
      // The server has stopped or is restarting.
    }
    isConnected.value = false;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function readStream(body: ReadableStream<Uint8Array>, onEvent: (event: ServerEvent) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let parts: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    // An event ends with an empty line; a large one arrives in many chunks.
    const pieces = value.split('\n\n');
    for (const [index, piece] of pieces.entries()) {
      parts.push(piece);
      if (index === pieces.length - 1) break;
      const text = parts.join('');
      parts = [];
      if (!text.startsWith('data: ')) continue;
      const event = JSON.parse(text.slice('data: '.length)) as ServerEvent;
      if (event.type === 'connected') {
        client = event.client;
        isConnected.value = true;
      }
      onEvent(event);
    }
  }
}

/** Null on success, else the error message. */
export async function command<Name extends CommandName>(name: Name, params: Commands[Name]): Promise<string | null> {
  const result = await request(name, params);
  return result.ok ? null : result.message;
}

export async function readStoredValue(key: string): Promise<CommandResult> {
  return request('readStorage', { key });
}

async function request<Name extends CommandName>(name: Name, params: Commands[Name]): Promise<CommandResult> {
  try {
    const response = await fetch(PATHS.command + name, { method: 'POST', headers, body: JSON.stringify(params) });
    return (await response.json()) as CommandResult;
  } catch {
    return { ok: false, message: TEXTS.unreachable };
  }
}

/** Maximum queued characters. Further messages are dropped. */
const MOST_WAITING = 30_000_000;
const MOST_IN_REQUEST = 1000;
/** Maximum characters of a request. The server's limit in bytes is a few times higher. */
const LARGEST_REQUEST = 12_000_000;

interface Waiting {
  readonly frame: number;
  readonly text: string;
}

let waiting: Waiting[] = [];
let waitingLength = 0;
let isSending = false;

/** Queues a message of the app, in order. False: it was dropped. */
export function sendToHost(frame: number, text: string): boolean {
  if (waitingLength + text.length > MOST_WAITING) return false;
  waiting.push({ frame, text });
  waitingLength += text.length;
  if (!isSending) void sendWaiting();
  return true;
}

async function sendWaiting(): Promise<void> {
  isSending = true;
  // Messages of one turn of the event loop share one request.
  await new Promise((resolve) => setTimeout(resolve));
  while (waiting.length > 0) {
    const { frame } = waiting[0];
    const texts: string[] = [];
    let length = 0;
    for (const message of waiting) {
      if (message.frame !== frame || texts.length === MOST_IN_REQUEST) break;
      if (texts.length > 0 && length + message.text.length > LARGEST_REQUEST) break;
      texts.push(message.text);
      length += message.text.length;
    }
    waiting = waiting.slice(texts.length);
    waitingLength -= length;
    const body = JSON.stringify({ client, frame, texts });
    await fetch(PATHS.messages, { method: 'POST', headers, body }).catch(() => undefined);
  }
  isSending = false;
}
