/**
 * The writer thread: the one owner of all LMDB writes. It takes whatever its clients have sent while the last transaction
 * was being flushed, commits it as one, and tells each client. It is a thread of its own because a transaction blocks
 * until the disk has it: a stalled disk must not stall the accepting of connections or a heartbeat.
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type CommitOutcome, type CommitRequest, firstSeqOf, GroupCommit } from '../../store/group-commit.ts';
import { openLmdbStore } from '../../store/lmdb-store.ts';
import { migrate } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import {
  type FromWriter,
  MAIN_CLIENT,
  type ToWriter,
  type WriterControl,
  type WriterData,
  type WriterReport,
} from './writer-messages.ts';

interface Client {
  readonly number: number;
  readonly port: MessagePort;
  /** Last delivery sent to it, and the first it may not have settled. */
  lastSent: number;
  floor: number;
  drains: number;
}

/** Requests of one transaction: bounds its length, and so everybody's latency. */
const REQUESTS_MAX = 1_024;
const TRIM_EVERY_MS = 1_000;
/** Floor of a client that has settled every delivery. */
const NOTHING_OPEN = Number.POSITIVE_INFINITY;

const control = parentPort as MessagePort;
const clients = new Map<number, Client>();
let store: Store;
let group: GroupCommit;
let draining = false;

try {
  store = openLmdbStore((workerData as WriterData).folder);
  migrate(store);
  group = new GroupCommit(store);
  control.on('message', onControl);
  setInterval(trim, TRIM_EVERY_MS).unref();
  report({ type: 'open' });
} catch (error) {
  report({ type: 'refused', reason: error instanceof Error ? error.message : String(error) });
}

function report(message: WriterReport): void {
  control.postMessage(message);
}

function onControl(message: WriterControl): void {
  if (message.type === 'attach') attach(message.client, message.port);
  else void stop();
}

function attach(number: number, port: MessagePort): void {
  clients.get(number)?.port.close();
  group.begin(number);
  store.refresh();
  const floor = number === MAIN_CLIENT ? NOTHING_OPEN : (firstSeqOf(store) ?? NOTHING_OPEN);
  const client: Client = { number, port, lastSent: group.lastSeq, floor, drains: 0 };
  clients.set(number, client);
  port.on('message', (message: ToWriter) => drainAll(client, message));
  send(client, { type: 'attached', through: group.lastSeq });
}

function send(client: Client, message: FromWriter): void {
  client.port.postMessage(message, message.type === 'delivery' ? [message.bytes.buffer as ArrayBuffer] : []);
}

/** The first message of a burst takes the whole burst with it, of every client. */
function drainAll(first: Client, message: ToWriter): void {
  const requests: CommitRequest[] = [];
  take(first, message, requests);
  let more = !draining;
  draining = true;
  while (more && requests.length < REQUESTS_MAX) {
    more = false;
    for (const client of clients.values()) {
      const received = receiveMessageOnPort(client.port);
      if (!received) continue;
      take(client, received.message as ToWriter, requests);
      more = true;
    }
  }
  draining = false;
  if (requests.length > 0) for (const outcome of group.commit(requests)) tell(outcome);
  for (const client of clients.values()) {
    for (; client.drains > 0; client.drains--) send(client, { type: 'drained' });
  }
}

function take(client: Client, message: ToWriter, requests: CommitRequest[]): void {
  if (message.type === 'commit') requests.push({ client: client.number, ...message });
  else if (message.type === 'drain') client.drains++;
  else
    client.floor =
      message.below > message.received && message.received >= client.lastSent ? NOTHING_OPEN : message.below;
}

function tell(outcome: CommitOutcome): void {
  const { request } = outcome;
  const sender = clients.get(request.client);
  if (outcome.type === 'failed') {
    if (sender) send(sender, { type: 'failed', number: request.number, failure: outcome.failure });
    return;
  }
  // Letters first: who asks right after the sender heard "durable" must find them delivered.
  for (const { client: number, bytes } of request.parcels) {
    const receiver = clients.get(number);
    if (!receiver) continue;
    if (receiver.floor > outcome.seq) receiver.floor = outcome.seq;
    receiver.lastSent = outcome.seq;
    if (receiver !== sender) send(receiver, { type: 'delivery', seq: outcome.seq, bytes });
  }
  if (sender) send(sender, { type: 'durable', number: request.number, seq: outcome.seq });
}

function trim(): void {
  if (clients.size === 0) return;
  const below = Math.min(...[...clients.values()].map(({ floor }) => floor), group.lastSeq + 1);
  try {
    group.trim(below);
  } catch {
    // The disk is full: the journal stays, and the next commit says so to whom it concerns.
  }
}

async function stop(): Promise<void> {
  control.off('message', onControl);
  for (const { port } of clients.values()) port.close();
  await store.close();
  report({ type: 'stopped' });
  process.exit(0);
}
