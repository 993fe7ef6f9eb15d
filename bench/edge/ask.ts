/** One request over a connection of its own. */
import { connect, constants } from 'node:http2';
import { HOST } from './requests.ts';

const ASK_MS = 5000;

/** The status. Rejects when there is no answer. */
export function ask(port: number, path = '/small'): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://${HOST}:${port}`, { host: '127.0.0.1', rejectUnauthorized: false });
    const fail = (error: Error): void => {
      session.destroy();
      reject(error);
    };
    session.setTimeout(ASK_MS, () => fail(new Error(`no answer within ${ASK_MS} ms`)));
    session.on('error', fail);
    const request = session.request({ ':path': path });
    let status = 0;
    request.on('error', fail);
    request.on('response', (headers) => {
      status = Number(headers[constants.HTTP2_HEADER_STATUS]);
    });
    request.on('data', () => {});
    request.on('end', () => {
      session.close();
      resolve(status);
    });
    request.end();
  });
}
