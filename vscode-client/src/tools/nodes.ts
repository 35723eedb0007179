import { t } from "@vscode/l10n";
import type { Project, Tool } from "../protocol.ts";

/** A row of the tools tree. */
export type Node =
  | { kind: "project"; project: Project }
  | { kind: "error"; project: Project; fault: LoadFault }
  | { kind: "tool"; project: Project; tool: Tool }
  | { kind: "builtins"; project: Project; tools: Tool[] }
  | { kind: "group"; project: Project; group: string; tools: Tool[] };

/** Why a project did not load. `file` and `line` (from 1; 0 unknown) are where. */
export interface LoadFault {
  readonly message: string;
  readonly file: string;
  readonly line: number;
}

/** The fault of the last load, without the place in front of its words: a row has room for one of the two. */
export function faultOf({ error, file }: Project): LoadFault {
  const [first = ""] = error?.split("\n", 1) ?? [];
  const [, place, line, message] = /^((?:[A-Za-z]:)?[^:]*):(?:(\d+):)? (.*)$/.exec(first) ?? [];
  if (place?.endsWith(".py") && message) return { message, file: place, line: Number(line ?? 0) };
  return { message: first || t("unknown error"), file, line: 0 };
}

/** The top rows: the projects, or the rows of the only one. */
export function roots(projects: readonly Project[]): Node[] {
  const [only, ...others] = projects;
  if (!only) return [];
  return others.length === 0 ? childrenOf(only) : projects.map((project) => ({ kind: "project", project }));
}

export function children(node: Node): Node[] {
  if (node.kind === "project") return childrenOf(node.project);
  if (node.kind === "builtins") return groupsOf(node.project, node.tools);
  if (node.kind === "group") return node.tools.map((tool) => ({ kind: "tool", project: node.project, tool }));
  return [];
}

/** Built-in tools by what they may do, in the order of the list. */
function groupsOf(project: Project, tools: readonly Tool[]): Node[] {
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    const group = tool.group ?? t("Other");
    groups.set(group, [...(groups.get(group) ?? []), tool]);
  }
  return [...groups].map(([group, members]) => ({ kind: "group", project, group, tools: members }));
}

/** Absent means true: the settings switch off built-in tools alone. */
export function isEnabled(tool: Tool): boolean {
  return tool.enabled ?? true;
}

function childrenOf(project: Project): Node[] {
  const tools = project.tools ?? [];
  const own = tools.filter((tool) => tool.kind !== "builtin");
  const builtins = tools.filter((tool) => tool.kind === "builtin");
  return [
    ...(project.state === "error" ? [{ kind: "error" as const, project, fault: faultOf(project) }] : []),
    ...own.map((tool) => ({ kind: "tool" as const, project, tool })),
    ...(builtins.length > 0 ? [{ kind: "builtins" as const, project, tools: builtins }] : []),
  ];
}

export function firstLine(tool: Tool): string {
  return tool.description?.trim().split("\n", 1)[0]?.trim() ?? "";
}

/** Absent means true: a custom tool asks unless it says otherwise. */
export function asks(tool: Tool): boolean {
  return tool.requireApproval ?? true;
}

/** A tool of a provider is made in a run of its agent: there is nothing to try or to preview before. */
export function isThere(tool: Tool): boolean {
  return tool.kind !== "provider";
}

/** Of a tool that stands in the text and that runs do not have. */
function pendingWords(): string {
  return t("not loaded");
}

/** What stands beside the name. */
export function about(tool: Tool): string {
  const agent = tool.agent ? [t`agent ${tool.agent}`] : [];
  return [...(tool.pending ? [pendingWords()] : []), ...agent, firstLine(tool)].filter(Boolean).join(" · ");
}

/** What a screen reader says; it also names what the row shows by icons alone. */
export function spoken(tool: Tool): string {
  const problems = tool.problems?.length ?? 0;
  const parts = [tool.name, asks(tool) ? t("asks for approval") : t("runs without asking")];
  if (tool.agent) parts.push(t`of the agent ${tool.agent}`);
  if (tool.pending) parts.push(pendingWords());
  if (!isEnabled(tool)) parts.push(t("switched off"));
  if (problems > 0) parts.push(problems === 1 ? t("1 problem") : t`${problems} problems`);
  return parts.join(", ");
}

/** One line per parameter, as the model gets them. */
export function parameterLines(tool: Tool): string[] {
  const schema = tool.parameters as {
    properties?: Record<string, { type?: unknown; description?: string }>;
    required?: string[];
  };
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const type = typeof property.type === "string" ? property.type : t("any");
    const optional = schema.required?.includes(name) ? "" : `, ${t("optional")}`;
    return `\`${name}\` (${type}${optional})${property.description ? `: ${property.description}` : ""}`;
  });
}

/** A call of the tool for the prompt, with its required parameters to be filled in. */
export function callOf(tool: Tool): string {
  const schema = tool.parameters as {
    properties?: Record<string, { type?: unknown; enum?: unknown[] }>;
    required?: string[];
  };
  const given = (schema.required ?? []).map((name) => {
    const { type, enum: options } = schema.properties?.[name] ?? {};
    const value = options ? JSON.stringify(options[0]) : (PLACEHOLDERS[String(type)] ?? '""');
    return `${name}=${value}`;
  });
  return `${tool.name}(${given.join(", ")})`;
}

const PLACEHOLDERS: Record<string, string> = {
  integer: "0",
  number: "0.0",
  boolean: "False",
  array: "[]",
  object: "{}",
};
