import type { FormField } from "../form/fields.ts";
import type { JsonObject, ToolsTryResult } from "../protocol.ts";

/** What the Try panel shows of one tool. */
export interface TryState {
  readonly tool: string;
  readonly description: string;
  readonly project: string;
  readonly fields: readonly FormField[];
  /** Arguments used before, by this person in this workspace. */
  readonly used: JsonObject;
  readonly running: boolean;
  /** What the tool printed so far. */
  readonly printed: string;
  readonly result?: ToolsTryResult;
  /** Why there is no result, in a sentence. */
  readonly problem?: string;
  /** Places in these folders can be opened. */
  readonly folders: readonly string[];
}

export type ToTry = { readonly type: "state"; readonly state: TryState };

export type FromTry =
  | { readonly type: "ready" }
  | { readonly type: "run"; readonly arguments: JsonObject }
  | { readonly type: "stop" }
  | { readonly type: "openDefinition" }
  | { readonly type: "openPlace"; readonly path: string; readonly line: number }
  | { readonly type: "copy"; readonly text: string };
