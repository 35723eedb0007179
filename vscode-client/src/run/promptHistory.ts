import type { Memento } from "vscode";

const KEY = "adal.prompts";
const MOST = 50;

/** The prompts of this workspace, the last one first. They stay with the editor, never in the workspace. */
export class PromptHistory {
  #prompts: readonly string[];

  constructor(private readonly memory: Memento) {
    this.#prompts = memory.get<string[]>(KEY, []);
  }

  /** Another array after each change. */
  get prompts(): readonly string[] {
    return this.#prompts;
  }

  add(prompt: string): void {
    this.#prompts = [prompt, ...this.#prompts.filter((earlier) => earlier !== prompt)].slice(0, MOST);
    void this.memory.update(KEY, this.#prompts);
  }
}
