import { t } from "@vscode/l10n";
import { type FormField, fieldsOf } from "../form/fields.ts";
import type { AgentInfo, ContextField, ContextForm, JsonValue } from "../protocol.ts";
import type { Link } from "./controller.ts";
import type { ContextInputs } from "./viewState.ts";

/** The agent that every project has. */
export const DEFAULT_AGENT = "default";

/** What is kept between windows, such as a `Memento`. */
export interface Memory {
  get<T>(key: string): T | undefined;
  update(key: string, value: unknown): Thenable<void>;
}

/** The agents of the workspace, and the forms of their contexts, as far as they have been asked for. */
export class Agents {
  #known: readonly AgentInfo[] = [];
  readonly #forms = new Map<string, ContextForm>();

  constructor(
    private readonly link: Pick<Link, "request">,
    private readonly memory: Memory,
    private readonly log: (problem: string) => void,
    private readonly changed: () => void,
  ) {}

  get known(): readonly AgentInfo[] {
    return this.#known;
  }

  /** Every project has the default agent, whether it names one so or not. */
  get choices(): readonly AgentInfo[] {
    const roots = [...new Set(this.#known.map(({ projectRoot }) => projectRoot))];
    const missing = roots.filter((root) => !this.find(DEFAULT_AGENT, root));
    const description = t("The built-in tools, and those of .adal/tools.py");
    return [
      ...missing.map((projectRoot) => ({ id: DEFAULT_AGENT, description, toolContext: false, projectRoot })),
      ...this.#known,
    ];
  }

  /** Asks for them anew; what was known stays where that fails, which is no more than a line of the log. */
  async refresh(): Promise<void> {
    try {
      const { agents, errors } = await this.link.request("adal/agents/list", {});
      for (const { message } of errors ?? []) this.log(message);
      this.#known = agents;
      this.#forms.clear();
      this.changed();
    } catch (error) {
      this.log(`The agents could not be listed. ${wordsOf(error)}`);
    }
  }

  find(id: string, projectRoot?: string): AgentInfo | undefined {
    return this.#known.find((agent) => agent.id === id && (!projectRoot || agent.projectRoot === projectRoot));
  }

  /** The inputs of an agent's context; undefined where it takes none, or before the answer has come. */
  inputs(id: string, projectRoot?: string): ContextInputs | undefined {
    const agent = this.find(id, projectRoot);
    if (!agent?.toolContext) {
      return undefined;
    }
    const form = this.#forms.get(keyOf(agent));
    if (!form) {
      void this.#fetch(agent);
      return undefined;
    }
    const used = this.memory.get<JsonValue>(keyOf(agent));
    return form.declared ? { fields: contextFields(form.fields), ...(used === undefined ? {} : { used }) } : undefined;
  }

  /** For the next time. */
  async remember(id: string, projectRoot: string | undefined, context: JsonValue): Promise<void> {
    const agent = this.find(id, projectRoot);
    if (agent) await this.memory.update(keyOf(agent), context);
  }

  async #fetch(agent: AgentInfo): Promise<void> {
    const key = keyOf(agent);
    this.#forms.set(key, { declared: false, fields: [] }); // asked once
    try {
      const { id, projectRoot } = agent;
      this.#forms.set(key, await this.link.request("adal/agents/contextForm", { agent: id, projectRoot }));
      this.changed();
    } catch (error) {
      this.log(`The form of the agent ${agent.id} could not be read. ${wordsOf(error)}`);
    }
  }
}

/** The inputs that the fields of a context stand for. */
export function contextFields(fields: readonly ContextField[]): FormField[] {
  return fields.map(({ jsonType, ...field }) => ({
    ...field,
    type: (jsonType && fieldsOf({ properties: { value: jsonType } })[0]?.type) ?? field.kind,
  }));
}

function keyOf({ id, projectRoot }: Pick<AgentInfo, "id" | "projectRoot">): string {
  return `adal.context:${projectRoot}\n${id}`;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
