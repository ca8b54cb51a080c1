/** What main does for the gateway of a shard. */
import type { MessagePort } from 'node:worker_threads';
import { sendFeed } from '../actors/shard/wire/log-feed-port.ts';
import { Transferred } from '../actors/shard/wire/rpc.ts';
import { systemClock } from '../base/clock.ts';
import { CodedError } from '../base/errors.ts';
import { InstanceReservations } from '../control/instance-reservations.ts';
import type { AgentPackages } from '../control/packages/agent-packages.ts';
import type { LogName, MainServices } from '../gateway/api/services.ts';
import type { Listener } from '../gateway/listener/listener.ts';
import { settingsOf } from '../protocol/config/config.ts';
import type { LogSource } from '../store/logs/log-feed.ts';
import type { ServerDoctor } from './doctor.ts';
import type { MaintenanceParts } from './maintenance.ts';
import type { Replication } from './replication.ts';
import type { ServerStatus } from './status.ts';

export interface MainServicesParts extends Omit<MaintenanceParts, 'shards'> {
  readonly listener: Listener;
  readonly status: ServerStatus;
  readonly doctor: ServerDoctor;
  readonly packages: AgentPackages;
  /** Null where the server stands alone. */
  readonly replication: Replication | null;
  /** On a server that follows: takes up what the leader has changed. */
  readonly refresh?: () => Promise<void>;
}

/** Settings, identity and the like are looked up when they are needed: a server that follows replaces them. */
export function mainServicesFor(parts: MainServicesParts): (shard: number) => MainServices {
  const reservations = new InstanceReservations(systemClock);
  return (shard) => servicesOf(shard, parts, reservations);
}

function servicesOf(shard: number, parts: MainServicesParts, reservations: InstanceReservations): MainServices {
  const { logs, pool, listener, status, doctor, packages, nodeLogs } = parts;
  const logSource = ({ file, node }: LogName): LogSource => {
    const source = node ? nodeLogs.source(node) : logs.source(file);
    if (!source) throw new CodedError('notFound');
    return source;
  };
  return {
    changeConfig: (form, entries, author) => parts.settings.change(form, entries, author),
    enableIdp: async (idp, author) => {
      const { settings, warnings } = await parts.identity.checked(idp);
      await parts.settings.changeIdp(settings, author);
      return warnings;
    },
    disableIdp: (author) => parts.settings.changeIdp({ ...parts.settings.config.security.idp, enabled: false }, author),
    seekIdpKey: (kid) => parts.identity.seekIdpKey(kid),
    makeNodeToken: (request, author) => parts.identity.makeNodeToken(request, author),
    makeServiceToken: (request, author) => parts.identity.makeServiceToken(request, author),
    revokeServiceToken: (id, author) => parts.identity.revokeServiceToken(id, author),
    reserveNames: async (nodeId, names) => reservations.reserve(nodeId, names),
    releaseNames: async (nodeId, names) => reservations.release(nodeId, names),
    ownNodeToken: (nodeId) => parts.identity.ownNodeToken(nodeId),
    revokeNodeTokens: (nodeId, author) => parts.identity.revokeNodeTokens(nodeId, author),
    rotateNodeKey: (revokeOld, author) => parts.identity.rotateNodeKey(revokeOld, author),
    auditDrain: (target, drained, { name, from }) =>
      parts.audit.commit({ who: name, from, action: drained ? 'node.drained' : 'node.undrained', target, detail: {} }),
    giveOrder: (type, node, job) => parts.orders.give(type, node, job),
    ordersDone: (ids) => parts.orders.done(ids),
    checkpointOrderOf: async (job) => parts.orders.checkpointOf(job),
    webhooks: async () => parts.webhooks.list(),
    webhook: async (id) => parts.webhooks.detail(id),
    putWebhook: (id, request, author) => parts.webhooks.put(id, request, author),
    removeWebhook: (id, author) => parts.webhooks.remove(id, author),
    testWebhook: (id) => parts.webhooks.test(id),
    replayWebhook: (id, author) => parts.webhooks.replay(id, author),
    define: (definition, onlyNew, author) => parts.metricDefinitions.define(definition, onlyNew, author),
    appendNodeLog: async (nodeId, path, offset, bytes, cut) => {
      const { perLogBytesMax, nodeLogBytesMax } = settingsOf(parts.settings.config);
      if (cut) await nodeLogs.cut({ nodeId, path }, offset);
      return nodeLogs.append({ nodeId, path }, offset, bytes, perLogBytesMax, nodeLogBytesMax);
    },
    locateLog: async (log, position) => logSource(log).locate(position),
    followLog: async (log, port) => sendFeed(logSource(log).feed, port),
    answer: async (task) => handedOver(await pool.answer(task)),
    stream: (task, port: MessagePort) => pool.stream(task, port),
    agentPackage: (format, arch) => packages.find(format, arch),
    metricsText: () => status.metricsText(),
    readiness: async () => status.readiness(),
    barrier: async () => {
      await parts.replication?.barrier();
      // The rows are there: the configuration and the like, which are made of them, must be too.
      await parts.refresh?.();
    },
    refresh: async () => parts.refresh?.(),
    doctor: () => doctor.report(),
    writeLog: async (lines) => logs.writeServer(lines),
    writeAccessLog: async (lines) => logs.writeAccess(lines),
    dying: async (lock) => {
      listener.removeShard(shard);
      Atomics.store(lock, 0, 1);
      Atomics.notify(lock, 0);
    },
  };
}

/** Bytes of an answer go on to the shard as they came from the pool, without a copy. */
function handedOver<T>(answer: T): T {
  if (!(answer instanceof Uint8Array) || answer.byteLength !== answer.buffer.byteLength) return answer;
  return new Transferred(answer, [answer.buffer as ArrayBuffer]) as unknown as T;
}
