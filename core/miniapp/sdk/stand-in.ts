/** What `pkg init` writes as host-sdk.js where no SDK is at hand: enough to try an app in a browser, and nothing to publish. */
import { createHash } from 'node:crypto';

export const STAND_IN = `/*
 * Stand-in for host-sdk.js, to try the app in a browser. It is not the SDK: put the one that was issued in its place before you publish.
 */
(function () {
  'use strict';
  const stored = new Map();
  const later = (value) => new Promise((resolve) => setTimeout(() => resolve(value), 0));
  window.Host = Object.freeze({
    storage: Object.freeze({
      get: (key) => later(stored.get(key)),
      set: (key, value) => later(void stored.set(key, value)),
    }),
    ui: Object.freeze({
      toast: (text) => later(console.info('toast: ' + text)),
      vibrate: (ms) => later(console.info('vibrate: ' + ms + ' ms')),
    }),
    camera: Object.freeze({ takePhoto: () => Promise.reject(new Error('The stand-in has no camera.')) }),
    device: Object.freeze({ info: () => later({ model: 'stand-in', hostVersion: '0.0.0' }) }),
    network: Object.freeze({ fetch: (url, opts) => fetch(url, opts) }),
    background: Object.freeze({ schedule: (taskId, delayMs) => later(console.info('schedule: ' + taskId + ' in ' + delayMs + ' ms')) }),
  });
})();
`;

export const STAND_IN_SHA256 = createHash('sha256').update(STAND_IN).digest('hex');
