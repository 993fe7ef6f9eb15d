/** Relays messages between the frame of the app and the host. */
import { signal } from '@preact/signals';
import { LIMITS } from '../../bridge/operations.ts';
import { readFromGuard } from '../notices.ts';
import type { ServerEvent } from '../protocol.ts';
import { sendToHost } from './server.ts';
import { addLine, addNotice, clearScreen, showToast, updateTopics, vibrate } from './state.ts';
import { TEXTS } from './texts.ts';
import { countMessage, countText, receivePong, watchAgain, watchFrame } from './watch-app.ts';

/**
 * Number of the app's frame. Each load creates a frame, so that late messages of an earlier frame
 * can be dropped. 0: there is none yet.
 */
export const frameNumber = signal(0);
let element: HTMLIFrameElement | null = null;
let dropped = 0;

export function setFrame(frame: HTMLIFrameElement | null): void {
  element = frame;
}

function reload(): void {
  watchAgain();
  clearScreen();
  frameNumber.value++;
}

/** Accepts only messages from the frame's window with the opaque origin of the app. */
export function listen(): void {
  watchFrame(() => element);
  window.addEventListener('message', (event) => {
    const { source, origin } = event;
    if (element === null || source !== element.contentWindow || origin !== 'null') return refuse('from another window');
    // Reads `data` last, because the read deserializes a large message.
    if (!countMessage()) return;
    const { data } = event;
    if (typeof data === 'string') {
      countText(data);
      return forward(data);
    }
    const message = readFromGuard(data);
    if (message?.type === 'notice') addNotice(message.notice);
    else if (message?.type === 'pong') receivePong(message.id);
    else refuse('neither a text nor of the guard');
  });
}

/** 1, 10, 100, …: logs few lines for any number of messages, so other lines stay in the log. */
const isRound = (count: number): boolean => Number.isInteger(Math.log10(count));

const refused = new Map<string, number>();

/** Counts and drops an unaccepted message, such as from a frame within the app. */
function refuse(reason: string): void {
  const count = (refused.get(reason) ?? 0) + 1;
  refused.set(reason, count);
  if (isRound(count)) addNotice({ kind: 'blocked', attempt: 'message', detail: `${reason} (${count})` });
}

function forward(text: string): void {
  if (text.length <= LIMITS.message && sendToHost(frameNumber.value, text)) return;
  if (isRound(++dropped)) addLine('host', TEXTS.console.dropped(dropped));
}

export function receive(event: ServerEvent): void {
  if (event.type === 'topics') updateTopics(event.topics);
  else if (event.type === 'toast') showToast(event.text);
  else if (event.type === 'vibrate') vibrate(event.ms);
  else if (event.type === 'log') addLine('host', event.text);
  else if (event.type === 'message') deliver(event.frame, event.text);
  // A new stream: the server has no sessions for the frames of an earlier one.
  else reload();
}

/** Target origin `*`: an opaque origin has no name, and frame-src blocks other documents. */
function deliver(frame: number, text: string): void {
  if (frame === frameNumber.value) element?.contentWindow?.postMessage(text, '*');
}
