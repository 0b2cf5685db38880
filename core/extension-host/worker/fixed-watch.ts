interface Watched {
  object: object;
  key: PropertyKey;
  value: unknown;
}

interface WatchedWhole {
  object: object;
  keys: readonly PropertyKey[];
  getters: readonly (readonly [PropertyKey, PropertyDescriptor])[];
}

/** Shared properties that can't be fixed without harm: they are looked at now and then, and put back. */
export class FixedWatch {
  readonly #values: Watched[] = [];
  readonly #wholes: WatchedWhole[] = [];

  /** A property that holds a writable value; of any other nothing is to be feared. */
  add(object: object, key: PropertyKey): void {
    const descriptor = Reflect.getOwnPropertyDescriptor(object, key);
    if (descriptor?.writable) this.#values.push({ object, key, value: descriptor.value });
  }

  /** The whole object: what is added to it goes again. */
  addAll(object: object): void {
    const keys = Reflect.ownKeys(object);
    const getters: [PropertyKey, PropertyDescriptor][] = [];
    for (const key of keys) {
      const descriptor = Reflect.getOwnPropertyDescriptor(object, key);
      if (descriptor && 'value' in descriptor) this.#values.push({ object, key, value: descriptor.value });
      else if (descriptor) getters.push([key, descriptor]);
    }
    this.#wholes.push({ object, keys, getters });
  }

  /** Puts back what is other than it was, and names it. `onlyValues` leaves out what takes longer to see: getters and additions. */
  restore(onlyValues = false): PropertyKey[] {
    const changed: PropertyKey[] = [];
    for (const { object, key, value } of this.#values) {
      if ((object as Record<PropertyKey, unknown>)[key] === value) continue;
      changed.push(key);
      const { enumerable = false } = Reflect.getOwnPropertyDescriptor(object, key) ?? {};
      // What is sealed takes a value only as it is; what is not may have become anything.
      if (!Reflect.set(object, key, value) || (object as Record<PropertyKey, unknown>)[key] !== value)
        Reflect.defineProperty(object, key, { value, writable: true, enumerable, configurable: true });
    }
    if (!onlyValues) for (const whole of this.#wholes) changed.push(...restoreWhole(whole));
    return changed;
  }
}

function restoreWhole({ object, keys, getters }: WatchedWhole): PropertyKey[] {
  const changed: PropertyKey[] = [];
  for (const [key, before] of getters) {
    const now = Reflect.getOwnPropertyDescriptor(object, key);
    if (now?.get === before.get && now?.set === before.set) continue;
    changed.push(key);
    Reflect.defineProperty(object, key, before);
  }
  const present = Reflect.ownKeys(object);
  if (present.length === keys.length) return changed;
  for (const key of present.filter((key) => !keys.includes(key))) {
    changed.push(key);
    Reflect.deleteProperty(object, key);
  }
  return changed;
}
