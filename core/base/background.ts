import { messageOf } from './coded-error.js';
import type { Logger } from './logger.js';

/**
 * Gives a promise nobody awaits an owner: a failure is logged with what it was for, instead of becoming an unhandled rejection.
 */
export function background(promise: Promise<unknown>, log: Logger, what: string): void {
  promise.catch((error: unknown) => log.error(`${what} failed`, { error: messageOf(error) }));
}
