/** epoll_ctl(2) through koffi. `struct epoll_event` is packed on x86-64. */
import koffi from 'koffi';

export const EPOLL_CTL_ADD = 1;
export const EPOLL_CTL_DEL = 2;
export const EPOLL_CTL_MOD = 3;
export const EPOLLIN = 1;
export const EPOLLOUT = 4;
export const EPOLLERR = 8;
export const EPOLLHUP = 16;
export const EPOLLRDHUP = 0x2000;
export const EPOLLET = 0x8000_0000;

/** Bytes of an event, and the offset of the tag in it. */
export const EVENT = process.arch === 'x64' ? 12 : 16;
export const DATA_AT = EVENT - 8;

/** `tag` is returned with each event; below 2^32. False: the call failed. */
type EpollControl = (epoll: number, operation: number, fd: number, tag: number, events: number) => boolean;

/** Throws if the call is unavailable. */
export function loadEpollControl(): EpollControl {
  const call = koffi.load(null).func('int epoll_ctl(int, int, int, uintptr_t)');
  // Larger than buffers in the heap of V8, which can move.
  const event = new DataView(new ArrayBuffer(256));
  const address = Number(koffi.address(new Uint8Array(event.buffer)));
  return (epoll, operation, fd, tag, events) => {
    event.setUint32(0, events, true);
    event.setUint32(DATA_AT, tag, true);
    return call(epoll, operation, fd, address) === 0;
  };
}
