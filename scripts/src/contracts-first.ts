import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What a file has in it that takes minutes: a contract suite on a real engine, kills by the hundred, Pods. */
const TAKES_MINUTES = /describe\w*(?:Contract|Over|SDK)\(|CRASH_ROUNDS|useKubernetes\(/i;

/** Begins with what takes longest, also where no earlier run has told: else the last file is a long one, and alone. */
export class ContractsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const takesMinutes = ({ moduleId }: TestSpecification): number =>
      TAKES_MINUTES.test(readFileSync(moduleId, 'utf8')) ? 0 : 1;
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's, which gives a new one
    const inTheirOrder = await super.sort(files);
    return inTheirOrder.toSorted((one, other) => takesMinutes(one) - takesMinutes(other));
  }
}
