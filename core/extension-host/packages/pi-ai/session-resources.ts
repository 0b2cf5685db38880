type Cleanup = (sessionId?: string) => void;

const cleanups = new Set<Cleanup>();

/** Has `cleanup` called by {@link cleanupSessionResources}. Returns a function that takes it back. */
export function registerSessionResourceCleanup(cleanup: Cleanup): () => void {
  cleanups.add(cleanup);
  return () => {
    cleanups.delete(cleanup);
  };
}

/** Frees what providers of extensions keep for a session (all sessions without an id): connections, caches. */
export function cleanupSessionResources(sessionId?: string): void {
  const errors: unknown[] = [];
  for (const cleanup of cleanups) {
    try {
      cleanup(sessionId);
    } catch (error) {
      // The others are freed all the same.
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Not all resources of the session could be freed');
}
