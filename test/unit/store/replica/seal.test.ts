import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readClusterKey, Seal } from '../../../../src/store/replica/seal.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SECRET = Buffer.alloc(32, 7);
const BYTES = Buffer.from('what the cluster keeps to itself');

describe('sealing what leaves the servers of a cluster', () => {
  it('comes back under the same key, cluster and purpose, and shows nothing of itself', () => {
    const sealed = new Seal(SECRET, 'east', 'stream').seal(BYTES);
    assert.ok(!Buffer.from(sealed).includes('cluster'));
    assert.deepEqual(Buffer.from(new Seal(SECRET, 'east', 'stream').open(sealed)), BYTES);
    assert.notDeepEqual(new Seal(SECRET, 'east', 'stream').seal(BYTES), sealed, 'a nonce is used once');
  });

  it('is refused under another key, cluster or purpose, and where a byte was changed', () => {
    const sealed = Buffer.from(new Seal(SECRET, 'east', 'stream').seal(BYTES));
    const others = [
      new Seal(Buffer.alloc(32, 8), 'east', 'stream'),
      new Seal(SECRET, 'west', 'stream'),
      new Seal(SECRET, 'east', 'lease'),
    ];
    for (const other of others) assert.throws(() => other.open(sealed), /sealed with another key/);
    for (const at of [1, 13, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      assert.throws(() => new Seal(SECRET, 'east', 'stream').open(changed), /sealed with another key/);
    }
  });

  it('says on which side the key is missing', () => {
    const open = new Seal(null, 'east', 'lease');
    assert.deepEqual(Buffer.from(open.open(open.seal(BYTES))), BYTES);
    const sealed = new Seal(SECRET, 'east', 'lease');
    assert.throws(() => open.open(sealed.seal(BYTES)), /this server needs the cluster’s key file/);
    assert.throws(() => sealed.open(open.seal(BYTES)), /not sealed/);
  });

  it('takes a key file of 32 bytes and more', async (t) => {
    const file = join(await temporaryFolder(t), 'cluster.key');
    await writeFile(file, SECRET);
    assert.deepEqual(Buffer.from(await readClusterKey(file)), SECRET);
    await writeFile(file, SECRET.subarray(1));
    await assert.rejects(readClusterKey(file), /at least 32 random bytes/);
  });
});
