/** What a configuration is made from where the values do not matter. */
import type { ConfigSeeds } from '../../src/protocol/config/config.ts';

export const CONFIG_SEEDS: ConfigSeeds = {
  addr: 'https://0.0.0.0:443',
  id: 'server-1',
  staticFolder: '/usr/share/cairn/web',
  logFile: '/var/log/cairn/cairn.log',
  certFile: '/var/lib/cairn/tls/server.crt',
  keyFile: '/var/lib/cairn/tls/server.pem',
};
