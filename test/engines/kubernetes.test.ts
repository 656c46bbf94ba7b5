// examples/kubernetes: the manifest's fields, and what its containers do.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { examples, PlannedDataset } from './dataset.js';

const file = (name: string) => readFileSync(join(examples, 'kubernetes', name), 'utf8');
const document = parseDocument(file('job.yaml'), { strict: true, uniqueKeys: true });
const job = document.toJS();
const [container] = job.spec.template.spec.containers;

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

  it('names the image that the Dockerfile builds, whose entry is crayon', () => {
    expect(file('Dockerfile')).toContain(`docker build -t ${container.image} .`);
    const instructions = file('Dockerfile').split('\n').filter((line) => /^[A-Z]+ /.test(line));
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
    await dataset.merge();
    expect(dataset.merged()).toEqual(dataset.expected());
  });
});

/** The types of values, in their places. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
}
