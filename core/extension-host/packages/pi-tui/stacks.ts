import { type Component, truncateToWidth, visibleWidth } from '@mariozechner/pi-tui';

/** How much of the stack's size a component gets. Source: README of pi-tui, "Alternate-screen viewport layouts". */
export interface StackEntry {
  component: Component;
  basis?: number | 'auto';
  grow?: number;
  shrink?: number;
  minSize?: number;
  maxSize?: number;
  visible?: (width: number, height: number) => boolean;
}

/** Components side by side or one above the other, rendered without a screen: all they have, as one document. */
abstract class Stack implements Component {
  children: StackEntry[];

  constructor(entries: readonly (Component | StackEntry)[] = []) {
    this.children = entries.map(toEntry);
  }

  addChild(child: Component | StackEntry): void {
    this.children.push(toEntry(child));
  }

  removeChild(component: Component): void {
    this.children = this.children.filter((entry) => entry.component !== component);
  }

  clear(): void {
    this.children = [];
  }

  invalidate(): void {
    for (const { component } of this.children) component.invalidate();
  }

  abstract render(width: number): string[];
}

export class VStack extends Stack {
  render(width: number): string[] {
    return this.children.flatMap(({ component }) => component.render(width));
  }
}

export class HStack extends Stack {
  render(width: number): string[] {
    const columns = widthsOf(this.children, width).map((own, at) => ({
      own,
      lines: this.children[at]?.component.render(own) ?? [],
    }));
    const height = Math.max(0, ...columns.map(({ lines }) => lines.length));
    const cell = (line: string, own: number): string => line + ' '.repeat(Math.max(0, own - visibleWidth(line)));
    return Array.from({ length: height }, (_, row) =>
      columns.map(({ lines, own }) => cell(truncateToWidth(lines[row] ?? '', own, ''), own)).join(''),
    );
  }
}

const toEntry = (child: Component | StackEntry): StackEntry => ('component' in child ? child : { component: child });

/** Fixed sizes first; what is left goes to those that grow, in their proportion, or evenly to those without a size. */
function widthsOf(entries: readonly StackEntry[], width: number): number[] {
  const fixed = entries.map(({ basis }) => (typeof basis === 'number' ? Math.min(basis, width) : 0));
  const shares = entries.map(({ basis, grow }) => grow ?? (typeof basis === 'number' ? 0 : 1));
  const left = Math.max(0, width - sum(fixed));
  const total = sum(shares);
  return entries.map(({ minSize = 0, maxSize = width }, at) => {
    const share = total > 0 ? Math.floor((left * (shares[at] ?? 0)) / total) : 0;
    return Math.max(1, Math.min(maxSize, Math.max(minSize, (fixed[at] ?? 0) + share)));
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
