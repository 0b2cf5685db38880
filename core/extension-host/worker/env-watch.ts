type Changed = (name: string, value: string | null) => void;

/**
 * Tells each change of `process.env` that extension code makes: children of the core shall see it as they would if it had been made there.
 * Reads and writes go to the process's own environment.
 */
export function watchEnvironment(changed: Changed): void {
  const real = process.env;
  process.env = new Proxy(real, {
    set(target, name, value) {
      if (typeof name !== 'string') return Reflect.set(target, name, value);
      const before = target[name];
      target[name] = value as string;
      if (target[name] !== before) changed(name, target[name] ?? null);
      return true;
    },
    defineProperty(target, name, descriptor) {
      const done = Reflect.defineProperty(target, name, descriptor);
      if (done && typeof name === 'string') changed(name, target[name] ?? null);
      return done;
    },
    deleteProperty(target, name) {
      const was = typeof name === 'string' && name in target;
      const done = Reflect.deleteProperty(target, name);
      if (was && done) changed(String(name), null);
      return done;
    },
  });
}
