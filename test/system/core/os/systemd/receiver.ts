/**
 * What systemd has for services: a datagram socket of AF_UNIX, here in Python, since Node has none.
 */
import { type Child, startChild } from '../../../../support/child.ts';
import { PATIENCE_MS } from '../../../../support/patience.ts';

const PROGRAM = `
import json, socket, sys
path = sys.argv[1]
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind('\\0' + path[1:] if path[0] == '@' else path)
print('bound', flush=True)
while True:
    print(json.dumps(receiver.recv(65536).decode().split('\\n')), flush=True)
`;

export interface Receiver {
  /** The datagrams so far, each as its assignments. */
  messages(): string[][];
  /** Resolves when one that has come since `from` has it; with the number of those up to it. */
  until(assignment: RegExp, from?: number, ms?: number): Promise<number>;
  stop(): Promise<void>;
}

/** Resolves when it takes datagrams at `path`; `@name`: in the abstract namespace. */
export async function startReceiver(path: string): Promise<Receiver> {
  const child: Child = startChild('/usr/bin/python3', ['-c', PROGRAM, path]);
  await child.waitFor(/^bound$/);
  const messages = (): string[][] =>
    child
      .output()
      .split('\n')
      .slice(1, -1)
      .map((line) => JSON.parse(line) as string[]);
  return {
    messages,
    async until(assignment, from = 0, ms = PATIENCE_MS) {
      for (const deadline = Date.now() + ms; ; await new Promise((done) => setTimeout(done, 20))) {
        const at = messages().findIndex((message, i) => i >= from && message.some((text) => assignment.test(text)));
        if (at >= 0) return at + 1;
        if (Date.now() > deadline) throw new Error(`no ${assignment} came:\n${messages().slice(from).join('\n')}`);
      }
    },
    stop: async () => void (await child.stop()),
  };
}
