import { CodedError } from '../../../base/coded-error.js';
import { LOADER_ERRORS } from './errors.js';
import { importView } from './interop.js';
import type { ForeignModule } from './module-node.js';
import type { NativeModules } from './native-modules.js';

/** A file of an installed package. */
export class NativeFile implements ForeignModule {
  readonly kind = 'foreign';
  readonly #natives: NativeModules;
  readonly #path: string;
  #loaded: { exports: unknown } | undefined;

  constructor(natives: NativeModules, path: string) {
    this.#natives = natives;
    this.#path = path;
  }

  get namespace(): object {
    return importView(this.#loaded?.exports);
  }

  load(): Promise<unknown> | undefined {
    if (this.#loaded) return undefined;
    return this.#natives.import(this.#path).then((exports) => {
      this.#loaded = { exports };
    });
  }

  loadNow(): void {
    this.#loaded ??= { exports: this.#natives.require(this.#path) };
  }
}

/** What Node has built in. `value` is what `require` gives. */
export class BuiltinModule implements ForeignModule {
  readonly kind = 'foreign';
  readonly namespace: object;

  constructor(value: unknown) {
    this.namespace = importView(value);
  }

  load(): undefined {
    return undefined;
  }

  loadNow(): void {
    // There already.
  }
}

/** `data:` and other addresses only Node knows. */
export class UrlModule implements ForeignModule {
  readonly kind = 'foreign';
  readonly #url: string;
  #namespace: object | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  get namespace(): object {
    return importView(this.#namespace);
  }

  load(): Promise<unknown> | undefined {
    if (this.#namespace) return undefined;
    return import(this.#url).then((namespace: object) => {
      this.#namespace = namespace;
    });
  }

  loadNow(): void {
    if (!this.#namespace)
      throw new CodedError(LOADER_ERRORS.ASYNC, `${this.#url.slice(0, 100)} can be imported, but not required`);
  }
}

/** Packages that come with the program. They outlive every module graph. */
export class VirtualPackages {
  readonly #find: (specifier: string) => (() => Promise<object>) | undefined;
  readonly #loaded = new Map<string, object>();
  readonly #loading = new Map<string, Promise<object>>();

  constructor(find: (specifier: string) => (() => Promise<object>) | undefined) {
    this.#find = find;
  }

  has(specifier: string): boolean {
    return this.#loaded.has(specifier) || this.#find(specifier) !== undefined;
  }

  /** What is loaded. Throws `ERR_REQUIRE_ASYNC_MODULE`. */
  get(specifier: string): object {
    const loaded = this.#loaded.get(specifier);
    if (loaded) return loaded;
    throw new CodedError(
      LOADER_ERRORS.ASYNC,
      `'${specifier}' is not loaded yet: import it, or require it by its name written out in the file`,
    );
  }

  load(specifier: string): Promise<object> {
    let loading = this.#loading.get(specifier);
    if (!loading) {
      const load = this.#find(specifier);
      if (!load) throw new CodedError(LOADER_ERRORS.NOT_FOUND, `There is no '${specifier}'`);
      loading = load().then((namespace) => {
        this.#loaded.set(specifier, namespace);
        return namespace;
      });
      this.#loading.set(specifier, loading);
    }
    return loading;
  }

  node(specifier: string): ForeignModule {
    const packages = this;
    return {
      kind: 'foreign',
      get namespace() {
        return importView(packages.get(specifier));
      },
      load: () => (packages.#loaded.has(specifier) ? undefined : packages.load(specifier)),
      loadNow: () => void packages.get(specifier),
    };
  }
}
