/** Elements that embed another page or a plug-in. Markup and scripts can create them. */
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
