/** Sends the requests of this node to a watching node, as a line of JSON for each sample. */
import type { ServerResponse } from 'node:http';
import type { TailSample, WatchRequests } from '../observe/tail/request-tail.ts';

/** Unsent bytes above which samples are only counted. */
const MAX_UNREAD = 256 << 10;
/** Milliseconds after which an empty line shows that the connection works. */
const HEARTBEAT = 2_000;

/** Sends until the connection closes. */
export function sendRequests(watch: WatchRequests, domainId: number, response: ServerResponse): void {
  let omitted = 0;
  const send = (sample: TailSample): void => {
    if (response.writableLength > MAX_UNREAD) {
      omitted += sample.omitted + sample.requests.length;
      return;
    }
    response.write(`${JSON.stringify({ ...sample, omitted: sample.omitted + omitted })}\n`);
    omitted = 0;
  };
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.write('\n');
  const unwatch = watch(domainId, send);
  const timer = setInterval(() => {
    if (response.writableLength <= MAX_UNREAD) response.write('\n');
  }, HEARTBEAT);
  response.once('close', () => {
    clearInterval(timer);
    unwatch();
  });
}
