import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { CancellationToken } from "vscode";
import type { Connection } from "../connection.ts";
import { fieldsOf } from "../form/fields.ts";
import type { JsonObject, Tool } from "../protocol.ts";
import type { TryState } from "./messages.ts";

/** Printed text that is kept; the result has all of it. */
const MAX_PRINTED = 200_000;

/** Which tool is tried. */
export interface Tried {
  readonly projectRoot: string;
  readonly tool: string;
}

/** A person's tries of one tool: the form, the call that is going on, and how the last one ended. */
export class TrySession {
  #state: TryState;
  /** The call that is going on; what an earlier one still prints is not shown. */
  #tryId: string | undefined;

  constructor(
    readonly tried: Tried,
    private readonly connection: Pick<Connection, "request">,
    used: JsonObject,
    folders: readonly string[],
    private readonly changed: () => void,
  ) {
    const project = tried.projectRoot.split(/[\\/]/).at(-1) ?? tried.projectRoot;
    this.#state = {
      tool: tried.tool,
      description: "",
      project,
      fields: [],
      used,
      running: false,
      printed: "",
      folders,
    };
  }

  get state(): TryState {
    return this.#state;
  }

  /** The tool as listed now; undefined when it is not there any more. */
  describe(tool: Tool | undefined): void {
    const { problem: _, ...state } = this.#state;
    this.#take(
      tool
        ? { ...state, fields: fieldsOf(tool.parameters), description: tool.description ?? "" }
        : { ...state, problem: t`${state.project} has no tool ${state.tool} any more.` },
    );
  }

  /** Runs the tool; the outcome is in the state. `token` stops it. */
  async run(given: JsonObject, token: CancellationToken): Promise<void> {
    const tryId = randomUUID();
    this.#tryId = tryId;
    const { result: _, problem: __, ...state } = this.#state;
    this.#take({ ...state, used: given, running: true, printed: "" });
    try {
      const params = { ...this.tried, arguments: given, tryId };
      const result = await this.connection.request("adal/tools/try", params, token);
      this.#end(tryId, { result });
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      this.#end(tryId, { problem: token.isCancellationRequested ? "Stopped." : words });
    }
  }

  /** `adal/tools/tryProgress` of any try. */
  heard(tryId: string, text: string): void {
    if (tryId === this.#tryId && this.#state.running) {
      this.#take({ ...this.#state, printed: (this.#state.printed + text).slice(-MAX_PRINTED) });
    }
  }

  #end(tryId: string, outcome: Pick<TryState, "result" | "problem">): void {
    if (tryId === this.#tryId) {
      this.#take({ ...this.#state, running: false, ...outcome });
    }
  }

  #take(state: TryState): void {
    this.#state = state;
    this.changed();
  }
}
