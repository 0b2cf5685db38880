import { coreHooks, workerHooks } from './hooks.js';
import { coreLifecycle, supervisorLifecycle } from './lifecycle.js';
import { coreLogs } from './logs.js';
import { coreState } from './state.js';
import { coreTools, workerTools } from './tools.js';

/** Everything each side of each channel understands: the domains put together, and nothing else. */
export const workerContract = { ...workerHooks, ...workerTools };
export const supervisorContract = { ...supervisorLifecycle };
/** What the core accepts from a worker. */
export const coreForWorkerContract = { ...coreHooks, ...coreTools, ...coreLogs };
/** What the core accepts from the supervisor. */
export const coreForSupervisorContract = { ...coreLifecycle, ...coreState };

export type WorkerContract = typeof workerContract;
export type SupervisorContract = typeof supervisorContract;
export type CoreForWorkerContract = typeof coreForWorkerContract;
export type CoreForSupervisorContract = typeof coreForSupervisorContract;
