// examples/kubernetes: the manifests' fields, and what their containers do.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { examples, PlannedDataset } from './dataset.js';

const file = (name: string) => readFileSync(join(examples, 'kubernetes', name), 'utf8');
const manifest = (name: string) => parseDocument(file(name), { strict: true, uniqueKeys: true });
const document = manifest('job.yaml');
const job = document.toJS();
const [container] = job.spec.template.spec.containers;
const volume = manifest('volume.yaml').toJS();
const alone = { plan: manifest('plan.yaml').toJS(), merge: manifest('merge.yaml').toJS() };

describe('the manifest', () => {
  it('is strict YAML of an indexed Job', () => {
    expect(document.errors).toEqual([]);
    expect(document.warnings).toEqual([]);
    expect(job).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job', spec: { completionMode: 'Indexed' } });
  });

  it('has fields of the API alone, in the types that it asks for', () => {
    expect(shapeOf(job)).toEqual({
      apiVersion: 'string',
      kind: 'string',
      metadata: { name: 'string' },
      spec: {
        completionMode: 'string',
        completions: 'number',
        parallelism: 'number',
        backoffLimitPerIndex: 'number',
        podFailurePolicy: {
          rules: [
            { action: 'string', onPodConditions: [{ type: 'string', status: 'string' }] },
            { action: 'string', onExitCodes: { containerName: 'string', operator: 'string', values: ['number', 'number'] } },
            { action: 'string', onExitCodes: { containerName: 'string', operator: 'string', values: ['number'] } },
          ],
        },
        template: {
          spec: {
            restartPolicy: 'string',
            securityContext: { runAsNonRoot: 'boolean', fsGroup: 'number' },
            containers: [
              {
                name: 'string',
                image: 'string',
                imagePullPolicy: 'string',
                args: Array(8).fill('string'),
                resources: { requests: { cpu: 'string', memory: 'string' }, limits: { memory: 'string' } },
                volumeMounts: [{ name: 'string', mountPath: 'string' }],
              },
            ],
            volumes: [{ name: 'string', persistentVolumeClaim: { claimName: 'string' } }],
          },
        },
      },
    });
  });

  it('fails the Job for the exit codes that no other try changes, and counts those that one may', () => {
    const rules = job.spec.podFailurePolicy.rules;
    expect(rules.map(({ action }: { action: string }) => action)).toEqual(['Ignore', 'FailJob', 'Count']);
    expect(rules[0].onPodConditions).toEqual([{ type: 'DisruptionTarget', status: 'True' }]);
    expect(rules[1].onExitCodes).toEqual({ containerName: container.name, operator: 'In', values: [1, 2] });
    expect(rules[2].onExitCodes).toEqual({ containerName: container.name, operator: 'In', values: [3] });
    expect(job.spec.template.spec.restartPolicy).toBe('Never');
  });

  it('gives every pod its share, the volume, and as many threads as cores', () => {
    const option = (name: string) => container.args[container.args.indexOf(name) + 1];
    expect(option('--of')).toBe(String(job.spec.completions));
    expect(option('--threads')).toBe(container.resources.requests.cpu);
    expect(container.volumeMounts[0].name).toBe(job.spec.template.spec.volumes[0].name);
    expect(container.args[2]).toBe(`${container.volumeMounts[0].mountPath}/tokens`);
  });

  it.each(Object.entries(alone))('is a Job to %s with the pod of the indexed one', (name, { apiVersion, kind, metadata, spec }) => {
    expect(manifest(`${name}.yaml`).errors).toEqual([]);
    expect({ apiVersion, kind, metadata }).toEqual({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name } });
    const { args, resources, ...rest } = spec.template.spec.containers[0];
    const { args: _, resources: __, ...restOfRun } = container;
    expect(rest).toEqual(restOfRun);
    expect({ ...spec.template.spec, containers: [] }).toEqual({ ...job.spec.template.spec, containers: [] });
    expect(Object.keys(spec).sort()).toEqual(['backoffLimit', 'template']);
    expect(args.slice(0, 2)).toEqual(['dataset', name]);
    expect(args.at(-1)).toBe(container.args[2]);
    expect(shapeOf(resources)).toEqual(shapeOf(container.resources));
  });

  it('claims a volume that pods on all nodes write to', () => {
    const { claimName } = job.spec.template.spec.volumes[0].persistentVolumeClaim;
    expect(volume).toEqual({
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: claimName } },
      spec: {
        accessModes: ['ReadWriteMany'],
        storageClassName: expect.any(String),
        resources: { requests: { storage: expect.stringMatching(/^\d+Gi$/) } },
      },
    });
  });

  it('names the image that the Dockerfile builds, whose entry is crayon', () => {
    expect(file('Dockerfile')).toContain(`docker build -t ${container.image} .`);
    const instructions = file('Dockerfile')
      .split('\n')
      .filter((line) => /^[A-Z]+ /.test(line));
    expect(instructions.map((line) => line.split(' ')[0])).toEqual(['FROM', 'COPY', 'RUN', 'USER', 'ENTRYPOINT']);
    expect(instructions.at(-1)).toBe('ENTRYPOINT ["crayon"]');
    expect(instructions.at(-2)).toMatch(/^USER [1-9]\d*$/); // runAsNonRoot needs a number
  });
});

describe('its pods', () => {
  let dataset: PlannedDataset;
  beforeAll(async () => {
    dataset = await PlannedDataset.of();
  });

  it('plan what plan.yaml names', async () => {
    const { args } = alone.plan.spec.template.spec.containers[0];
    const own: Record<string, string> = { '/data/in/*.jsonl.gz': join(dataset.folder, '*.jsonl'), '/data/tokens': 'of-the-manifest' };
    const { status, output } = await dataset.start(
      join(dataset.programs, 'crayon'),
      args.map((each: string) => own[each] ?? each),
    ).ended;
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('3 files') });
  });
  afterAll(() => dataset.remove());

  /** The entry of the image with the manifest's arguments, for as many pods as there are. */
  const pod = (index: number, completions: number) => {
    const local = ['tokens', String(completions), '1'];
    const changed = ['/data/tokens', String(job.spec.completions), container.resources.requests.cpu];
    const args = container.args.map((each: string) => local[changed.indexOf(each)] ?? each);
    return dataset.start(join(dataset.programs, 'crayon'), args, dataset.environment({ JOB_COMPLETION_INDEX: String(index) })).ended;
  };

  it('merge to the ids of tiktoken', async () => {
    const pods = await Promise.all([0, 1, 2].map((index) => pod(index, 3)));
    expect(pods.map(({ status }) => status)).toEqual([0, 0, 0]);
    const merging = alone.merge.spec.template.spec.containers[0].args.map((each: string) => each.replace('/data/', ''));
    expect((await dataset.start(join(dataset.programs, 'crayon'), merging).ended).status).toBe(0);
    expect(dataset.merged()).toEqual(dataset.expected());
  });
});

/** The types of values, in their places. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
}
