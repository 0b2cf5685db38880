/** Limits the supervisor works by; the core hands them over as one JSON argument when it starts the process. */
export interface HostSettings {
  /** Between two looks at a worker. */
  beatMs: number;
  /** Silence after which a worker counts as slow. */
  slowMs: number;
  /** Silence while its thread burns CPU, after which it is ended. */
  burningMs: number;
  /** Silence while its thread waits for something that is not a child. */
  blockedMs: number;
  /** Silence while its thread waits and has a live child. */
  blockedOnChildMs: number;
  /** What `terminate()` gets before the whole process group is killed. */
  terminateMs: number;
  /** A factory that only waits is given up after this. */
  loadMs: number;
  /** Shutdown handlers together. */
  shutdownMs: number;
  /** Old-generation heap of one worker. */
  heapMb: number;
  /** Resident memory of the whole process at which the core kills it. */
  rssMb: number;
  /** Unread bytes in either direction: a worker that sends more is ended, a process that does not read is killed. */
  maxUnreadBytes: number;
}

/** What an extension-host process is started with: one JSON argument. */
export interface HostStart {
  settings: HostSettings;
  /** Folder for transpiled code, which processes share. */
  cacheDir: string;
  /** Extensions share the first worker. */
  isShared: boolean;
  /** Files that will be loaded: they are transpiled while the worker starts. */
  prepare: string[];
}

export const DEFAULT_HOST_SETTINGS: HostSettings = {
  beatMs: 250,
  slowMs: 1_000,
  burningMs: 2_000,
  blockedMs: 5_000,
  blockedOnChildMs: 30_000,
  terminateMs: 500,
  loadMs: 5_000,
  shutdownMs: 2_000,
  heapMb: 256,
  rssMb: 1_024,
  maxUnreadBytes: 64 * 1024 * 1024,
};
