import type { JsonObject, JsonValue } from "../protocol.ts";

/** An agent of `.adal/agents.py`; `default` where there is no such file. */
export interface AgentInfo {
  id: string;
  description?: string;
  /** Absent: the person's model is used. */
  model?: string;
  /** Its tools come from a provider, which is given the run's `toolContext`. */
  toolContext: boolean;
  projectRoot: string;
  /** Why its tools or its form are not known. */
  problems?: string[];
}

/** One field of a form. */
export interface ContextField {
  name: string;
  kind: "string" | "number" | "boolean" | "json";
  required: boolean;
  description?: string;
  options?: JsonValue[];
  default?: JsonValue;
  /** The shape of a `json` field, for people. */
  jsonType?: JsonObject;
}

/** `declared` without fields is a box for JSON; not declared, no tool context is sent. */
export interface ContextForm {
  declared: boolean;
  fields: ContextField[];
}

/** The requests about agents; a server that has none refuses them. */
export interface AgentLink {
  request(
    method: "adal/agents/list",
    params: { projectRoot?: string },
  ): Promise<{ agents: AgentInfo[]; errors?: { projectRoot: string; message: string }[] }>;
  request(method: "adal/agents/contextForm", params: { agent: string; projectRoot?: string }): Promise<ContextForm>;
}
