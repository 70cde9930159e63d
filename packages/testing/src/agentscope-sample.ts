import { fileURLToPath } from 'node:url';

/** Which of AgentScope's forms a sample has; the README beside them says how each was made. */
export type AgentScopeSample = 'v1' | 'v2-scoped' | 'v2-unscoped';

/** The path of a workspace that AgentScope wrote. Copy it before it is opened. */
export function agentScopeSample(sample: AgentScopeSample): string {
  return fileURLToPath(new URL(`../fixtures/agentscope-workspace/${sample}`, import.meta.url));
}
