/** Claims on jobs (contract section 10). */
import { jobAddress } from '../../../actors/job/messages.ts';
import { claimSchema } from '../../../protocol/claim.ts';
import { cleanTexts } from '../../../protocol/text.ts';
import { validate } from '../../body/parse-body.ts';
import type { Handler } from '../handler.ts';
import { mustBeId } from '../nodes.ts';

export const claimJob: Handler = async ({ exchange, params, body }, { host }) => {
  const id = mustBeId(params['id'] as string);
  const { nodeId, minEpoch, queueName } = validate(claimSchema, cleanTexts(body, []));
  const message = {
    type: 'claim' as const,
    nodeId,
    ...(typeof minEpoch === 'number' ? { minEpoch } : {}),
    ...(typeof queueName === 'string' ? { queueName } : {}),
  };
  exchange.json(200, await host.ask(jobAddress(id), message));
};
