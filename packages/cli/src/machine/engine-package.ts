import { UsageError } from '../usage-error.ts';

/** Installed by those who want the engine, so that nobody gets its client who does not. */
const PACKAGES = {
  docker: '@agent-workspace/docker',
  e2b: '@agent-workspace/e2b',
  kubernetes: '@agent-workspace/kubernetes',
} as const;

export type EngineName = keyof typeof PACKAGES;

/** How to get the package of an engine; `undefined` where it is installed. */
export function missingPackage(engine: EngineName): { readonly detail: string; readonly advice: string } | undefined {
  const name = PACKAGES[engine];
  try {
    import.meta.resolve(name);
    return undefined;
  } catch {
    const advice =
      `Install it beside this command: npm install -g agent-workspace ${name}. ` +
      `For one run: npx -y -p agent-workspace -p ${name} agent-workspace …`;
    return { detail: `${name} is not installed`, advice };
  }
}

/** @throws UsageError where the package of an engine is not installed */
export function needPackage(engine: EngineName): void {
  const missing = missingPackage(engine);
  if (missing !== undefined) throw new UsageError(`${missing.detail}. ${missing.advice}`);
}
