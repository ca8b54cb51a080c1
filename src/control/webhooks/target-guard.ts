/**
 * Which addresses a webhook may reach: only those that are globally reachable by IANA's special-purpose registries for IPv4
 * and IPv6, so that nobody makes the server call its own machine, its network or a cloud's metadata service. Pure.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure's metadata and health service, which the registries do not know.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // Multicast and what is reserved, with the broadcast address.
  '224.0.0.0/3',
];
/** Everything outside of it is loopback, local, multicast, an IPv4 address in disguise, or not given out. */
const GLOBAL_IPV6 = '2000::/3';
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
/** Within special blocks, yet globally reachable by the same registries. */
const REACHABLE_IPV4 = ['192.0.0.9/32', '192.0.0.10/32'];
const REACHABLE_IPV6 = [
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:20::/28',
  '2001:30::/28',
];

const special = listOf(SPECIAL_IPV4, SPECIAL_IPV6);
const reachable = listOf(REACHABLE_IPV4, REACHABLE_IPV6);
/** Of IPv6 alone: a list takes an IPv4 address inside of an IPv6 one for the former. */
const global = listOf([], [GLOBAL_IPV6]);

export function isGlobalAddress(address: string): boolean {
  if (isIPv4(address)) return isNotSpecial(address, 'ipv4');
  // A zone makes it link-local, whatever stands before it.
  if (!isIPv6(address) || address.includes('%')) return false;
  return global.check(address, 'ipv6') && isNotSpecial(address, 'ipv6');
}

/** Why the URL itself shows a target that is not allowed; undefined where only its addresses will tell. */
export function faultOfHost(url: string): string | undefined {
  const host = hostOf(url);
  const isAddress = isIPv4(host) || isIPv6(host);
  const isLocalName = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i.test(host);
  if (isAddress ? isGlobalAddress(host) : !isLocalName) return undefined;
  return `names ${host}, which is not reachable from everywhere: turn on security.webhooks.privateTargets to allow it`;
}

/** Without the brackets of an IPv6 address. `URL` has already made one form of all writings of an IPv4 address. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

function isNotSpecial(address: string, family: 'ipv4' | 'ipv6'): boolean {
  return !special.check(address, family) || reachable.check(address, family);
}

function listOf(ipv4: readonly string[], ipv6: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of ipv4) addTo(list, subnet, 'ipv4');
  for (const subnet of ipv6) addTo(list, subnet, 'ipv6');
  return list;
}

function addTo(list: BlockList, subnet: string, family: 'ipv4' | 'ipv6'): void {
  const [network = '', prefix] = subnet.split('/');
  list.addSubnet(network, Number(prefix), family);
}
