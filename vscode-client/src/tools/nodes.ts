import type { Project, Tool } from "../protocol.ts";

/** A row of the tools tree. */
export type Node =
  | { kind: "project"; project: Project }
  | { kind: "error"; project: Project; message: string }
  | { kind: "tool"; project: Project; tool: Tool }
  | { kind: "builtins"; project: Project; tools: Tool[] };

/** The top rows: the projects, or the rows of the only one. */
export function roots(projects: readonly Project[]): Node[] {
  const [only, ...others] = projects;
  if (!only) return [];
  return others.length === 0 ? childrenOf(only) : projects.map((project) => ({ kind: "project", project }));
}

export function children(node: Node): Node[] {
  if (node.kind === "project") return childrenOf(node.project);
  if (node.kind === "builtins") return node.tools.map((tool) => ({ kind: "tool", project: node.project, tool }));
  return [];
}

function childrenOf(project: Project): Node[] {
  const tools = project.tools ?? [];
  const own = tools.filter((tool) => tool.kind !== "builtin");
  const builtins = tools.filter((tool) => tool.kind === "builtin");
  const message = project.error?.split("\n", 1)[0];
  return [
    ...(project.state === "error" ? [{ kind: "error" as const, project, message: message ?? "unknown error" }] : []),
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

/** Of a tool that stands in the text and that runs do not have. */
export const PENDING = "not loaded";

/** What stands beside the name. */
export function about(tool: Tool): string {
  return [...(tool.pending ? [PENDING] : []), firstLine(tool)].filter(Boolean).join(" · ");
}

/** What a screen reader says; it also names what the row shows by icons alone. */
export function spoken(tool: Tool): string {
  const problems = tool.problems?.length ?? 0;
  const parts = [tool.name, asks(tool) ? "asks for approval" : "runs without asking"];
  if (tool.pending) parts.push(PENDING);
  if (problems > 0) parts.push(problems === 1 ? "1 problem" : `${problems} problems`);
  return parts.join(", ");
}

/** One line per parameter, as the model gets them. */
export function parameterLines(tool: Tool): string[] {
  const schema = tool.parameters as {
    properties?: Record<string, { type?: unknown; description?: string }>;
    required?: string[];
  };
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const type = typeof property.type === "string" ? property.type : "any";
    const optional = schema.required?.includes(name) ? "" : ", optional";
    return `\`${name}\` (${type}${optional})${property.description ? `: ${property.description}` : ""}`;
  });
}
