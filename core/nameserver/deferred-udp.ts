/**
 * Replies over UDP that the main thread sends.
 *
 * A thread that blocks in recvmmsg cannot receive answers from the main thread. But the main thread
 * owns the sockets. So the DNS thread passes on the source and destination address of the message,
 * and the main thread replies through the same socket.
 */
import type { Libc } from '../os/libc.ts';
import { MSG_DONTWAIT } from '../os/socket-constants.ts';

export interface UdpReply {
  readonly fd: number;
  /** struct sockaddr of the client. */
  readonly name: Uint8Array;
  /**
   * Control data with the source address of the reply (PKTINFO). Empty: the address of the socket.
   */
  readonly control: Uint8Array;
}

export type SendUdp = (reply: UdpReply, message: Uint8Array) => void;

/** Size of struct mmsghdr and offsets of its fields, in bytes. */
const HEADER = 64;
const NAME_AT = 0;
const NAME_LENGTH_AT = 8;
const VECTOR_AT = 16;
const VECTORS_AT = 24;
const CONTROL_AT = 32;
const CONTROL_LENGTH_AT = 40;

/** A reply that cannot be sent immediately is lost, like any packet. The client retries. */
export function udpSender({ sendmmsg, address }: Pick<Libc, 'sendmmsg' | 'address'>): SendUdp {
  // Not a plain typed array: V8 may keep arrays below 64 bytes in its heap and move them.
  const room = (bytes: number): Buffer => Buffer.from(new ArrayBuffer(Math.max(bytes, 256)));
  const header = room(HEADER);
  const vector = room(16);
  const name = room(32);
  const control = room(64);
  const message = room(65_536);
  const at = (bytes: Buffer): bigint => address(bytes);
  header.writeBigUInt64LE(at(name), NAME_AT);
  header.writeBigUInt64LE(at(vector), VECTOR_AT);
  header.writeBigUInt64LE(1n, VECTORS_AT);
  vector.writeBigUInt64LE(at(message), 0);
  const held = [name, control, vector, message];
  return (reply, bytes) => {
    if (bytes.length > message.length) return;
    held[0].set(reply.name);
    control.set(reply.control);
    message.set(bytes);
    header.writeUInt32LE(reply.name.length, NAME_LENGTH_AT);
    header.writeBigUInt64LE(reply.control.length === 0 ? 0n : at(control), CONTROL_AT);
    header.writeBigUInt64LE(BigInt(reply.control.length), CONTROL_LENGTH_AT);
    vector.writeBigUInt64LE(BigInt(bytes.length), 8);
    sendmmsg(reply.fd, header, 1, MSG_DONTWAIT);
  };
}
