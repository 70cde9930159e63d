export type { BackendContractOptions } from './backend-contract/contract-backend.ts';
export { describeBackendContract } from './backend-contract/describe-backend-contract.ts';
export { fixtureServer, type FixtureServerName, fixtureServerSource } from './mcp-servers/fixture-server.ts';
export { toolsBashContract } from './workspace-contract/tools-bash.ts';
export { toolsReadContract } from './workspace-contract/tools-read.ts';
export { toolsSearchContract } from './workspace-contract/tools-search.ts';
export type { ToolsContractOptions, ToolsSubject } from './workspace-contract/tools-subject.ts';
export { toolsWriteEditContract } from './workspace-contract/tools-write-edit.ts';
export { type AgentScopeSample, agentScopeSample } from './agentscope-sample.ts';
export { type FixtureSkill, type FixtureSkillOptions, makeFixtureSkill, skillText } from './skills/fixture-skill.ts';
export { tarArchive, type TarEntry } from './skills/tar-archive.ts';
export { type FixtureFile, type FixtureFiles, TemporaryDirectory } from './skills/temporary-directory.ts';
export { zipArchive, type ZipEntry } from './skills/zip-archive.ts';
export { archivesContract } from './workspace-contract/archives.ts';
export { skillsContract } from './workspace-contract/skills.ts';
export type {
  SkillsContractOptions,
  SkillsSubject,
  SkillsSubjectOptions,
} from './workspace-contract/skills-subject.ts';
export type { WorkspaceContractOptions } from './workspace-contract/contract-workspace.ts';
export { describeWorkspaceContract } from './workspace-contract/describe-workspace-contract.ts';
