import { coreActions, coreEnvironment, coreRequests } from './actions.js';
import { coreDialogs } from './dialogs.js';
import { workerHandles } from './handles.js';
import { coreHooks, workerHooks } from './hooks.js';
import { coreLifecycle, supervisorLifecycle } from './lifecycle.js';
import { coreLogs } from './logs.js';
import { coreOutside } from './outside.js';
import { workerProviders } from './providers.js';
import { coreBus, coreRegistrations, workerBus, workerCommands } from './registrations.js';
import { coreState } from './state.js';
import { workerTools } from './tools.js';

/** Everything each side of each channel understands: the domains put together, and nothing else. */
export const workerContract = {
  ...workerHooks,
  ...workerTools,
  ...workerCommands,
  ...workerHandles,
  ...workerProviders,
  ...workerBus,
};
export const supervisorContract = { ...supervisorLifecycle };
/** What the core accepts from a worker. */
export const coreForWorkerContract = {
  ...coreHooks,
  ...coreLogs,
  ...coreRequests,
  ...coreDialogs,
  ...coreEnvironment,
  ...coreBus,
  ...coreOutside,
};
/** What the core answers at once, to a worker whose thread waits for it. */
export const coreSyncContract = { ...coreRegistrations, ...coreActions };
/** What the core accepts from the supervisor. */
export const coreForSupervisorContract = { ...coreLifecycle, ...coreState };

export type WorkerContract = typeof workerContract;
export type SupervisorContract = typeof supervisorContract;
export type CoreForWorkerContract = typeof coreForWorkerContract;
export type CoreSyncContract = typeof coreSyncContract;
export type CoreForSupervisorContract = typeof coreForSupervisorContract;
