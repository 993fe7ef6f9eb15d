/** Elements that hold another page or a plug-in, in markup and made by scripts alike. */
export const FRAMES: ReadonlySet<string> = new Set([
  'iframe',
  'frame',
  'frameset',
  'object',
  'embed',
  'applet',
  'portal',
  'fencedframe',
  'webview',
]);
