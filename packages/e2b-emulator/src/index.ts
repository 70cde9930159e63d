export { E2BEmulator, type E2BEmulatorOptions, type E2BEnvironment } from './e2b-emulator.ts';
export type { FaultOptions } from './faults/fault.ts';
export type { FaultHandle, Faults, InjectedFault } from './faults/faults.ts';
export type { AddressFetch } from './names/create-fetch.ts';
export type { Isolation } from './roots/sandbox-root.ts';
export type { TemplateOptions } from './sandboxes/templates.ts';
