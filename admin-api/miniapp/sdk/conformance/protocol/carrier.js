'use strict';

/** Sends and receives text messages without the SDK. */
const received = [];
const waiting = [];

function receive(text) {
  let message;
  try {
    message = JSON.parse(text);
  } catch (error) {
    message = { type: 'not JSON', text: String(text) };
  }
  received.push(message);
  for (const check of waiting.slice()) check();
}

const sendText = (() => {
  const { HostBridge, webkit, parent } = window;
  const handler = webkit && webkit.messageHandlers && webkit.messageHandlers.host;
  const bridge = HostBridge && HostBridge.postMessage ? HostBridge : handler;
  if (bridge) {
    addEventListener('host-message', (event) => receive(event.detail));
    if (bridge === HostBridge) Reflect.set(bridge, 'onmessage', (event) => receive(event.data));
    return (text) => bridge.postMessage(text);
  }
  addEventListener('message', (event) => {
    if (event.source === parent) receive(event.data);
  });
  return (text) => parent.postMessage(text, '*');
})();

const sendMessage = (message) => sendText(JSON.stringify(message));

/**
 * Resolves with the first message for which `fits` returns true; undefined after the deadline.
 * Ignores messages before index `from`.
 */
function awaitMessage(fits, from, deadlineMs) {
  return new Promise((resolve) => {
    const finish = (message) => {
      clearTimeout(timer);
      waiting.splice(waiting.indexOf(check), 1);
      resolve(message);
    };
    const check = () => {
      const message = received.slice(from).find(fits);
      if (message !== undefined) finish(message);
    };
    const timer = setTimeout(() => finish(undefined), deadlineMs);
    waiting.push(check);
    check();
  });
}
