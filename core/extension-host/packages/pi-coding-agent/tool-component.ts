import { defaultTheme } from '../theme.js';
import { renderToolCall, renderToolResult } from './tool-rendering.js';
import type { AgentToolResult, ToolDefinition } from './tool-shape.js';
import { Box, type Component, Container, Spacer, type TUI } from './tui.js';

export interface ToolExecutionOptions {
  showImages?: boolean;
  imageWidthCells?: number;
}

type Shown = AgentToolResult & { isError?: boolean };
type Renderers = Pick<ToolDefinition, 'renderCall' | 'renderResult' | 'renderShell'>;

/** A tool call and, once it is there, its result; drawn by the tool's own renderers where it has some. */
export class ToolExecutionComponent extends Container {
  readonly #name: string;
  readonly #id: string;
  readonly #renderers: Renderers | undefined;
  readonly #ui: Pick<TUI, 'requestRender'> | undefined;
  readonly #cwd: string;
  readonly #state = {};
  #args: Record<string, unknown>;
  #result: Shown | undefined;
  #isPartial = true;
  #expanded = false;
  #argsComplete = false;
  #started = false;

  constructor(
    toolName: string,
    toolCallId: string,
    args: Record<string, unknown>,
    _options: ToolExecutionOptions = {},
    toolDefinition?: Renderers,
    ui?: Pick<TUI, 'requestRender'>,
    cwd: string = process.cwd(),
  ) {
    super();
    this.#name = toolName;
    this.#id = toolCallId;
    this.#args = args;
    this.#renderers = toolDefinition;
    this.#ui = ui;
    this.#cwd = cwd;
    this.#rebuild();
  }

  updateArgs(args: Record<string, unknown>): void {
    this.#args = args;
    this.#rebuild();
  }

  setArgsComplete(): void {
    this.#argsComplete = true;
    this.#rebuild();
  }

  markExecutionStarted(): void {
    this.#started = true;
    this.#rebuild();
  }

  updateResult(result: Shown, isPartial = false): void {
    this.#result = result;
    this.#isPartial = isPartial;
    this.#rebuild();
  }

  setExpanded(expanded: boolean): void {
    this.#expanded = expanded;
    this.#rebuild();
  }

  /** Accepted and without effect: images are shown by their kind. */
  setShowImages(_show: boolean): void {}

  setImageWidthCells(_cells: number): void {}

  override invalidate(): void {
    super.invalidate();
    this.#rebuild();
  }

  #rebuild(): void {
    this.clear();
    const theme = defaultTheme();
    const call = this.#guarded(() => this.#renderers?.renderCall?.(this.#args, theme, this.#context()));
    const result = this.#result;
    const shown = result && this.#guarded(() => this.#resultOf(result));
    const parts = [call ?? renderToolCall(this.#name, this.#args, theme), ...(shown ? [shown] : [])];
    this.addChild(new Spacer(1));
    if (this.#renderers?.renderShell === 'self') {
      for (const part of parts) this.addChild(part);
      return;
    }
    const color = !result || this.#isPartial ? 'toolPendingBg' : result.isError ? 'toolErrorBg' : 'toolSuccessBg';
    const box = new Box(1, 1, (text) => theme.bg(color, text));
    for (const part of parts) box.addChild(part);
    this.addChild(box);
  }

  #resultOf(result: Shown): Component {
    const options = { expanded: this.#expanded, isPartial: this.#isPartial };
    return (
      this.#renderers?.renderResult?.(result, options, defaultTheme(), this.#context()) ??
      renderToolResult(result, options, defaultTheme())
    );
  }

  /** A renderer that fails leaves its place to the plain form. */
  #guarded(render: () => Component | undefined): Component | undefined {
    try {
      return render();
    } catch (error) {
      console.error(`The renderer of the tool ${this.#name} failed: ${String(error)}`);
      return undefined;
    }
  }

  /** What renderers get beside arguments and result. Source: extensions document, "Custom Rendering". */
  #context(): object {
    return {
      args: this.#args,
      toolCallId: this.#id,
      invalidate: () => this.#ui?.requestRender(),
      lastComponent: undefined,
      state: this.#state,
      cwd: this.#cwd,
      executionStarted: this.#started,
      argsComplete: this.#argsComplete,
      isPartial: this.#isPartial,
      expanded: this.#expanded,
      showImages: false,
      isError: this.#result?.isError === true,
    };
  }
}
