/** What the heartbeat endpoints need of the gateway that they belong to. */
import type { ShardHost } from '../../actors/shard/host/shard-host.ts';
import type { Logger } from '../../base/log.ts';
import type { MainServices } from '../api/services.ts';
import type { Overload } from './overload.ts';

export interface HeartbeatServices {
  readonly host: ShardHost;
  readonly main: MainServices;
  readonly log: Logger;
  readonly overload: Overload;
}
