// Options of `crayon dataset run`.

export interface RunGiven {
  task?: { task: number; of: number | undefined };
  of?: number;
  all?: boolean;
  threads?: number;
  cacheBytes?: number;
  skipDamaged?: boolean;
  json?: boolean;
  progress: boolean;
}
