export { type AgentScopeSample, agentScopeSample } from './agentscope-sample.ts';
export type { BackendContractOptions } from './backend-contract/contract-backend.ts';
export { describeBackendContract } from './backend-contract/describe-backend-contract.ts';
export { fixtureServer, type FixtureServerName, fixtureServerSource } from './mcp-servers/fixture-server.ts';
export type {
  ContractManager,
  ContractManagerEvent,
  ContractManagerSettings,
  ManagerContractOptions,
} from './manager-contract/contract-manager.ts';
export { describeManagerContract } from './manager-contract/describe-manager-contract.ts';
export { hookWorkspace, type WorkspaceHooks } from './manager-contract/workspace-hooks.ts';
export { describeRealMcpServers } from './real-mcp-servers/describe-real-mcp-servers.ts';
export type { RealMcpServerName, RealMcpServersOptions } from './real-mcp-servers/real-mcp-options.ts';
export { runsLongSuite } from './long-suites.ts';
export { requireEngine } from './require-engine.ts';
export { type FixtureSkill, type FixtureSkillOptions, makeFixtureSkill, skillText } from './skills/fixture-skill.ts';
export { tarArchive, type TarEntry } from './skills/tar-archive.ts';
export { type FixtureFile, type FixtureFiles, TemporaryDirectory } from './skills/temporary-directory.ts';
export { TEST_KUBECONFIG } from './test-kubeconfig.ts';
export { zipArchive, type ZipEntry } from './skills/zip-archive.ts';
export type { WorkspaceContractOptions } from './workspace-contract/contract-workspace.ts';
export { describeWorkspaceContract } from './workspace-contract/describe-workspace-contract.ts';
