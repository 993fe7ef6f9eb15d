/**
 * Numbers of Linux's socket calls, as <sys/socket.h>, <netinet/in.h> and <netinet/tcp.h> have them
 * on x86-64 and arm64.
 */

export const AF_UNIX = 1;
export const AF_INET = 2;
export const AF_INET6 = 10;

export const SOCK_STREAM = 1;
export const SOCK_DGRAM = 2;
export const SOCK_NONBLOCK = 0o4000;
export const SOCK_CLOEXEC = 0o2000000;

export const MSG_PEEK = 2;
export const MSG_DONTWAIT = 0x40;
export const MSG_NOSIGNAL = 0x4000;
/** Wait for the first packet, then return the packets that are already queued. */
export const MSG_WAITFORONE = 0x10000;

export const SOL_SOCKET = 1;
export const SO_REUSEADDR = 2;
export const SO_ERROR = 4;
export const SO_SNDBUF = 7;
export const SO_RCVBUF = 8;
export const SO_KEEPALIVE = 9;
export const SO_LINGER = 13;
export const SO_REUSEPORT = 15;
export const SO_RCVTIMEO = 20;

export const IPPROTO_IP = 0;
export const IP_PKTINFO = 8;

export const IPPROTO_IPV6 = 41;
export const IPV6_V6ONLY = 26;
export const IPV6_RECVPKTINFO = 49;

export const IPPROTO_TCP = 6;
export const TCP_NODELAY = 1;
export const TCP_KEEPIDLE = 4;
export const TCP_KEEPINTVL = 5;
export const TCP_KEEPCNT = 6;
export const TCP_FASTOPEN = 23;
export const TCP_NOTSENT_LOWAT = 25;
