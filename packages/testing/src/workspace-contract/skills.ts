import { describe } from 'vitest';
import { skillsAgentScopeCases } from './skills-agentscope.ts';
import { skillsAgentsCases } from './skills-agents.ts';
import { skillsChangesCases } from './skills-changes.ts';
import { skillsFrontMatterCases } from './skills-front-matter.ts';
import { skillsHostileCases } from './skills-hostile.ts';
import { skillsSourcesCases } from './skills-sources.ts';
import type { SkillsContractOptions } from './skills-subject.ts';

/** Skills: listing, seeding, adding, removing, and each agent's own. */
export function skillsContract(options: SkillsContractOptions): void {
  describe('skills', () => {
    skillsFrontMatterCases(options);
    skillsSourcesCases(options);
    skillsChangesCases(options);
    skillsHostileCases(options);
    skillsAgentsCases(options);
    skillsAgentScopeCases(options);
  });
}
