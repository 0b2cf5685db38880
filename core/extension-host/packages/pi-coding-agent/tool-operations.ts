/**
 * What built-in tools need of the place they work in, when that is not this machine. Paths are absolute; whoever implements these
 * brings them to the other side. Source: extensions document, "Remote Execution"; arguments as observed, 0.84.0.
 */
type Awaitable<T> = T | Promise<T>;

export interface ReadOperations {
  readFile(path: string): Awaitable<Buffer>;
  /** Rejects when the file can't be read. */
  access(path: string): Awaitable<void>;
  detectImageMimeType?(path: string): Awaitable<string | null | undefined>;
}

export interface WriteOperations {
  writeFile(path: string, content: string): Awaitable<void>;
  mkdir(dir: string): Awaitable<void>;
}

export interface EditOperations {
  readFile(path: string): Awaitable<Buffer>;
  writeFile(path: string, content: string): Awaitable<void>;
  access(path: string): Awaitable<void>;
}

export interface LsOperations {
  exists(path: string): Awaitable<boolean>;
  stat(path: string): Awaitable<{ isDirectory(): boolean }>;
  readdir(path: string): Awaitable<string[]>;
}

export interface FindOperations {
  exists(path: string): Awaitable<boolean>;
  /** Absolute paths, or paths below `cwd`. */
  glob(pattern: string, cwd: string, options: { ignore: string[]; limit: number }): Awaitable<string[]>;
}

export interface GrepOperations {
  /** Rejects when there is nothing. */
  isDirectory(path: string): Awaitable<boolean>;
  readFile(path: string): Awaitable<string>;
}
