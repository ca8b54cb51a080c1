/** A registration in its order: token, names, actor, answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError, type ErrorName } from '../../../../src/base/errors.ts';
import type { HandlerServices } from '../../../../src/gateway/handlers/handler.ts';
import { registerNode } from '../../../../src/gateway/handlers/nodes.ts';
import { newExchange } from '../../../support/fake-exchange.ts';

interface Faults {
  readonly token?: ErrorName;
  readonly actor?: ErrorName;
  readonly isHeld?: boolean;
}

/** Registers with a join token; what was done, in order, and the name of the failure. */
async function join(faults: Faults = {}): Promise<{ steps: string[]; failure: string; json: unknown }> {
  const steps: string[] = [];
  const step = (text: string, fault?: ErrorName): void => {
    steps.push(text);
    if (fault) throw new CodedError(fault);
  };
  const main = {
    ownNodeToken: async () => {
      step('token', faults.token);
      return 'secret';
    },
    reserveNames: async (nodeId: string, names: readonly string[]) => {
      step(`reserve ${nodeId} ${names}`);
      return faults.isHeld !== true;
    },
    releaseNames: async (nodeId: string, names: readonly string[]) => step(`release ${nodeId} ${names}`),
  };
  const host = {
    clock: { wallMs: () => 0 },
    ask: async () => {
      step('register', faults.actor);
      return { nextBeatMs: 1, configVersion: 1 };
    },
  };
  const bearer = async (): Promise<unknown> => ({ kind: 'join' });
  const { exchange, response } = newExchange({ method: 'PUT' });
  const body = { instance: { instanceId: 'i-1' } };
  const registering = registerNode({ exchange, params: { id: 'n-1' }, body }, {
    host,
    main,
    bearer,
  } as unknown as HandlerServices) as Promise<void>;
  const failure = await registering.then(
    () => '',
    (error: CodedError) => error.name,
  );
  return { steps, failure, json: response.body && response.json };
}

test('names are held until the node’s actor has answered, and released whatever it says', async () => {
  const taken = await join();
  assert.deepEqual(taken.steps, ['token', 'reserve n-1 n-1,i-1', 'register', 'release n-1 n-1,i-1']);
  assert.deepEqual(taken.json, { id: 'n-1', nextBeatMs: 1, configVersion: 1, token: 'secret' });
  const refused = await join({ actor: 'storageFull' });
  assert.deepEqual([refused.failure, refused.steps.at(-1)], ['storageFull', 'release n-1 n-1,i-1']);
});

test('where another node is registering the instance, the actor is not asked, and nothing is released', async () => {
  const { failure, steps } = await join({ isHeld: true });
  assert.deepEqual([failure, steps], ['instanceTaken', ['token', 'reserve n-1 n-1,i-1']]);
});

test('a node that cannot be given its token is not registered: it could not join again', async () => {
  const { failure, steps } = await join({ token: 'overloaded' });
  assert.deepEqual([failure, steps], ['overloaded', ['token']]);
});
