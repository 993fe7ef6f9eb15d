/** The frame of the app, and what passes between it and the host. */
import { signal } from '@preact/signals';
import { LIMITS } from '../../bridge/operations.ts';
import { readFromGuard } from '../notices.ts';
import type { ServerEvent } from '../protocol.ts';
import { sendToHost } from './server.ts';
import { addLine, addNotice, clearScreen, showToast, updateTopics, vibrate } from './state.ts';
import { TEXTS } from './texts.ts';
import { countMessage, countText, receivePong, watchAgain, watchFrame } from './watch-app.ts';

/**
 * Each load of the app is a frame of its own, so that nothing of an earlier one is taken for it.
 * 0: there is none yet.
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

/** Messages of the app. Its origin is opaque, and no other window is the frame's. */
export function listen(): void {
  watchFrame(() => element);
  window.addEventListener('message', (event) => {
    const { source, origin } = event;
    if (element === null || source !== element.contentWindow || origin !== 'null') return refuse('from another window');
    // `data` is read last: only then is a large message unpacked.
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

/** 1, 10, 100, …: however many messages are counted, their few lines displace no other. */
const isRound = (count: number): boolean => Number.isInteger(Math.log10(count));

const refused = new Map<string, number>();

/** A frame within the app, or another window, is not heard. */
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
  // The server knows nothing of frames of an earlier stream.
  else reload();
}

/** An opaque origin cannot be named; frame-src keeps other documents out of the frame. */
function deliver(frame: number, text: string): void {
  if (frame === frameNumber.value) element?.contentWindow?.postMessage(text, '*');
}
