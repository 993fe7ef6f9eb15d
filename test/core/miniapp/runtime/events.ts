/** Background files of tests. */
import type { BackgroundEvent, CallHost, Program } from '../../../../core/miniapp/runtime/index.ts';

export const APP = 'com.example.app';

export const programOf = (text: string, appId = APP): Program => ({ appId, path: 'background.js', text });

/** A file whose handler has this body. */
export const handler = (body: string): string => `function onBackgroundEvent(event) { ${body} }`;

export const eventOf = (appId = APP): BackgroundEvent => ({ type: 'schedule', timestamp: 1_700_000_000_000, appId });

/** Has no operation. */
export const noHost: CallHost = () => {
  throw new Error('Nothing was to be called.');
};
