/**
 * The special-purpose ranges of IPv4: first and last address of each, and the neighbours just
 * outside where no row before has them.
 */
import type { Row } from './row.ts';

export const IPV4_ROWS: readonly Row[] = [
  // 0.0.0.0/8 This network
  { text: '0.0.0.0', verdict: 'private', reason: 'is in 0.0.0.0/32, "This host on this network"' },
  { text: '0.255.255.255', verdict: 'private', reason: 'is in 0.0.0.0/8, "This network"' },
  { text: '1.0.0.0', verdict: 'public', reason: '' },
  // 0.0.0.0/32 This host on this network
  { text: '0.0.0.1', verdict: 'private', reason: 'is in 0.0.0.0/8, "This network"' },
  // 10.0.0.0/8 Private-Use
  { text: '9.255.255.255', verdict: 'public', reason: '' },
  { text: '10.0.0.0', verdict: 'private', reason: 'is in 10.0.0.0/8, "Private-Use"' },
  { text: '10.255.255.255', verdict: 'private', reason: 'is in 10.0.0.0/8, "Private-Use"' },
  { text: '11.0.0.0', verdict: 'public', reason: '' },
  // 100.64.0.0/10 Shared Address Space
  { text: '100.63.255.255', verdict: 'public', reason: '' },
  { text: '100.64.0.0', verdict: 'private', reason: 'is in 100.64.0.0/10, "Shared Address Space"' },
  { text: '100.127.255.255', verdict: 'private', reason: 'is in 100.64.0.0/10, "Shared Address Space"' },
  { text: '100.128.0.0', verdict: 'public', reason: '' },
  // 127.0.0.0/8 Loopback
  { text: '126.255.255.255', verdict: 'public', reason: '' },
  { text: '127.0.0.0', verdict: 'private', reason: 'is in 127.0.0.0/8, "Loopback"' },
  { text: '127.255.255.255', verdict: 'private', reason: 'is in 127.0.0.0/8, "Loopback"' },
  { text: '128.0.0.0', verdict: 'public', reason: '' },
  // 168.63.129.16/32 Azure platform services
  { text: '168.63.129.15', verdict: 'public', reason: '' },
  { text: '168.63.129.16', verdict: 'private', reason: 'is in 168.63.129.16/32, "Azure platform services"' },
  { text: '168.63.129.17', verdict: 'public', reason: '' },
  // 161.26.0.0/16 IBM Cloud infrastructure services
  { text: '161.25.255.255', verdict: 'public', reason: '' },
  { text: '161.26.0.0', verdict: 'private', reason: 'is in 161.26.0.0/16, "IBM Cloud infrastructure services"' },
  { text: '161.26.255.255', verdict: 'private', reason: 'is in 161.26.0.0/16, "IBM Cloud infrastructure services"' },
  { text: '161.27.0.0', verdict: 'public', reason: '' },
  // 166.8.0.0/14 IBM Cloud service endpoints
  { text: '166.7.255.255', verdict: 'public', reason: '' },
  { text: '166.8.0.0', verdict: 'private', reason: 'is in 166.8.0.0/14, "IBM Cloud service endpoints"' },
  { text: '166.11.255.255', verdict: 'private', reason: 'is in 166.8.0.0/14, "IBM Cloud service endpoints"' },
  { text: '166.12.0.0', verdict: 'public', reason: '' },
  // 192.80.8.124/32 Equinix Metal metadata
  { text: '192.80.8.123', verdict: 'public', reason: '' },
  { text: '192.80.8.124', verdict: 'private', reason: 'is in 192.80.8.124/32, "Equinix Metal metadata"' },
  { text: '192.80.8.125', verdict: 'public', reason: '' },
  // 199.36.153.4/30 Google Cloud restricted APIs
  { text: '199.36.153.3', verdict: 'public', reason: '' },
  { text: '199.36.153.4', verdict: 'private', reason: 'is in 199.36.153.4/30, "Google Cloud restricted APIs"' },
  { text: '199.36.153.7', verdict: 'private', reason: 'is in 199.36.153.4/30, "Google Cloud restricted APIs"' },
  // 199.36.153.8/30 Google Cloud private APIs
  { text: '199.36.153.8', verdict: 'private', reason: 'is in 199.36.153.8/30, "Google Cloud private APIs"' },
  { text: '199.36.153.11', verdict: 'private', reason: 'is in 199.36.153.8/30, "Google Cloud private APIs"' },
  { text: '199.36.153.12', verdict: 'public', reason: '' },
  // Metadata services in special ranges: most platforms, AWS containers, Alibaba, Tencent, Oracle
  { text: '169.254.169.254', verdict: 'private', reason: 'is in 169.254.0.0/16, "Link Local"' },
  { text: '169.254.170.2', verdict: 'private', reason: 'is in 169.254.0.0/16, "Link Local"' },
  { text: '100.100.100.200', verdict: 'private', reason: 'is in 100.64.0.0/10, "Shared Address Space"' },
  { text: '100.88.222.5', verdict: 'private', reason: 'is in 100.64.0.0/10, "Shared Address Space"' },
  { text: '192.0.0.192', verdict: 'private', reason: 'is in 192.0.0.0/24, "IETF Protocol Assignments"' },
  // 169.254.0.0/16 Link Local
  { text: '169.253.255.255', verdict: 'public', reason: '' },
  { text: '169.254.0.0', verdict: 'private', reason: 'is in 169.254.0.0/16, "Link Local"' },
  { text: '169.254.255.255', verdict: 'private', reason: 'is in 169.254.0.0/16, "Link Local"' },
  { text: '169.255.0.0', verdict: 'public', reason: '' },
  // 172.16.0.0/12 Private-Use
  { text: '172.15.255.255', verdict: 'public', reason: '' },
  { text: '172.16.0.0', verdict: 'private', reason: 'is in 172.16.0.0/12, "Private-Use"' },
  { text: '172.31.255.255', verdict: 'private', reason: 'is in 172.16.0.0/12, "Private-Use"' },
  { text: '172.32.0.0', verdict: 'public', reason: '' },
  // 192.0.0.0/24 IETF Protocol Assignments
  { text: '191.255.255.255', verdict: 'public', reason: '' },
  { text: '192.0.0.0', verdict: 'private', reason: 'is in 192.0.0.0/29, "IPv4 Service Continuity Prefix"' },
  { text: '192.0.0.255', verdict: 'private', reason: 'is in 192.0.0.0/24, "IETF Protocol Assignments"' },
  { text: '192.0.1.0', verdict: 'public', reason: '' },
  // 192.0.0.0/29 IPv4 Service Continuity Prefix
  { text: '192.0.0.7', verdict: 'private', reason: 'is in 192.0.0.0/29, "IPv4 Service Continuity Prefix"' },
  { text: '192.0.0.8', verdict: 'private', reason: 'is in 192.0.0.8/32, "IPv4 dummy address"' },
  // 192.0.0.8/32 IPv4 dummy address
  { text: '192.0.0.9', verdict: 'private', reason: 'is in 192.0.0.9/32, "Port Control Protocol Anycast"' },
  // 192.0.0.9/32 Port Control Protocol Anycast
  {
    text: '192.0.0.10',
    verdict: 'private',
    reason: 'is in 192.0.0.10/32, "Traversal Using Relays around NAT Anycast"',
  },
  // 192.0.0.10/32 Traversal Using Relays around NAT Anycast
  { text: '192.0.0.11', verdict: 'private', reason: 'is in 192.0.0.0/24, "IETF Protocol Assignments"' },
  // 192.0.0.170/32 NAT64/DNS64 Discovery
  { text: '192.0.0.169', verdict: 'private', reason: 'is in 192.0.0.0/24, "IETF Protocol Assignments"' },
  { text: '192.0.0.170', verdict: 'private', reason: 'is in 192.0.0.170/32, "NAT64/DNS64 Discovery"' },
  { text: '192.0.0.171', verdict: 'private', reason: 'is in 192.0.0.171/32, "NAT64/DNS64 Discovery"' },
  // 192.0.0.171/32 NAT64/DNS64 Discovery
  { text: '192.0.0.172', verdict: 'private', reason: 'is in 192.0.0.0/24, "IETF Protocol Assignments"' },
  // 192.0.2.0/24 Documentation (TEST-NET-1)
  { text: '192.0.1.255', verdict: 'public', reason: '' },
  { text: '192.0.2.0', verdict: 'private', reason: 'is in 192.0.2.0/24, "Documentation (TEST-NET-1)"' },
  { text: '192.0.2.255', verdict: 'private', reason: 'is in 192.0.2.0/24, "Documentation (TEST-NET-1)"' },
  { text: '192.0.3.0', verdict: 'public', reason: '' },
  // 192.31.196.0/24 AS112-v4
  { text: '192.31.195.255', verdict: 'public', reason: '' },
  { text: '192.31.196.0', verdict: 'private', reason: 'is in 192.31.196.0/24, "AS112-v4"' },
  { text: '192.31.196.255', verdict: 'private', reason: 'is in 192.31.196.0/24, "AS112-v4"' },
  { text: '192.31.197.0', verdict: 'public', reason: '' },
  // 192.52.193.0/24 AMT
  { text: '192.52.192.255', verdict: 'public', reason: '' },
  { text: '192.52.193.0', verdict: 'private', reason: 'is in 192.52.193.0/24, "AMT"' },
  { text: '192.52.193.255', verdict: 'private', reason: 'is in 192.52.193.0/24, "AMT"' },
  { text: '192.52.194.0', verdict: 'public', reason: '' },
  // 192.88.99.0/24 Deprecated (6to4 Relay Anycast)
  { text: '192.88.98.255', verdict: 'public', reason: '' },
  { text: '192.88.99.0', verdict: 'private', reason: 'is in 192.88.99.0/24, "Deprecated (6to4 Relay Anycast)"' },
  { text: '192.88.99.255', verdict: 'private', reason: 'is in 192.88.99.0/24, "Deprecated (6to4 Relay Anycast)"' },
  { text: '192.88.100.0', verdict: 'public', reason: '' },
  // 192.88.99.2/32 6a44-relay anycast address
  { text: '192.88.99.1', verdict: 'private', reason: 'is in 192.88.99.0/24, "Deprecated (6to4 Relay Anycast)"' },
  { text: '192.88.99.2', verdict: 'private', reason: 'is in 192.88.99.2/32, "6a44-relay anycast address"' },
  { text: '192.88.99.3', verdict: 'private', reason: 'is in 192.88.99.0/24, "Deprecated (6to4 Relay Anycast)"' },
  // 192.168.0.0/16 Private-Use
  { text: '192.167.255.255', verdict: 'public', reason: '' },
  { text: '192.168.0.0', verdict: 'private', reason: 'is in 192.168.0.0/16, "Private-Use"' },
  { text: '192.168.255.255', verdict: 'private', reason: 'is in 192.168.0.0/16, "Private-Use"' },
  { text: '192.169.0.0', verdict: 'public', reason: '' },
  // 192.175.48.0/24 Direct Delegation AS112 Service
  { text: '192.175.47.255', verdict: 'public', reason: '' },
  { text: '192.175.48.0', verdict: 'private', reason: 'is in 192.175.48.0/24, "Direct Delegation AS112 Service"' },
  { text: '192.175.48.255', verdict: 'private', reason: 'is in 192.175.48.0/24, "Direct Delegation AS112 Service"' },
  { text: '192.175.49.0', verdict: 'public', reason: '' },
  // 198.18.0.0/15 Benchmarking
  { text: '198.17.255.255', verdict: 'public', reason: '' },
  { text: '198.18.0.0', verdict: 'private', reason: 'is in 198.18.0.0/15, "Benchmarking"' },
  { text: '198.19.255.255', verdict: 'private', reason: 'is in 198.18.0.0/15, "Benchmarking"' },
  { text: '198.20.0.0', verdict: 'public', reason: '' },
  // 198.51.100.0/24 Documentation (TEST-NET-2)
  { text: '198.51.99.255', verdict: 'public', reason: '' },
  { text: '198.51.100.0', verdict: 'private', reason: 'is in 198.51.100.0/24, "Documentation (TEST-NET-2)"' },
  { text: '198.51.100.255', verdict: 'private', reason: 'is in 198.51.100.0/24, "Documentation (TEST-NET-2)"' },
  { text: '198.51.101.0', verdict: 'public', reason: '' },
  // 203.0.113.0/24 Documentation (TEST-NET-3)
  { text: '203.0.112.255', verdict: 'public', reason: '' },
  { text: '203.0.113.0', verdict: 'private', reason: 'is in 203.0.113.0/24, "Documentation (TEST-NET-3)"' },
  { text: '203.0.113.255', verdict: 'private', reason: 'is in 203.0.113.0/24, "Documentation (TEST-NET-3)"' },
  { text: '203.0.114.0', verdict: 'public', reason: '' },
  // 224.0.0.0/4 Multicast
  { text: '223.255.255.255', verdict: 'public', reason: '' },
  { text: '224.0.0.0', verdict: 'private', reason: 'is in 224.0.0.0/4, "Multicast"' },
  { text: '239.255.255.255', verdict: 'private', reason: 'is in 224.0.0.0/4, "Multicast"' },
  { text: '240.0.0.0', verdict: 'private', reason: 'is in 240.0.0.0/4, "Reserved"' },
  // 240.0.0.0/4 Reserved
  { text: '255.255.255.255', verdict: 'private', reason: 'is in 255.255.255.255/32, "Limited Broadcast"' },
  // 255.255.255.255/32 Limited Broadcast
  { text: '255.255.255.254', verdict: 'private', reason: 'is in 240.0.0.0/4, "Reserved"' },
];
