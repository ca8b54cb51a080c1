/** `cairn image list | show | verify JOB`: the images of a job in the shared folder, for people. */
import { resolve } from 'node:path';
import type { CommandInput } from '../../src/base/command-input.ts';
import { UsageError } from '../../src/base/usage-error.ts';
import { idSchema } from '../../src/protocol/id.ts';
import { jobSettingsOf } from '../base/job-settings.ts';
import { tryText } from '../base/process-id.ts';
import { Claims, compareImages, restorableImages } from '../claims/claims.ts';
import { ImageStore } from './image-store.ts';

const NOT_FOUND = 3;

export async function imageCommand(what: 'list' | 'show' | 'verify', input: CommandInput): Promise<number> {
  const values = input.values as { 'data-dir'?: string; 'image-path'?: string; json?: boolean };
  const [job = '', image] = input.args;
  if (!idSchema.safeParse(job).success) throw new UsageError(`cannot use the job id ${job}`);
  try {
    const dataFolder = resolve(values['data-dir'] ?? (process.env['CAIRN_AGENT_DIR'] || '/var/lib/cairn-agent'));
    const imagePath = values['image-path'] ?? jobSettingsOf(tryJson(`${dataFolder}/config.json`)).imagePath;
    const store = new ImageStore(imagePath, job);
    const names = (await store.names()).sort(compareImages);
    const chosen = image === undefined ? names : names.filter((name) => name === image);
    if (chosen.length === 0) {
      const missing = image === undefined ? 'no image' : `no image ${image}`;
      return complain(`cairn image ${what}: there is ${missing} of job ${job} in ${imagePath}\n`, NOT_FOUND);
    }
    if (what === 'show') return say(`${JSON.stringify(await store.manifest(chosen.at(-1) as string), null, 2)}\n`, 0);
    return what === 'verify'
      ? verify(store, chosen, values.json === true)
      : list(store, chosen, new Claims(imagePath, job), values.json === true);
  } catch (error) {
    return complain(`cairn image ${what}: ${(error as Error).message}\n`, 1);
  }
}

async function list(store: ImageStore, names: readonly string[], claims: Claims, isJson: boolean): Promise<number> {
  const restorable = restorableImages(names, await claims.all());
  const rows = await Promise.all(
    names.map(async (image) => {
      const manifest = await store.manifest(image).catch((error: Error) => error);
      const isRestorable = restorable.includes(image);
      if (manifest instanceof Error)
        return { image, time: null, nodeId: null, bytes: null, restorable: false, fault: manifest.message };
      const { time, nodeId, stages } = manifest;
      return { image, time, nodeId, bytes: stages.imageBytes, restorable: isRestorable, fault: null };
    }),
  );
  if (isJson) return say(`${JSON.stringify(rows)}\n`, 0);
  const lines = rows.map(({ image, time, nodeId, bytes, restorable, fault }) =>
    fault === null
      ? `${image.padEnd(10)} ${time}  ${((bytes ?? 0) / 1_048_576).toFixed(1).padStart(9)} MiB  ${nodeId}${restorable ? '' : '  (superseded)'}`
      : `${image.padEnd(10)} ${fault}`,
  );
  return say(`${lines.join('\n')}\n`, 0);
}

async function verify(store: ImageStore, names: readonly string[], isJson: boolean): Promise<number> {
  const rows: { image: string; ok: boolean; fault: string | null }[] = [];
  for (const image of names) {
    const fault = await store
      .manifest(image)
      .then((manifest) => store.materialise(image, manifest, null))
      .then(
        () => null,
        (error: Error) => error.message,
      );
    rows.push({ image, ok: fault === null, fault });
  }
  const text = rows.map(({ image, fault }) => `${image.padEnd(10)} ${fault ?? 'ok'}\n`).join('');
  return say(isJson ? `${JSON.stringify(rows)}\n` : text, rows.every(({ ok }) => ok) ? 0 : 1);
}

function say(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}

function complain(text: string, code: number): number {
  process.stderr.write(text);
  return code;
}

function tryJson(path: string): unknown {
  try {
    return JSON.parse(tryText(path));
  } catch {
    return {};
  }
}
