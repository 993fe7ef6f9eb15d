/** What the pool's tests serve: which thread answers, and what that thread was given and told. */
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import type { Application, ThreadContext } from '../../../../edge/http/server/application.ts';

export interface SiteData {
  readonly host: string;
  readonly pem: { readonly key: string; readonly cert: string };
  readonly text: string;
  /** Throws when it is made. */
  readonly isBroken?: boolean;
  /**
   * Shared; not 0 when requests for /late are to be answered: a thread that is about to end
   * receives nothing.
   */
  readonly late?: Int32Array;
}

/** Tells an application to open connections to a port, and to leave them open. */
export interface ConnectTo {
  readonly connectTo: number;
  readonly connections: number;
}

export interface SiteReply {
  readonly thread: number;
  readonly text: string;
  readonly event: readonly unknown[];
}

export function createApplication(data: unknown, { thread, loop, send }: ThreadContext): Application {
  const { host, pem, text, isBroken, late } = data as SiteData;
  if (isBroken) throw new Error('broken on purpose');
  const events: unknown[] = [];
  const waiting: (() => void)[] = [];
  const connect = async ({ connectTo, connections }: ConnectTo): Promise<void> => {
    if (loop === null) throw new Error('there is no loop');
    // Not in each thread: it takes as long as a tenth of the server.
    const { nativeSockets } = await import('../../../../edge/origin/native-socket.ts');
    const open = nativeSockets(loop, connections);
    const attempt = { onConnected() {}, onReady() {}, onFailed() {} };
    for (let i = 0; i < connections; i++) open('127.0.0.1', connectTo, null, attempt);
  };
  return {
    certificateFor: (name) => (name === host ? pem : undefined),
    handler(exchange) {
      if (exchange.path === '/throw') throw new Error('thrown on purpose');
      const reply: SiteReply = { thread, text, event: events };
      const answer = (): void => exchange.answer(new ReadyAnswer(200, [], Buffer.from(JSON.stringify(reply))));
      if (exchange.path === '/late') {
        send('late');
        const timer = setInterval(() => {
          if (late !== undefined && Atomics.load(late, 0) === 0) return;
          clearInterval(timer);
          answer();
        }, 10);
        return;
      }
      if (exchange.path !== '/wait') return answer();
      waiting.push(answer);
      send('waits');
    },
    onMessage(message) {
      events.push(message);
      if (typeof message === 'object') void connect(message as ConnectTo);
      if (message === 'die')
        setImmediate(() => {
          throw new Error('died on purpose');
        });
      if (message === 'answer') for (const resume of waiting.splice(0)) resume();
      send(`heard ${message}`);
    },
    close: () => send('closed'),
  };
}
