import { CodedError } from '../../../base/coded-error.js';
import { LOADER_ERRORS } from './errors.js';
import type { ForeignModule, ModuleNode, ModuleScope, OwnModule } from './module-node.js';

type ScopeOf = (module: OwnModule) => ModuleScope;
/** Modules that import one another, each after what it imports as far as that can be; or one that is not ours. */
type Group = OwnModule[] | ForeignModule;

/** Runs a module after all it imports. Waits where one of them does. */
export async function evaluate(root: OwnModule, scopeOf: ScopeOf): Promise<void> {
  const steps = run(root, scopeOf, false);
  for (let step = steps.next(); !step.done; ) {
    try {
      await step.value;
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next();
  }
}

/** The same at once, for `require`. Throws `ERR_REQUIRE_ASYNC_MODULE` when a module would have to wait. */
export function evaluateNow(root: OwnModule, scopeOf: ScopeOf): void {
  for (const _ of run(root, scopeOf, true)) throw mustWait(root.path);
}

const mustWait = (file: string): CodedError =>
  new CodedError(LOADER_ERRORS.ASYNC, `${file} uses await outside of functions: it can be imported, but not required`);

/** Yields what has to be waited for; nothing when `now`. */
function* run(root: OwnModule, scopeOf: ScopeOf, now: boolean): Generator<unknown, void> {
  for (const group of inOrder(root)) {
    if (Array.isArray(group)) yield* runGroup(group, scopeOf, now);
    else if (now) group.loadNow();
    else {
      const loading = group.load();
      if (loading) yield loading;
    }
  }
}

function* runGroup(group: OwnModule[], scopeOf: ScopeOf, now: boolean): Generator<unknown, void> {
  for (const { state, running, error } of group) {
    if (state === 'failed') throw error;
    // Somebody else's turn: one waits for it, or takes it unfinished as `require` does.
    if (state === 'running') {
      if (running && !now) yield running;
      return;
    }
  }
  const waiting = group.find((module) => module.awaits);
  if (now && waiting) throw mustWait(waiting.path);
  const turn = now ? undefined : takeTurn(group);
  try {
    for (const module of group) yield* waitFor(module.begin(scopeOf), module);
    for (const module of group) {
      // A script may have been required by one before it.
      if (module.state === 'done') continue;
      yield* waitFor(module.finish(scopeOf), module);
      module.settle();
    }
    turn?.resolve();
  } catch (error) {
    for (const module of group) if (module.state !== 'done') module.settle({ thrown: error });
    turn?.reject(error);
    throw error;
  }
}

function* waitFor(step: unknown, module: OwnModule): Generator<unknown, void> {
  if (module.awaits) yield step;
}

function takeTurn(group: OwnModule[]): { resolve: () => void; reject: (error: unknown) => void } {
  let resolve = (): void => undefined;
  let reject = (_error: unknown): void => undefined;
  const running = new Promise<void>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  // Nobody may wait for it; who runs the group gets the error anyway.
  running.catch(() => undefined);
  for (const module of group) module.running = running;
  return { resolve, reject };
}

/** What has to run for `root`, dependencies first (Tarjan's strongly connected components). */
function inOrder(root: OwnModule): Group[] {
  const groups: Group[] = [];
  const seen = new Map<ModuleNode, { number: number; lowest: number; finished: number; isOpen: boolean }>();
  const open: OwnModule[] = [];
  let finished = 0;
  const visit = (module: OwnModule): number => {
    const mark = { number: seen.size, lowest: seen.size, finished: 0, isOpen: true };
    seen.set(module, mark);
    open.push(module);
    for (const dependency of module.state === 'linked' ? module.dependencies : []) {
      const known = seen.get(dependency);
      if (dependency.kind === 'foreign') {
        if (!known) groups.push(dependency);
        seen.set(dependency, { number: seen.size, lowest: seen.size, finished: 0, isOpen: false });
      } else if (!known) mark.lowest = Math.min(mark.lowest, visit(dependency));
      else if (known.isOpen) mark.lowest = Math.min(mark.lowest, known.number);
    }
    mark.finished = finished++;
    if (mark.lowest === mark.number) {
      const group = open.splice(open.lastIndexOf(module));
      for (const member of group) {
        const its = seen.get(member);
        if (its) its.isOpen = false;
      }
      groups.push(group.sort((a, b) => (seen.get(a)?.finished ?? 0) - (seen.get(b)?.finished ?? 0)));
    }
    return mark.lowest;
  };
  visit(root);
  return groups;
}
