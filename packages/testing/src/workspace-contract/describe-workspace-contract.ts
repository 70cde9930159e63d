import { Layout, type Workspace } from '@agent-workspace/core';
import { describe } from 'vitest';
import { archivesContract } from './archives.ts';
import { WorkspaceMaker, type WorkspaceContractOptions } from './contract-workspace.ts';
import { lifeContract } from './life.ts';
import { mcpContract } from './mcp.ts';
import { offloadContract } from './offload.ts';
import { scopeContract } from './scope.ts';
import type { SkillsSubject, SkillsSubjectOptions } from './skills-subject.ts';
import { skillsContract } from './skills.ts';
import { toolsBashContract } from './tools-bash.ts';
import { toolsReadContract } from './tools-read.ts';
import { toolsSearchContract } from './tools-search.ts';
import type { ToolsSubject } from './tools-subject.ts';
import { toolsWriteEditContract } from './tools-write-edit.ts';

/**
 * What every workspace does, whatever it stands on. Run it from a test file of the engine:
 *
 *     describeWorkspaceContract('docker', { create: …, cleanUp: … });
 */
export function describeWorkspaceContract(name: string, options: WorkspaceContractOptions): void {
  describe(`workspace contract: ${name}`, () => {
    lifeContract(options);
    scopeContract(options);
    mcpContract(options);
    offloadContract(options);

    const tools = { open: () => openTools(options) };
    toolsBashContract(tools);
    toolsReadContract(tools);
    toolsWriteEditContract(tools);
    toolsSearchContract(tools);

    const skills = { open: (subject?: SkillsSubjectOptions) => openSkills(options, subject) };
    skillsContract(skills);
    archivesContract(skills);
  });
}

async function openTools(options: WorkspaceContractOptions): Promise<ToolsSubject> {
  const maker = new WorkspaceMaker(options);
  const workspace = await maker.open();
  const tools = new Map(
    (await workspace.session({ agentId: 'a', sessionId: 's' }).listTools()).map((tool) => [tool.name, tool]),
  );
  return {
    backend: workspace.backend,
    tool: (name) => {
      const tool = tools.get(name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      return tool;
    },
    [Symbol.asyncDispose]: () => maker.cleanUp(),
  };
}

async function openSkills(
  options: WorkspaceContractOptions,
  { skillPaths }: SkillsSubjectOptions = {},
): Promise<SkillsSubject> {
  const maker = new WorkspaceMaker(options);
  const place = maker.place();
  const open = (paths: readonly string[] | undefined): Promise<Workspace> =>
    maker.open({ workspaceId: place, skillPaths: paths }, place);
  return skillsSubject(await open(skillPaths), maker, (again) => open(again?.skillPaths));
}

function skillsSubject(
  workspace: Workspace,
  maker: WorkspaceMaker,
  open: (options?: SkillsSubjectOptions) => Promise<Workspace>,
): SkillsSubject {
  const of = (agentId?: string): ReturnType<Workspace['session']> =>
    agentId === undefined ? workspace : workspace.session({ agentId });
  return {
    backend: workspace.backend,
    layout: new Layout(workspace.workdir),
    list: (agentId) => of(agentId).listSkills(),
    add: (source, agentId) => of(agentId).addSkill(source),
    remove: (name, agentId) => of(agentId).removeSkill(name),
    purgeAgent: (agentId) => workspace.purgeAgent(agentId),
    diagnostics: () => workspace.diagnostics,
    reopen: async (options) => skillsSubject(await open(options), maker, open),
    [Symbol.asyncDispose]: () => maker.cleanUp(),
  };
}
