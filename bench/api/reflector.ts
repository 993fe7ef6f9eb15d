/**
 * Answers every request on 127.0.0.1:PORT with the same 512 bytes, whatever it says: `node
 * dist/bench/api/reflector.js PORT`. What the generator reaches with it is as much as it could
 * tell of any server. A request is as long as what one read brings, which holds for ours.
 */
import { Area, accept, close, listenOn, Poll } from './tcp.ts';

const CONTENT = 448;
const answer = new Area(Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${CONTENT}\r\n\r\n`.padEnd(512, '.')));
answer.bytes.fill('.', answer.bytes.indexOf('\r\n\r\n') + 4);
const length = answer.bytes.indexOf('\r\n\r\n') + 4 + CONTENT;
const request = new Area(Buffer.alloc(64 << 10));
const poll = new Poll();
const listener = listenOn(Number(process.argv[2]));
poll.watch(listener, listener, false);

for (;;) {
  const ready = poll.wait(1000);
  for (let i = 0; i < ready; i++) {
    const fd = poll.tag(i);
    if (fd === listener) {
      for (let figure = accept(listener); figure >= 0; figure = accept(listener)) poll.watch(figure, figure, false);
      continue;
    }
    const n = request.receive(fd, 0);
    if (n > 0) answer.send(fd, 0, length);
    else if (n !== -1) close(fd);
  }
}
