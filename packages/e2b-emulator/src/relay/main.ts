import { startRelay } from './relay.ts';

/** Preloaded into envd's process, or a program of its own beside an envd that is not ours. */
const path = process.env['E2B_EMULATOR_RELAY'];
delete process.env['E2B_EMULATOR_RELAY'];
if (path === undefined) throw new Error('E2B_EMULATOR_RELAY has to name the socket to listen on.');
startRelay(path);
