import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bootTimeOf,
  cpuTicksOf,
  loadAverage1mOf,
  memoryKbOf,
  networkBytesOf,
} from '../../../../agent/host/proc-text.ts';

const STAT = `cpu  100 20 30 800 50 1 2 7 90 10
cpu0 50 10 15 400 25 0 1 3 45 5
intr 12345 0 9
ctxt 999
btime 1790000000
processes 4242
`;

const MEMINFO = `MemTotal:       16384000 kB
MemFree:          512000 kB
MemAvailable:   10240000 kB
Buffers:          100000 kB
`;

const NET_DEV = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 9999999  100    0    0    0     0          0         0  9999999  100    0    0    0     0       0          0
  eth0: 1048576  900    0    0    0     0          0         0   524288  700    0    0    0     0       0          0
enp3s0:2000 3 0 0 0 0 0 0 4000 5 0 0 0 0 0 0
docker0: 777 1 0 0 0 0 0 0 888 1 0 0 0 0 0 0
vethab12@if7: 777 1 0 0 0 0 0 0 888 1 0 0 0 0 0 0
`;

test('cpu ticks count idle and waiting for disks as not busy, and guests only once', () => {
  assert.deepEqual(cpuTicksOf(STAT), { busy: 160, total: 1_010 });
});

test('cpu ticks of an old kernel without the later columns are read, and of no kernel at all are null', () => {
  assert.deepEqual(cpuTicksOf('cpu 10 0 10 80\n'), { busy: 20, total: 100 });
  assert.equal(cpuTicksOf(''), null);
  assert.equal(cpuTicksOf('cpu  1 2\n'), null);
});

test('the boot time is that of btime, or null', () => {
  assert.equal(bootTimeOf(STAT), 1_790_000_000);
  assert.equal(bootTimeOf('cpu 1 2 3 4\n'), null);
});

test('memory is total and available, and free where the kernel does not say available', () => {
  assert.deepEqual(memoryKbOf(MEMINFO), { total: 16_384_000, available: 10_240_000 });
  assert.deepEqual(memoryKbOf('MemTotal: 100 kB\nMemFree: 40 kB\n'), { total: 100, available: 40 });
  assert.equal(memoryKbOf('MemTotal: 100 kB\n'), null);
});

test('network counters are those of the outer interfaces, also where no space follows the colon', () => {
  assert.deepEqual(
    [...networkBytesOf(NET_DEV)],
    [
      ['eth0', { received: 1_048_576, sent: 524_288 }],
      ['enp3s0', { received: 2_000, sent: 4_000 }],
    ],
  );
});

test('network counters of an empty text are an empty list', () => {
  assert.equal(networkBytesOf('').size, 0);
});

test('the load average is the first number', () => {
  assert.equal(loadAverage1mOf('0.52 0.58 0.59 1/389 12345\n'), 0.52);
  assert.equal(loadAverage1mOf(''), null);
});
