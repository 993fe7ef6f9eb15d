/** Background files of tests. */
import type { BackgroundEvent, CallHost, Outcome, Program } from '../../../../admin-api/miniapp/runtime/index.ts';

export const APP = 'com.example.app';

export const programOf = (text: string, appId = APP): Program => ({ appId, path: 'background.js', text });

/** A file whose handler has this body. */
export const handler = (body: string): string => `function onBackgroundEvent(event) { ${body} }`;

export const eventOf = (appId = APP): BackgroundEvent => ({ type: 'schedule', timestamp: 1_700_000_000_000, appId });

/** Has no operation. */
export const noHost: CallHost = () => {
  throw new Error('Nothing was to be called.');
};

/** With a variable of the top level. */
export const topLevel = (body: string): string => `let topLevel = 1;\n${handler(body)}`;

/** What the handler returned, or the name of the error: their messages are the engine's own. */
export function endOf(outcome: Outcome): unknown {
  if (outcome.state === 'finished') return outcome.value === null ? null : JSON.parse(outcome.value);
  if (outcome.reason !== 'threw') return outcome.reason;
  return /^\w+Error\b/.exec(outcome.message)?.[0] ?? outcome.message;
}
