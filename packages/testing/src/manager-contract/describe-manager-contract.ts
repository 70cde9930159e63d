import { describe } from 'vitest';
import { allottingContract } from './allotting.ts';
import { authorizingContract } from './authorizing.ts';
import { buildingContract } from './building.ts';
import { closingContract } from './closing.ts';
import { type ManagerContractOptions, TEST_TIMEOUT_MS } from './contract-manager.ts';
import { dyingContract } from './dying.ts';
import { evictingContract } from './evicting.ts';
import { prewarmingContract } from './prewarming.ts';
import { replicasContract } from './replicas.ts';
import { tellingContract } from './telling.ts';

/**
 * What every workspace manager does, whatever its workspaces stand on. Run it from a test file of the engine:
 *
 *     describeManagerContract('docker', { create: …, cleanUp: …, kill: …, hasData: …, isStorageBound: false });
 */
export function describeManagerContract(name: string, options: ManagerContractOptions): void {
  describe(`manager contract: ${name}`, { timeout: TEST_TIMEOUT_MS }, () => {
    allottingContract(options);
    authorizingContract(options);
    buildingContract(options);
    evictingContract(options);
    closingContract(options);
    dyingContract(options);
    prewarmingContract(options);
    tellingContract(options);
    if (options.isStorageBound) replicasContract(options);
  });
}
