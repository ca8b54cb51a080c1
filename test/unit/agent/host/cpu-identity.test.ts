import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuIdentityOf } from '../../../../agent/host/cpu-identity.ts';

const FALLBACK = { cores: 3, model: 'what the runtime knows' };

const processors = (count: number, rest: string): string =>
  Array.from({ length: count }, (_, i) => `processor\t: ${i}\n${rest}`).join('\n');

test('an x86 machine says vendor and model itself', () => {
  const text = processors(
    2,
    'vendor_id\t: GenuineIntel\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R) Platinum 8124M CPU @ 3.00GHz\n',
  );
  assert.deepEqual(cpuIdentityOf(text, FALLBACK), {
    cores: 2,
    model: 'Intel(R) Xeon(R) Platinum 8124M CPU @ 3.00GHz',
    vendor: 'GenuineIntel',
  });
});

test('an ARM machine is named by its implementer and part', () => {
  const text = processors(4, 'BogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd40\n');
  assert.deepEqual(cpuIdentityOf(text, FALLBACK), { cores: 4, model: 'Neoverse-V1', vendor: 'ARM' });
});

test('an ARM part that is not known keeps the model of the runtime, and an unknown implementer has no name', () => {
  const text = processors(1, 'CPU implementer\t: 0x7f\nCPU part\t: 0xd40\n');
  assert.deepEqual(cpuIdentityOf(text, FALLBACK), { cores: 1, model: FALLBACK.model, vendor: '' });
});

test('without the text everything is what the runtime knows', () => {
  assert.deepEqual(cpuIdentityOf('', FALLBACK), { ...FALLBACK, vendor: '' });
});
